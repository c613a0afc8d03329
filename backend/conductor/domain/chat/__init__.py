"""Messages of the chat, their parts and events."""
