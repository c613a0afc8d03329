"""Finds mappings that interfere with each other, by simulating gestures with and without them."""
