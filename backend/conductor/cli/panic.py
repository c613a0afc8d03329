"""`conductor panic`: releases all keys and notes, and stops running actions."""

import argparse

from conductor.cli.client import SocketClient


def run(_args: argparse.Namespace) -> int:
    """Release all held keys and notes, stop running actions, and print the result."""
    print(SocketClient().call_method("conductor_panic")["message"])
    return 0
