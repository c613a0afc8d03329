"""Reads gamepads through SDL."""
