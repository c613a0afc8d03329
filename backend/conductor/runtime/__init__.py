"""Runs the engine process, and starts and controls it from the app; also keeps notices and recordings."""
