"""Implements a virtual keyboard, a virtual pointer and a window list with the Wayland
protocol, without a library.
"""
