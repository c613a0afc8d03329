"""`conductor play`: plays the virtual controller of the running Conductor and shows what follows."""

import argparse
import json
from typing import Any

from conductor.cli.client import Client
from conductor.cli.simulate import trace_lines
from conductor.devices.virtual_script import LONGEST_S, parse_gestures


def run(args: argparse.Namespace) -> int:
    """Play gestures for real: what is mapped to them is done."""
    parse_gestures(args.gestures)  # a mistake is told before anything is asked for
    client = Client(timeout_s=LONGEST_S + 10)
    client.call("conductor_monitor")
    shown = _Shown()
    answer = client.watch("terminal.play", shown.show, gestures=args.gestures)
    for name in answer["let_go"]:
        print(f"{name} was still down and is let go.")
    return 0


class _Shown:
    """Prints traces as they come, each with the failures that were told before it."""

    def __init__(self) -> None:
        self._began: float | None = None

    def show(self, kind: str, data: dict[str, Any]) -> None:
        if kind == "failure":
            print(f"{'':>14}!! {data['mapping']} failed: {data['reason']}", flush=True)
        elif kind == "trace" and data["event"]["kind"] != "completed":
            at = data["event"]["time"]
            self._began = at if self._began is None else self._began
            for line in trace_lines(data, at - self._began):
                print(line, flush=True)
            if data["outcome"] == "unmatched" and not data["candidates"]:
                print(f"{'':>14}   no mapping of mode {json.dumps(data['mode'])} listens to it")
