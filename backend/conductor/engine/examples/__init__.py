"""Plays examples, pins everything that their results depend on, and explains which examples a change breaks."""
