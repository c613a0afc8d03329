"""Plays examples, pins them (saves everything they depend on), and explains which of them a change breaks."""
