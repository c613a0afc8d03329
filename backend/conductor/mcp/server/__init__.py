"""Conductor's own MCP server: socket, stdio and HTTP."""
