"""`conductor learn --profile`: a minute of playing becomes a device profile."""

import argparse
import json
import sys
import threading
from typing import Any

from conductor.base.clock import now
from conductor.base.paths import home
from conductor.cli.client import Client
from conductor.domain.device_profile import DeviceProfile, Role
from conductor.domain.trace import event_from_plain
from conductor.errors import InvalidParams

LISTEN_MS = 600_000
ASKED: tuple[tuple[Role, str], ...] = (
    ("pad", "Press every pad once: from the lower left, row by row."),
    ("knob", "Turn every knob or encoder both ways: from the upper left, row by row."),
    ("fader", "Move every fader to both ends: from left to right."),
    ("button", "Press every button: from the upper left. Then the first three again."),
)
AGAIN = "Choose the next bank and play the same controls again in the same order."
Plain = dict[str, Any]


def run(args: argparse.Namespace) -> int:
    """Ask for one kind of control after another, then print the profile or keep it."""
    client = Client()
    client.call("conductor_start_midi_learn", timeout_ms=LISTEN_MS)
    begun = now()
    try:
        steps = _listen(args.seconds) if args.seconds is not None else _guide(begun)
    finally:
        learned = client.call("conductor_stop_midi_learn")
    ports = {
        one["device_id"]: one["port_name"]
        for one in client.call("conductor_list_devices")["devices"]
        if one["kind"] != "midi_output"
    }
    return _give(args, _profile(args, learned["events"], steps, ports))


def _listen(seconds: float) -> list[tuple[float, Role | None, int]]:
    """Wait while everything is played in one go."""
    _say(
        "Play every control once, with a pause between blocks. "
        f"Listening for {seconds:g} s; Ctrl+C ends sooner."
    )
    try:
        threading.Event().wait(seconds)
    except KeyboardInterrupt:
        pass
    return []


def _guide(begun: float) -> list[tuple[float, Role | None, int]]:
    """Ask for the kinds of controls, then for more banks for as long as there are any."""
    _say("Mappings go on acting. Enter ends a step; where there is nothing, press Enter at once.")
    steps: list[tuple[float, Role | None, int]] = []
    for role, text in ASKED:
        steps.append((now() - begun, role, 1))
        if not _enter(text):
            return steps
    bank = 2
    while _yes("Has it another bank or layer? y/N"):
        steps.append((now() - begun, None, bank))
        if not _enter(AGAIN):
            return steps
        bank += 1
    return steps


def _say(text: str) -> None:
    """Speak beside the profile, which may go into a file."""
    print(text, file=sys.stderr, flush=True)


def _enter(text: str) -> bool:
    _say(f"{text} [Enter]")
    return sys.stdin.readline() != ""


def _yes(text: str) -> bool:
    _say(text)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _profile(
    args: argparse.Namespace,
    heard: list[Plain],
    steps: list[tuple[float, Role | None, int]],
    ports: dict[str, str],
) -> DeviceProfile:
    from conductor.profiles.catalog import load_catalog
    from conductor.profiles.control_groups import Step
    from conductor.profiles.played_profile import most_played, played_profile

    events = [event_from_plain(one) for one in heard]
    device = args.device or most_played(events)
    own = [event for event in events if event.device == device]
    if device and not own:
        raise InvalidParams(
            f"nothing came from {device!r}; `conductor devices` lists what is there"
        )
    asked = [Step(*one) for one in steps]
    return played_profile(own, args.name or "", ports.get(device, ""), load_catalog(home()), asked)


def _give(args: argparse.Namespace, profile: DeviceProfile) -> int:
    from conductor.knowledge.library import KnowledgeBase
    from conductor.profiles.toml_text import to_toml

    text = to_toml(profile)
    if args.output:
        args.output.write_text(text, encoding="utf-8")
    if args.save:
        KnowledgeBase(home()).add_profile(text)
    if args.json:
        print(json.dumps({"profile": profile.to_plain(), "toml": text}))
    elif args.output or args.save:
        where = args.output or home() / "knowledge" / "devices" / f"{profile.id}.toml"
        print(f"{profile.maker} {profile.model}: {profile.summary} Written to {where}.")
    else:
        print(text, end="")
    return 0
