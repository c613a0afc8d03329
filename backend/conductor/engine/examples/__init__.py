"""Plays the examples of a config, pins what their results depend on, and explains which
of them a change breaks.
"""
