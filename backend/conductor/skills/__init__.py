"""Agent Skills: the format, the shelf of those that are there, installing, and choosing one for a message."""
