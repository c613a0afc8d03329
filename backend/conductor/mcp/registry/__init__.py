"""The MCP servers that the user has added to `mcp.json`, and Conductor's entry in the settings of other
programs.
"""
