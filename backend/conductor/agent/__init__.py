"""The chat: answers user messages, including the tool calls that an answer needs."""
