"""The chat: from what the user says to a whole answer, with all its tool calls."""
