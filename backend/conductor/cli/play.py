"""`conductor play`: plays the virtual controller of the running Conductor and prints the traces."""

import argparse
import json
from typing import cast

from conductor.base.json_types import JsonObject
from conductor.cli.client import SocketClient
from conductor.cli.failures import FailureMatcher
from conductor.cli.trace_text import format_trace
from conductor.devices.virtual.script import MAX_SCRIPT_DURATION_S, parse_gestures
from conductor.domain.mapping_names import format_row_name
from conductor.domain.wire_rows import FailureRow, TraceRow


def run(args: argparse.Namespace) -> int:
    """Play gestures on the virtual controller and print the traces.

    Mapped actions are performed. Return the exit code.
    """
    parse_gestures(args.gestures)  # errors of syntax are reported without a running Conductor
    client = SocketClient(timeout_s=MAX_SCRIPT_DURATION_S + 10)
    client.call_method("conductor_monitor")
    printer = _TracePrinter()
    answer = client.call_with_notifications(
        "terminal.play", printer.print_notification, gestures=args.gestures
    )
    printer.print_remaining_failures()
    for name in answer["let_go"]:
        print(f"{name} was still held and has been released.")
    return 0


class _TracePrinter:
    """Prints traces as they arrive, each followed by the failures of its actions."""

    def __init__(self) -> None:
        self._start_time: float | None = None
        self._failures = FailureMatcher()

    def print_notification(self, kind: str, data: JsonObject) -> None:
        if kind == "failure":
            failure = cast(FailureRow, data)
            if self._failures.store_until_trace_arrives(failure):
                _print_failures([failure])
        elif kind == "trace":
            trace = cast(TraceRow, data)
            _print_failures(self._failures.take_skipped_failures(trace))
            if trace["event"]["kind"] != "completed":
                self._print_trace(trace)
            _print_failures(self._failures.take_trace_failures(trace))

    def print_remaining_failures(self) -> None:
        """Print the failures whose trace has not arrived, because none will arrive any more."""
        _print_failures(self._failures.take_all_failures())

    def _print_trace(self, trace: TraceRow) -> None:
        time_s = trace["event"]["time"]
        self._start_time = time_s if self._start_time is None else self._start_time
        for line in format_trace(trace, time_s - self._start_time):
            print(line, flush=True)
        # a note, such as that Conductor is paused, is the reason and has been printed
        if trace["outcome"] == "unmatched" and not trace["candidates"] and not trace["note"]:
            print(f"{'':>14}   no mapping for this control in mode {json.dumps(trace['mode'])}")


def _print_failures(failures: list[FailureRow]) -> None:
    for failure in failures:
        print(f"{'':>14}!! {format_row_name(failure)} failed: {failure['reason']}", flush=True)
