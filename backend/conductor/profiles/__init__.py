"""Reads and writes device profiles, finds the profile of a port, and makes profiles from played controls."""
