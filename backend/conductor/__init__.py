"""Conductor: what your hands do on a controller becomes what the computer does."""

__version__ = "0.1.0"
