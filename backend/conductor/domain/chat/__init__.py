"""The messages of the chat, their parts, and the events about them."""
