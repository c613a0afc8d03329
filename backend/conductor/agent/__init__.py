"""The chat: from a user message to a complete answer, including its tool calls."""
