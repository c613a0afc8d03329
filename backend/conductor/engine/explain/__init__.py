"""Explains why a gesture caused an action or not."""
