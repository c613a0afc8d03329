"""Conductor's own MCP server for agents, over a socket, stdio and HTTP."""
