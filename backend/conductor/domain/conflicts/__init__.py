"""Finds conflicts between mappings by comparing the mappings, without running the engine."""
