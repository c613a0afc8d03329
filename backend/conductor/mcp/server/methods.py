"""The names of the bare socket methods for the user at a terminal; a trailing dot marks a prefix."""

WINDOW = "terminal.window"
PAGE = "terminal.page"
PAGES = "terminal.pages."
PLAY = "terminal.play"
STOP = "terminal.stop"
RECORDING = "terminal.recording."
APPROVALS = "terminal.approvals."
