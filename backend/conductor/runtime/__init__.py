"""The engine process, and the part of the app that starts it and communicates with it; notices and
recordings.
"""
