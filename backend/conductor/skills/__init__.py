"""Agent Skills: their format, their installation, the library of installed skills, and the choice of
skills for a message.
"""
