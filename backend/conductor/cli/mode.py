"""`conductor mode NAME`: switches to a mode."""

import argparse

from conductor.cli.client import SocketClient


def run(args: argparse.Namespace) -> int:
    """Switch the running Conductor to another mode, and print the new mode."""
    answer = SocketClient().call_method("conductor_switch_mode", mode=args.name)
    print(f"mode {answer['mode_name']} ({answer['mode_index'] + 1} of {answer['total_modes']})")
    return 0
