"""`conductor learn`: listens to what the user plays, and suggests triggers or creates a device profile."""

import argparse
import json
import threading

from conductor.cli.client import SocketClient
from conductor.errors import InvalidParams


def run(args: argparse.Namespace) -> int:
    """Listen for some seconds, then print the events and the triggers that they suggest, best first.

    Return the exit code.
    """
    if args.profile:
        from conductor.cli import learn_profile

        return learn_profile.run(args)
    if args.name or args.device or args.output or args.save:
        raise InvalidParams("--name, --device, --output and --save need --profile")
    seconds = 10.0 if args.seconds is None else args.seconds
    client = SocketClient()
    client.call_method("conductor_start_midi_learn", timeout_ms=int(seconds * 1000))
    if not args.json:
        print(f"Touch a control. Listening for {seconds:g} s; Ctrl+C to stop.", flush=True)
    try:
        threading.Event().wait(seconds)
    except KeyboardInterrupt:
        pass
    learned = client.call_method("conductor_stop_midi_learn")
    if args.json:
        print(json.dumps(learned))
        return 0
    for event in learned["events"][:40]:
        print(f"{event['time']:8.3f} s  {event['device']:<20} {event['text']}")
    if len(learned["events"]) > 40:
        print(f"... and {len(learned['events']) - 40} more")
    for suggestion in learned["suggestions"]:
        print(f"\n{suggestion['why']}:\n  trigger = {_format_inline_table(suggestion['trigger'])}")
    if learned["suggestions"]:
        print(
            "\nTo map the control, add a trigger and an action below `[[modes.mappings]]` in config.toml."
        )
    if not learned["events"]:
        print("No events received. `conductor devices` lists the connected devices.")
    return 0


def _format_inline_table(trigger: dict[str, object]) -> str:
    """Return a trigger as an inline table for `config.toml`."""
    fields = ", ".join(f"{key} = {json.dumps(value)}" for key, value in trigger.items())
    return f"{{ {fields} }}".replace("True", "true").replace("False", "false")
