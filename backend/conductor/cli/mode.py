"""`conductor mode NAME`: activates a mode."""

import argparse

from conductor.cli.client import SocketClient


def run(args: argparse.Namespace) -> int:
    """Activate another mode in the running Conductor and print its name. Return the exit code."""
    answer = SocketClient().call_method("conductor_switch_mode", mode=args.name)
    print(f"mode {answer['mode_name']} ({answer['mode_index'] + 1} of {answer['total_modes']})")
    return 0
