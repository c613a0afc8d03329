"""`conductor play`: plays the virtual controller of the running Conductor and shows what follows."""

import argparse
import json
from typing import Any

from conductor.cli.client import Client
from conductor.cli.failures import Failures
from conductor.cli.simulate import trace_lines
from conductor.devices.virtual.script import LONGEST_S, parse_gestures


def run(args: argparse.Namespace) -> int:
    """Play gestures for real: what is mapped to them is done."""
    parse_gestures(args.gestures)  # a mistake is told before anything is asked for
    client = Client(timeout_s=LONGEST_S + 10)
    client.call("conductor_monitor")
    shown = _Shown()
    answer = client.watch("terminal.play", shown.show, gestures=args.gestures)
    shown.end()
    for name in answer["let_go"]:
        print(f"{name} was still down and is let go.")
    return 0


class _Shown:
    """Prints traces as they come, each with its failures under it, whichever was told first."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._failures = Failures()

    def show(self, kind: str, data: dict[str, Any]) -> None:
        if kind == "failure":
            if self._failures.is_late(data):
                _print_failed([data])
        elif kind == "trace":
            _print_failed(self._failures.without_event(data))
            if data["event"]["kind"] != "completed":
                self._print(data)
            _print_failed(self._failures.of(data))

    def end(self) -> None:
        """Print the failures of which no event came."""
        _print_failed(self._failures.left())

    def _print(self, trace: dict[str, Any]) -> None:
        at = trace["event"]["time"]
        self._began = at if self._began is None else self._began
        for line in trace_lines(trace, at - self._began):
            print(line, flush=True)
        if trace["outcome"] == "unmatched" and not trace["candidates"]:
            print(f"{'':>14}   no mapping of mode {json.dumps(trace['mode'])} listens to it")


def _print_failed(failures: list[dict[str, Any]]) -> None:
    for failure in failures:
        print(f"{'':>14}!! {failure['mapping']} failed: {failure['reason']}", flush=True)
