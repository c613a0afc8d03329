"""`conductor monitor`: prints each event and the actions that it triggers on one line."""

import argparse
import json
import os
import queue
import re
import shutil
import sys
import textwrap
import threading
import time
from contextlib import suppress
from typing import Any, Literal, NamedTuple, TextIO, cast

from conductor.base.json_types import JsonObject
from conductor.cli.client import SocketClient
from conductor.cli.failures import FailureMatcher
from conductor.cli.text import format_load_message
from conductor.domain.mapping_names import format_row_name
from conductor.domain.phrases import describe_action, describe_event_row
from conductor.domain.wire_rows import FailureRow, TraceOutcome, TraceRow

COLOUR_BY_OUTCOME = {
    "fired": "\033[32m",
    "mode": "\033[34m",
    "waiting": "\033[33m",
    "unmatched": "\033[90m",
    "released": "\033[90m",
    "failure": "\033[31m",
    "notice": "\033[35m",
    "info": "\033[90m",
}
OUTCOME_LEGEND = "-> done   .. waiting   => mode   !! failed"
EVENT_NUMBER_LEGEND = "#7: see `conductor explain 7`"
MARK_BY_OUTCOME = {
    "fired": "->",
    "mode": "=>",
    "waiting": "..",
    "unmatched": "  ",
    "released": "  ",
    "failure": "!!",
    "info": "  ",
}
DIM_CODE = "\033[2m"
RESET_CODE = "\033[0m"


def run(args: argparse.Namespace) -> int:
    """Print events until the time is over, the user presses Ctrl+C, or Conductor ends. Return the exit code."""
    client = SocketClient()
    client.call_method("conductor_monitor")
    print(
        f"Watching events; Ctrl+C to stop. {OUTCOME_LEGEND}   {EVENT_NUMBER_LEGEND}",
        file=sys.stderr,
        flush=True,
    )
    printer = MonitorPrinter(sys.stdout, is_running=True)
    until = None if args.seconds is None else time.monotonic() + args.seconds
    client.set_timeout(args.seconds)
    for kind, data in client.receive_notifications():
        if args.json:
            print(json.dumps({"kind": kind, **data}), flush=True)
        else:
            printer.print_notification(kind, data)
        if until is not None:
            left = until - time.monotonic()
            if left <= 0:
                break
            client.set_timeout(left)
    return 0


REASON_INDENT_COLUMNS = 13
CONTINUOUS_EVENT_KINDS = {
    "cc",
    "nrpn",
    "rpn",
    "pitch_bend",
    "channel_pressure",
    "poly_pressure",
    "axis",
    "gamepad_trigger",
}
MAX_QUEUED_NOTIFICATIONS = 2_000
MIN_MOVEMENT_INTERVAL_S = 0.25
"""The shortest time between two lines about the same moving control.

The last value of a movement is always printed.
"""


class _TraceWithFailures(NamedTuple):
    """A trace with the failures of its actions that arrived before the trace was printed."""

    trace: TraceRow
    failures: list[FailureRow]

    @property
    def outcome(self) -> TraceOutcome | Literal["failure"]:
        return "failure" if self.failures else self.trace["outcome"]


class MonitorPrinter:
    """Prints events and actions as coloured lines that fit the width of the terminal."""

    def __init__(
        self, out: TextIO, *, is_running: bool = False, shows_numbers: bool = True
    ) -> None:
        """Print to `out`.

        With `is_running`, the first config is reported as reloaded instead of loaded. With `shows_numbers`,
        each event has the number that `conductor explain` accepts.
        """
        self._out = out
        self._shows_numbers = shows_numbers
        self._is_running = is_running
        self._colour = out.isatty() and "NO_COLOR" not in os.environ
        self._first_time: float | None = None
        self._failures = FailureMatcher()
        self._last_move: tuple[Any, ...] = ()
        self._last_move_at = 0.0
        self._held_back: _TraceWithFailures | None = None
        self._merged_count = 0

    def print_notification(self, kind: str, data: JsonObject) -> None:
        """Print a notification of the running Conductor. Kinds that this version does not know are ignored."""
        match kind:
            case "trace":
                self._show_trace(cast(TraceRow, data))
            case "failure":
                failure = cast(FailureRow, data)
                if self._failures.store_until_trace_arrives(failure):
                    self._print_late_failure(failure)
            case "skipped":
                self._print_line("info", f"{'':8}  ({data['count']} events skipped)")
            case "loaded":
                self._print_line(
                    "notice",
                    f"{'':8}  {format_load_message(data['mappings'], is_reload=self._is_running)}",
                )
                self._is_running = True
            case "notice":
                self._print_line("notice", f"{'':8}  {data['text']}")
            case _:
                pass

    def _show_trace(self, trace: TraceRow) -> None:
        for failure in self._failures.take_skipped_failures(trace):
            self._print_late_failure(failure)
        failed = _TraceWithFailures(trace, self._failures.take_trace_failures(trace))
        if not self._hold_back_if_moving(failed):
            self._print_trace(failed)

    def _hold_back_if_moving(self, failed: _TraceWithFailures) -> bool:
        """Hold back a trace if it continues the movement of the control that was printed last.

        Return whether it was held back. It is then printed before the next trace of another control, so
        that the last value of a movement is never lost.
        """
        event = failed.trace["event"]
        move = (event["device"], event["channel"], event["kind"], event["number"], failed.outcome)
        if event["kind"] in CONTINUOUS_EVENT_KINDS and move == self._last_move:
            if event["time"] - self._last_move_at < MIN_MOVEMENT_INTERVAL_S:
                self._merged_count += self._held_back is not None
                self._held_back = failed
                return True
            self._merged_count += self._held_back is not None
        elif self._held_back is not None:
            self._print_trace(self._held_back)
        self._held_back = None
        self._last_move, self._last_move_at = move, event["time"]
        return False

    def _print_trace(self, failed: _TraceWithFailures) -> None:
        trace, outcome = failed.trace, failed.outcome
        event = trace["event"]
        text = self._describe_outcome(trace)
        if outcome == "info" and not text:
            return
        self._first_time = event["time"] if self._first_time is None else self._first_time
        at = f"{event['time'] - self._first_time:8.3f}"
        words = "" if event["kind"] == "timer" else describe_event_row(event)
        words = words.replace(" velocity ", " vel ")
        if self._merged_count:
            words, self._merged_count = f"{words} (+{self._merged_count})", 0
        narrow = get_output_width(self._out) < 100
        if narrow:
            words = re.sub(r" ch \d+", "", words)
        wide = 22 if narrow else 34
        line = f"{at}  {shorten_text(words, wide):<{wide}} {MARK_BY_OUTCOME[outcome]} {text}"
        self._print_line(outcome, line.rstrip(), f"#{trace['sequence']}")
        for failure in failed.failures:
            self._print_reason(f"failed: {failure['reason']}")

    def _print_late_failure(self, failure: FailureRow) -> None:
        """Print a failure whose event was already printed, or was skipped."""
        first = failure["time"] if self._first_time is None else self._first_time
        at = f"{failure['time'] - first:8.3f}"
        text = f"{at}  !! {format_row_name(failure)}, after its event"
        self._print_line("failure", text, f"#{failure['sequence']}")
        self._print_reason(f"failed: {failure['reason']}")

    def _print_reason(self, text: str) -> None:
        for line in textwrap.wrap(text, get_output_width(self._out) - REASON_INDENT_COLUMNS):
            self._print_line("failure", f"{'':{REASON_INDENT_COLUMNS}}{line}")

    def _describe_outcome(self, trace: TraceRow) -> str:
        """Return the text for the actions that a trace triggered, or else for the mappings that wait, the
        effects or the note.
        """
        candidates = trace["candidates"]
        fired = [c for c in candidates if c["outcome"] == "fired"]
        waiting = [c for c in candidates if c["outcome"] == "waiting"]
        if fired:
            return "; ".join(
                f"{describe_action_briefly(c['action']):<20}  {format_row_name(c)}" for c in fired
            )
        if waiting:
            return "waiting: " + "; ".join(format_row_name(c) for c in waiting)
        if trace["effects"]:
            return ", ".join(
                f"{e['kind']} {describe_action_briefly(e['action'])}" for e in trace["effects"]
            )
        note = trace["note"] or ""
        # loading a config has a notification of its own
        return "" if note.startswith("config loaded") else note

    def _print_line(self, outcome: str, text: str, number: str = "") -> None:
        number = number if self._shows_numbers else ""
        width = get_output_width(self._out) - (len(number) + 1 if number else 0)
        text = shorten_text(text, width)
        gap = " " * (width - len(text) + 1) if number else ""
        if self._colour:
            text, number = (
                f"{COLOUR_BY_OUTCOME[outcome]}{text}{RESET_CODE}",
                f"{DIM_CODE}{number}{RESET_CODE}" if number else "",
            )
        print(f"{text}{gap}{number}", file=self._out, flush=True)


class MonitorThread:
    """Prints notifications in a separate thread, so that a blocked terminal or pipe blocks nothing else.

    If `MAX_QUEUED_NOTIFICATIONS` are queued, further ones are skipped and counted.
    """

    def __init__(self, printer: MonitorPrinter) -> None:
        self._printer = printer
        self._queued: queue.Queue[tuple[str, JsonObject]] = queue.Queue(MAX_QUEUED_NOTIFICATIONS)
        self._skipped = 0
        threading.Thread(target=self._print_lines, name="monitor", daemon=True).start()

    def queue_notification(self, kind: str, data: JsonObject) -> None:
        """Queue a notification, which the thread prints in turn."""
        try:
            self._queued.put_nowait((kind, data))
        except queue.Full:
            self._skipped += 1

    def _print_lines(self) -> None:
        # the reader of the output has exited, as in `conductor run --monitor | head`
        with suppress(OSError):
            while True:
                notification = self._queued.get()
                skipped, self._skipped = self._skipped, 0
                if skipped:
                    self._printer.print_notification("skipped", {"count": skipped})
                self._printer.print_notification(*notification)


def get_output_width(out: TextIO) -> int:
    """Return the width of the output in columns: the width of the terminal, or else the variable COLUMNS,
    or else 100.
    """
    if out.isatty() or "COLUMNS" in os.environ:
        return max(40, shutil.get_terminal_size((100, 24)).columns)
    return 100


def shorten_text(text: str, width: int) -> str:
    """Return a text of at most `width` characters, which ends with an ellipsis if it was cut."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def describe_action_briefly(action: JsonObject) -> str:
    """Return an action in a few words. Of a sequence, only the number of steps is named."""
    if action["type"] == "Sequence" and len(action["actions"]) > 1:
        return f"Sequence of {len(action['actions'])}"
    if action["type"] == "Repeat":
        return f"Repeat {describe_action_briefly(action['action'])}"
    return describe_action(action).replace(" to Conductor Out", "")
