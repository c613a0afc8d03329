"""`conductor play`: plays the virtual controller of the running Conductor and prints the traces."""

import argparse
import json
from typing import cast

from conductor.base.json_types import JsonObject
from conductor.cli.client import SocketClient
from conductor.cli.failures import FailureMatcher
from conductor.cli.trace_text import format_trace
from conductor.devices.virtual.script import MAX_SCRIPT_S, parse_gestures
from conductor.domain.mapping_names import format_row_name
from conductor.domain.wire_rows import FailureRow, TraceRow


def run(args: argparse.Namespace) -> int:
    """Play gestures on the virtual controller, and print the traces; mapped actions are performed."""
    parse_gestures(args.gestures)  # report syntax errors before contacting Conductor
    client = SocketClient(timeout_s=MAX_SCRIPT_S + 10)
    client.call("conductor_monitor")
    printer = _TracePrinter()
    answer = client.watch("terminal.play", printer.show, gestures=args.gestures)
    printer.finish()
    for name in answer["let_go"]:
        print(f"{name} was still held and has been released.")
    return 0


class _TracePrinter:
    """Prints traces as they arrive, each followed by the failures of its actions."""

    def __init__(self) -> None:
        self._start: float | None = None
        self._failures = FailureMatcher()

    def show(self, kind: str, data: JsonObject) -> None:
        if kind == "failure":
            failure = cast(FailureRow, data)
            if self._failures.keep_unless_late(failure):
                _print_failures([failure])
        elif kind == "trace":
            trace = cast(TraceRow, data)
            _print_failures(self._failures.collect_skipped(trace))
            if trace["event"]["kind"] != "completed":
                self._print_trace(trace)
            _print_failures(self._failures.collect_for(trace))

    def finish(self) -> None:
        """Print the failures whose trace has not arrived."""
        _print_failures(self._failures.collect_rest())

    def _print_trace(self, trace: TraceRow) -> None:
        at = trace["event"]["time"]
        self._start = at if self._start is None else self._start
        for line in format_trace(trace, at - self._start):
            print(line, flush=True)
        if trace["outcome"] == "unmatched" and not trace["candidates"]:
            print(f"{'':>14}   no mapping for this control in mode {json.dumps(trace['mode'])}")


def _print_failures(failures: list[FailureRow]) -> None:
    for failure in failures:
        print(f"{'':>14}!! {format_row_name(failure)} failed: {failure['reason']}", flush=True)
