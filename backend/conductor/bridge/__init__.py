"""The window's door: typed commands, batched events, and the loopback server that serves the page."""
