"""Finds what a change affects: controls, modes, outputs."""
