"""`conductor monitor`: what controls say and what it does, line by line."""

import argparse
import json
import os
import re
import shutil
import sys
import textwrap
import time
from typing import Any, TextIO

from conductor.cli.client import Client
from conductor.cli.failures import Failures
from conductor.cli.words import loaded
from conductor.domain.phrases import action_words, event_words
from conductor.domain.trace import event_from_plain

COLOURS = {
    "fired": "\033[32m",
    "mode": "\033[34m",
    "waiting": "\033[33m",
    "unmatched": "\033[90m",
    "failure": "\033[31m",
    "notice": "\033[35m",
    "info": "\033[90m",
}
LEGEND = "-> did   .. waits   => mode   !! failed   #7: `conductor explain 7` says why"
MARKS = {
    "fired": "->",
    "mode": "=>",
    "waiting": "..",
    "unmatched": "  ",
    "failure": "!!",
    "info": "  ",
}
DIM = "\033[2m"
END = "\033[0m"


def run(args: argparse.Namespace) -> int:
    """Show notifications until the time is over, Ctrl+C, or the end of Conductor."""
    client = Client()
    client.call("conductor_monitor")
    print(f"Watching. Ctrl+C ends it. {LEGEND}", file=sys.stderr, flush=True)
    printer = Printer(sys.stdout, is_running=True)
    until = None if args.seconds is None else time.monotonic() + args.seconds
    client.set_timeout(args.seconds)
    for kind, data in client.notifications():
        if args.json:
            print(json.dumps({"kind": kind, **data}), flush=True)
        else:
            printer.show(kind, data)
        if until is not None:
            left = until - time.monotonic()
            if left <= 0:
                break
            client.set_timeout(left)
    return 0


REASON_INDENT = 13
CONTINUOUS = {
    "cc",
    "nrpn",
    "rpn",
    "pitch_bend",
    "channel_pressure",
    "poly_pressure",
    "axis",
    "gamepad_trigger",
}
MOVE_S = 0.25
"""While a knob moves, a line this often is enough; its last value is always shown."""


class Printer:
    """Writes monitor lines as wide as the terminal, in colour on a terminal."""

    def __init__(self, out: TextIO, *, is_running: bool = False) -> None:
        """Write to `out`; with `is_running`, the first load that is told of is a reload."""
        self._out = out
        self._is_running = is_running
        self._colour = out.isatty() and "NO_COLOR" not in os.environ
        self._first: float | None = None
        self._failures = Failures()
        self._shown: tuple[Any, ...] = ()
        self._shown_at = 0.0
        self._kept_back: dict[str, Any] | None = None
        self._folded = 0

    def show(self, kind: str, data: dict[str, Any]) -> None:
        """Write what one notification is about, if it is about something to see."""
        match kind:
            case "trace":
                for failure in self._failures.without_event(data):
                    self._failed(failure)
                data["failures"] = self._failures.of(data)
                if data["failures"]:
                    data["outcome"] = "failure"
                if not self._still_moving(data):
                    self._trace(data)
            case "failure":
                if self._failures.is_late(data):
                    self._failed(data)
            case "skipped":
                self._line("info", f"{'':8}  ({data['count']} more events were not shown)")
            case "loaded":
                self._line("notice", f"{'':8}  {loaded(data, again=self._is_running)}")
                self._is_running = True
            case "notice":
                self._line("notice", f"{'':8}  {data['text']}")
            case _:
                pass

    def _still_moving(self, trace: dict[str, Any]) -> bool:
        """Keep back a trace that only goes on with the move shown last; show what was kept before."""
        event = trace["event"]
        move = (event["device"], event["channel"], event["kind"], event["number"], trace["outcome"])
        if event["kind"] in CONTINUOUS and move == self._shown:
            if event["time"] - self._shown_at < MOVE_S:
                self._folded += self._kept_back is not None
                self._kept_back = trace
                return True
            self._folded += self._kept_back is not None
        elif self._kept_back is not None:
            self._trace(self._kept_back)
        self._kept_back = None
        self._shown, self._shown_at = move, event["time"]
        return False

    def _trace(self, trace: dict[str, Any]) -> None:
        outcome, event = trace["outcome"], trace["event"]
        text = self._what(trace)
        if outcome == "info" and not text:
            return
        self._first = event["time"] if self._first is None else self._first
        at = f"{event['time'] - self._first:8.3f}"
        words = "" if event["kind"] == "timer" else event_words(event_from_plain(event))
        words = words.replace(" velocity ", " vel ")
        if self._folded:
            words, self._folded = f"{words} (+{self._folded})", 0
        narrow = width(self._out) < 100
        if narrow:
            words = re.sub(r" ch \d+", "", words)
        wide = 22 if narrow else 34
        line = f"{at}  {cut(words, wide):<{wide}} {MARKS[outcome]} {text}"
        self._line(outcome, line.rstrip(), f"#{trace['sequence']}")
        for failure in trace["failures"]:
            self._reason(f"failed: {failure['reason']}")

    def _failed(self, failure: dict[str, Any]) -> None:
        """Write a failure that could not be written with its event."""
        first = failure["time"] if self._first is None else self._first
        at = f"{failure['time'] - first:8.3f}"
        text = f"{at}  !! {failure['mapping']}, some time after its event"
        self._line("failure", text, f"#{failure['sequence']}")
        self._reason(f"failed: {failure['reason']}")

    def _reason(self, text: str) -> None:
        for line in textwrap.wrap(text, width(self._out) - REASON_INDENT):
            self._line("failure", f"{'':{REASON_INDENT}}{line}")

    def _what(self, trace: dict[str, Any]) -> str:
        by: dict[str, list[dict[str, Any]]] = {"fired": [], "waiting": []}
        for candidate in trace["candidates"]:
            if candidate["outcome"] in by:
                by[candidate["outcome"]].append(candidate)
        if by["fired"]:
            return "; ".join(f"{short(c['action']):<20}  {c['mapping']}" for c in by["fired"])
        if by["waiting"]:
            return "waits: " + ", ".join(c["mapping"] for c in by["waiting"])
        if trace["effects"]:
            return ", ".join(f"{e['kind']} {short(e['action'])}" for e in trace["effects"])
        note = trace["note"] or ""
        return "" if note.startswith("config loaded") else note  # told by its own notification

    def _line(self, outcome: str, text: str, number: str = "") -> None:
        room = width(self._out) - (len(number) + 1 if number else 0)
        text = cut(text, room)
        gap = " " * (room - len(text) + 1) if number else ""
        if self._colour:
            text, number = f"{COLOURS[outcome]}{text}{END}", f"{DIM}{number}{END}" if number else ""
        print(f"{text}{gap}{number}", file=self._out, flush=True)


def width(out: TextIO) -> int:
    """Return the columns that there are; COLUMNS says so too."""
    if out.isatty() or "COLUMNS" in os.environ:
        return max(40, shutil.get_terminal_size((100, 24)).columns)
    return 100


def cut(text: str, room: int) -> str:
    """Return a text that fits."""
    return text if len(text) <= room else f"{text[: room - 1]}…"


def short(action: dict[str, Any]) -> str:
    """Return an action in a few words; what is made of many is counted."""
    if action["type"] == "Sequence" and len(action["actions"]) > 1:
        return f"Sequence of {len(action['actions'])}"
    if action["type"] == "Repeat":
        return f"Repeat {short(action['action'])}"
    return action_words(action).replace(" to Conductor Out", "")
