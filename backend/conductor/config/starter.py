"""The config of a first start: one empty mode, and comments that show what goes where."""

STARTER = """\
# Conductor's set-up. Edit it here or in the app: the app keeps your comments,
# and a saved change works at once.

version = 1

[[modes]]
name = "Default"
color = "blue"

# One pad that copies. Remove the `#` signs and press pad 36:
#
# [[modes.mappings]]
# description = "copy"
# trigger = { type = "Note", note = 36 }
# action = { type = "Keystroke", keys = ["cmd", "c"] }

# What stands under [[global_mappings]] works in every mode.
#
# A device gets a name of its own, to be used as `device = "pads"` in triggers:
#
# [[devices]]
# alias = "pads"
# matchers = [{ type = "NameContains", pattern = "Mikro" }]
"""
