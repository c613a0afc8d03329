"""Explains why a gesture triggered an action or why it did not."""
