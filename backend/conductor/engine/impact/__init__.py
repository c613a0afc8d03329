"""Computes what a config change can affect: controls, modes, variables and outputs."""
