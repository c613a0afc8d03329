"""Plays examples, pins them when they are saved, and explains which of them a change breaks."""
