"""Explains why an event did or did not act."""
