"""Agent Skills: their format, installation, the library of installed skills, and the choice of skills for a
message.
"""
