"""Plays examples, pins them when they are kept, and explains which ones a change breaks."""
