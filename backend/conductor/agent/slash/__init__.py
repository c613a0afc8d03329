"""Slash commands: a small command language for the chat that needs no model."""
