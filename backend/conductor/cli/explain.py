"""`conductor explain`: why an event did or did not act."""

import argparse
import json
from typing import Any

from conductor.cli.client import Client
from conductor.domain.phrases import action_words, event_words
from conductor.domain.trace import event_from_plain
from conductor.errors import ConductorError

WORDS = {"fired": "fired", "waiting": "waits", "shadowed": "lost", "no": "did not fire"}


SILENT = {"timer", "completed", "note_off", "button_up"}
"""What follows from a press; it is asked for only when it did something."""
STEPS_BACK = 30


def _wanted(client: Client, sequence: int | None) -> dict[str, Any] | None:
    """Give the trace with this number, or that of the last press or change."""
    last = trace = client.call("conductor_explain_event", sequence=sequence)["trace"]
    if sequence is not None:
        return trace
    for _ in range(STEPS_BACK):
        if trace is None:
            break
        if trace["event"]["kind"] not in SILENT or _acted(trace):
            return trace
        trace = client.call("conductor_explain_event", sequence=trace["sequence"] - 1)["trace"]
    return last


def _acted(trace: dict[str, Any]) -> bool:
    return any(candidate["outcome"] == "fired" for candidate in trace["candidates"])


def run(args: argparse.Namespace) -> int:
    """Print the trace of an event as a chain of sentences."""
    trace = _wanted(Client(), args.sequence)
    if trace is None:
        raise ConductorError("no such event is remembered; play something and ask again")
    if args.json:
        print(json.dumps(trace))
        return 0
    event = trace["event"]
    profile = f", profile {trace['profile']}" if trace["profile"] else ""
    print(
        f"event {trace['sequence']}: {event_words(event_from_plain(event))} from {event['device']}"
    )
    print(f"mode {trace['mode']}{profile}")
    if trace["note"]:
        print(trace["note"])
    if not trace["candidates"]:
        print("No mapping listens to this control in this mode.")
    for candidate in trace["candidates"]:
        word = WORDS[candidate["outcome"]]
        print(
            f"{candidate['mapping']} ({candidate['scope']} #{candidate['index']}) {word}: {candidate['reason']}"
        )
    for effect in trace["effects"]:
        print(f"{effect['kind']}: {action_words(effect['action'])}")
    return 0
