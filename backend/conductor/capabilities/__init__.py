"""Abilities of the assistant besides mapping: calculating, reading files, fetching web pages and searching the
web.
"""
