"""Finds conflicts between mappings by comparing their fields, without running the engine."""
