"""Answers the user's chat messages, and runs the tool calls that an answer needs."""
