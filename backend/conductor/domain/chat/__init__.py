"""Defines the messages of the chat, their parts, and the events by which clients follow them."""
