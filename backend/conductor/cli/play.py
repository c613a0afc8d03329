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
        self._start_time: float | None = None
        self._failures = FailureMatcher()

    def show(self, kind: str, data: JsonObject) -> None:
        if kind == "failure":
            failure = cast(FailureRow, data)
            if self._failures.store_unless_printed(failure):
                _print_failures([failure])
        elif kind == "trace":
            trace = cast(TraceRow, data)
            _print_failures(self._failures.take_skipped(trace))
            if trace["event"]["kind"] != "completed":
                self._print_trace(trace)
            _print_failures(self._failures.take_for_trace(trace))

    def finish(self) -> None:
        """Print the failures whose trace has not arrived."""
        _print_failures(self._failures.take_all())

    def _print_trace(self, trace: TraceRow) -> None:
        time_s = trace["event"]["time"]
        self._start_time = time_s if self._start_time is None else self._start_time
        for line in format_trace(trace, time_s - self._start_time):
            print(line, flush=True)
        if trace["outcome"] == "unmatched" and not trace["candidates"]:
            print(f"{'':>14}   no mapping for this control in mode {json.dumps(trace['mode'])}")


def _print_failures(failures: list[FailureRow]) -> None:
    for failure in failures:
        print(f"{'':>14}!! {format_row_name(failure)} failed: {failure['reason']}", flush=True)
