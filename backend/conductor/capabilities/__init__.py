"""Capabilities of the assistant besides mapping: calculating, reading files, fetching and searching the web."""
