"""Slash commands: a small command language for the chat that works without a model."""
