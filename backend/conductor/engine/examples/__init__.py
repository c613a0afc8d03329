"""Plays kept examples and explains which ones a change breaks."""
