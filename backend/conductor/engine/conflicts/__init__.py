"""Finds mappings that interfere with each other, by playing gestures with and without each of them."""
