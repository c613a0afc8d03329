"""The config for the first start, with one empty mode and comments that explain the format."""

STARTER = """\
# The config of Conductor. Saved changes take effect at once; `conductor undo` reverts them.

version = 1

# You can name a device, and use the name in triggers as `device = "pads"`:
#
# [[devices]]
# alias = "pads"
# matchers = [{ type = "NameContains", pattern = "Mikro" }]

# Mappings under [[global_mappings]] work in every mode.

[[modes]]
name = "Default"
color = "blue"

# Put the mappings of this mode here, at the end of the file. For example, a pad that copies
# (remove the `#` signs and press pad 36):
#
# [[modes.mappings]]
# description = "copy"
# trigger = { type = "Note", note = 36 }
# action = { type = "Keystroke", keys = ["cmd", "c"] }
"""
