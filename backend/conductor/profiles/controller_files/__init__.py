"""Reads the controller files of other programs: Mixxx, Ardour, ReaLearn, Bitwig Studio and Ableton Live.

A file is only read, never run, and only facts that it states are used.
"""
