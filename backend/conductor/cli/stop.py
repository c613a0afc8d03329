"""`conductor stop`: ends the running Conductor in the same way as Ctrl+C."""

import argparse
import sys
import threading

from conductor.base.clock import now
from conductor.base.paths import home
from conductor.base.single_instance import is_locked
from conductor.cli.client import SocketClient
from conductor.errors import NotAllowed, NotAvailable

ENDS_WITHIN_S = 25.0
"""Longer than Conductor allows itself to end before it kills itself (`cli/run.py`)."""
LOOK_EVERY_S = 0.05
NO_TERMINAL = (
    "stopping Conductor needs you at a terminal; run this command in a terminal,"
    " or choose Quit in the tray"
)


def run(_args: argparse.Namespace) -> int:
    """Ask the running Conductor to end, and wait until it has ended."""
    client = SocketClient()
    if not sys.stdin.isatty():
        raise NotAllowed(NO_TERMINAL)
    pid = client.call("terminal.stop")["pid"]
    # The lock is the last thing that it releases, after keys and notes: a new start works from then on.
    until = now() + ENDS_WITHIN_S
    while is_locked(home()):
        if now() > until:
            raise NotAvailable(
                f"Conductor has not ended within {ENDS_WITHIN_S:.0f} s; `kill -9 {pid}` ends it at once"
            )
        threading.Event().wait(LOOK_EVERY_S)
    print("Conductor has stopped.")
    return 0
