"""Agent Skills: their format, the library of installed skills, installation, and selection for a message."""
