"""`conductor explain`: explains why an event did or did not trigger an action."""

import argparse
import json

from conductor.cli.client import SocketClient
from conductor.domain.phrases import describe_action, describe_event_row
from conductor.errors import ConductorError


def run(args: argparse.Namespace) -> int:
    """Print why an event did or did not trigger an action, with the timeline of its gesture.

    Return the exit code.
    """
    answer = SocketClient().call_method("conductor_explain_event", sequence=args.sequence)
    trace, explanation = answer["trace"], answer["explanation"]
    if trace is None:
        raise ConductorError("no such event in the history; play something and try again")
    if args.json:
        print(json.dumps({**trace, "explanation": explanation}))
        return 0
    event = trace["event"]
    profile = f", profile {trace['profile']}" if trace["profile"] else ""
    words = describe_event_row(event)
    print(f"event {trace['sequence']}: {words} from {event['device'] or 'Conductor'}")
    print(f"mode {trace['mode']}{profile}")
    print(f"{_capitalize_first_letter(explanation['verdict'])}.")
    if explanation["what_would_change"]:
        print(f"To change that: {explanation['what_would_change']}.")
    for moment in explanation["timeline"]:
        print(f"{moment['time_ms']:8.0f} ms  {moment['text']}")
        for decision in moment["decisions"]:
            print(f"{'':13}{decision}")
    for effect in trace["effects"]:
        print(f"{effect['kind']}: {describe_action(effect['action'])}")
    return 0


def _capitalize_first_letter(text: str) -> str:
    return text[:1].upper() + text[1:]
