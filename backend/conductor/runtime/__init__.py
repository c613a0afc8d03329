"""The engine process and what supervises it: the two ends of the link, outputs, recordings."""
