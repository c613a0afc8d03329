"""The MCP client: connects to other people's servers and keeps their faults away from the app."""
