"""Conductor's own MCP server, over a socket, stdio and HTTP."""
