"""The names of the bare socket methods for the user at a terminal. A name that ends with a dot is a prefix."""

WINDOW_METHOD = "terminal.window"
PAGE_METHOD = "terminal.page"
PAGES_PREFIX = "terminal.pages."
PLAY_METHOD = "terminal.play"
STOP_METHOD = "terminal.stop"
RECORDING_PREFIX = "terminal.recording."
APPROVALS_PREFIX = "terminal.approvals."
