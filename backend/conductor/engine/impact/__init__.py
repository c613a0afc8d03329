"""Computes an upper bound of what a config change can affect: controls, modes, variables and outputs."""
