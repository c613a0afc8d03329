"""The interface between the app and the page: typed commands, batched events, and the web server on
loopback.
"""
