"""`conductor explain`: why an event did or did not act."""

import argparse
import json

from conductor.cli.client import Client
from conductor.domain.trace import event_from_plain
from conductor.engine.describe import action_words, event_words
from conductor.errors import ConductorError

WORDS = {"fired": "fired", "waiting": "waits", "shadowed": "lost", "no": "did not fire"}


def run(args: argparse.Namespace) -> int:
    """Print the trace of an event as a chain of sentences."""
    trace = Client().call("conductor_explain_event", sequence=args.sequence)["trace"]
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
