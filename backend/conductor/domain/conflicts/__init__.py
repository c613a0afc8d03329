"""Finds conflicts between mappings by comparing them, without running the engine."""
