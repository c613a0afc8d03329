"""Conductor as a client of other people's MCP servers; nothing that one does reaches the app."""
