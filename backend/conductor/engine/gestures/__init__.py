"""Generates short gestures that can show a difference between two configs, and plays them on both."""
