"""The bare methods of the socket that are for the user at a terminal; a final dot marks a prefix."""

WINDOW = "terminal.window"
PAGE = "terminal.page"
PAGES = "terminal.pages."
PLAY = "terminal.play"
STOP = "terminal.stop"
RECORDING = "terminal.recording."
APPROVALS = "terminal.approvals."
