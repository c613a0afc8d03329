"""The config of a first start: one empty mode, and comments that show what goes where."""

STARTER = """\
# Conductor's set-up. A saved change works at once; `conductor undo` takes it back.

version = 1

# A device may get a name, to be used as `device = "pads"` in triggers:
#
# [[devices]]
# alias = "pads"
# matchers = [{ type = "NameContains", pattern = "Mikro" }]

# What stands under [[global_mappings]] works in every mode.

[[modes]]
name = "Default"
color = "blue"

# Put the mappings of this mode here, at the end of the file. One pad that copies, for example
# (remove the `#` signs and press pad 36):
#
# [[modes.mappings]]
# description = "copy"
# trigger = { type = "Note", note = 36 }
# action = { type = "Keystroke", keys = ["cmd", "c"] }
"""
