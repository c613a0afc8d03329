"""Gamepads, read through SDL."""
