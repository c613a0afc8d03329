"""`conductor panic`: releases all held keys and notes, and stops the running actions."""

import argparse

from conductor.cli.client import SocketClient


def run(_args: argparse.Namespace) -> int:
    """Release all held keys and notes, stop the running actions, and print what was released.

    Return the exit code.
    """
    print(SocketClient().call_method("conductor_panic")["message"])
    return 0
