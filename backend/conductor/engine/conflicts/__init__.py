"""Finds mappings that interfere, by playing gestures with and without them."""
