"""The MCP servers that the user has added, in mcp.json, and Conductor's entry in other programs' files."""
