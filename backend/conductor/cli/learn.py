"""`conductor learn`: captures what is played and suggests triggers."""

import argparse
import json
import threading

from conductor.cli.client import Client


def run(args: argparse.Namespace) -> int:
    """Capture for a while, then print the events and the suggestions, best first."""
    client = Client()
    client.call("conductor_start_midi_learn", timeout_ms=int(args.seconds * 1000))
    if not args.json:
        print(f"Touch a control. Listening for {args.seconds:g} s; Ctrl+C ends sooner.", flush=True)
    try:
        threading.Event().wait(args.seconds)
    except KeyboardInterrupt:
        pass
    learned = client.call("conductor_stop_midi_learn")
    if args.json:
        print(json.dumps(learned))
        return 0
    for event in learned["events"][:40]:
        print(f"{event['time']:8.3f} s  {event['device']:<20} {event['text']}")
    if len(learned["events"]) > 40:
        print(f"... and {len(learned['events']) - 40} more")
    for suggestion in learned["suggestions"]:
        print(f"\n{suggestion['why']}:\n  trigger = {_inline(suggestion['trigger'])}")
    if not learned["events"]:
        print("Nothing was played. `conductor devices` shows what is plugged in.")
    return 0


def _inline(trigger: dict[str, object]) -> str:
    """Give a trigger as it is written in config.toml."""
    fields = ", ".join(f"{key} = {json.dumps(value)}" for key, value in trigger.items())
    return f"{{ {fields} }}".replace("True", "true").replace("False", "false")
