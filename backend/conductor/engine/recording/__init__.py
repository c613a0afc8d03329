"""Records input events and the engine's state, and reads recordings from their JSON lines."""
