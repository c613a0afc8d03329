"""Answers the user's chat messages with a language model, and runs the tool calls that an answer needs."""
