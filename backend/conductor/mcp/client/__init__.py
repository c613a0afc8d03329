"""The MCP client, which connects to the servers of third parties and keeps their faults away from the app."""
