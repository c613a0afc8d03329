"""`conductor stop`: ends the running Conductor, as Ctrl+C in its terminal does."""

import argparse
import sys
import threading

from conductor.base.clock import now
from conductor.base.paths import get_home_folder
from conductor.base.single_instance import is_locked
from conductor.cli.client import SocketClient
from conductor.errors import NotAllowed, NotAvailable

STOP_TIMEOUT_S = 25.0
"""The time for which this command waits.

It is longer than `EXIT_TIMEOUT_S`, after which a Conductor that hangs kills itself.
"""
EXIT_POLL_INTERVAL_S = 0.05
NEEDS_TERMINAL_MESSAGE = (
    "stopping Conductor needs you at a terminal; run this command in a terminal,"
    " or choose Quit in the tray"
)


def run(_args: argparse.Namespace) -> int:
    """End the running Conductor and wait until it has exited. Return the exit code."""
    client = SocketClient()
    if not sys.stdin.isatty():
        raise NotAllowed(NEEDS_TERMINAL_MESSAGE)
    pid = client.call_method("terminal.stop")["pid"]
    # Conductor releases its lock last, after all keys and notes. Then it can be started again.
    deadline = now() + STOP_TIMEOUT_S
    while is_locked(get_home_folder()):
        if now() > deadline:
            raise NotAvailable(
                f"Conductor has not stopped within {STOP_TIMEOUT_S:.0f} s; `kill -9 {pid}` ends it at once"
            )
        threading.Event().wait(EXIT_POLL_INTERVAL_S)
    print("Conductor has stopped.")
    return 0
