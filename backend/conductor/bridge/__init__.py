"""The interface to the page: typed commands, batched events, and the loopback server that serves the page."""
