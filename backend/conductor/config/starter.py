"""Contains the config file that the first start creates: one empty mode, and comments that explain the
format.
"""

STARTER_CONFIG = """\
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

# This is a mapping of this mode, as an example: a pad that copies. To use it, remove the `#` signs and
# press pad 36. Add others below.
#
# [[modes.mappings]]
# description = "copy"
# trigger = { type = "Note", note = 36 }
# action = { type = "Keystroke", keys = ["cmd", "c"] }
"""
