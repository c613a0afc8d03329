"""`conductor learn --profile`: creates a device profile from what the user plays."""

import argparse
import json
import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from conductor.base.clock import now
from conductor.base.paths import get_home_folder
from conductor.cli.client import SocketClient
from conductor.domain.wire_rows import EventRow, event_from_plain
from conductor.errors import InvalidParams

if TYPE_CHECKING:  # importing it would take longer than the rest of the command
    from conductor.domain.device_profile import ControlRole, DeviceProfile

CAPTURE_TIMEOUT_MS = 600_000
PROMPT_BY_CONTROL_ROLE: "tuple[tuple[ControlRole, str], ...]" = (
    ("pad", "Press every pad once, row by row, starting at the lower left."),
    ("knob", "Turn every knob or encoder both ways, row by row, starting at the upper left."),
    ("fader", "Move every fader to both ends, from left to right."),
    ("button", "Press every button, starting at the upper left, then the first three again."),
)
NEXT_BANK_PROMPT = "Switch to the next bank and play the same controls in the same order."


def run(args: argparse.Namespace) -> int:
    """Ask the user to play each kind of control, then print or save the device profile."""
    client = SocketClient()
    client.call_method("conductor_start_midi_learn", timeout_ms=CAPTURE_TIMEOUT_MS)
    try:
        steps = _wait_for_unguided_play(args.seconds) if args.seconds is not None else _guide_user()
    finally:
        learned = client.call_method("conductor_stop_midi_learn")
    ports = {
        device["device_id"]: device["port_name"]
        for device in client.call_method("conductor_list_devices")["devices"]
        if device["kind"] != "midi_output"
    }
    # Event times count from the start of the capture, which is before the response to the call above. With
    # the time of the response, an event could be assigned to the step after the right one.
    started_at: float = learned["started_at"]
    relative_steps: list[tuple[float, ControlRole | None, int]] = [
        (at - started_at, role, bank) for at, role, bank in steps
    ]
    return _write_profile(args, _infer_profile(args, learned["events"], relative_steps, ports))


def _wait_for_unguided_play(seconds: float) -> "list[tuple[float, ControlRole | None, int]]":
    """Wait for `seconds` while the user plays all controls of the device, and return an empty list of steps."""
    _print_prompt(
        "Play every control once, with a pause between groups. "
        f"Listening for {seconds:g} s; Ctrl+C to stop."
    )
    try:
        threading.Event().wait(seconds)
    except KeyboardInterrupt:
        pass
    return []


def _guide_user() -> "list[tuple[float, ControlRole | None, int]]":
    """Ask the user to play each kind of control, and then the controls of further banks.

    Returns the steps as (start time in seconds, role, bank).
    """
    _print_prompt("Mappings stay active. Press Enter to finish a step, or to skip it.")
    steps: list[tuple[float, ControlRole | None, int]] = []
    for role, text in PROMPT_BY_CONTROL_ROLE:
        steps.append((now(), role, 1))
        if not _wait_for_enter(text):
            return steps
    bank = 2
    while _ask_yes_no("Does the device have another bank or layer? [y/N]"):
        steps.append((now(), None, bank))
        if not _wait_for_enter(NEXT_BANK_PROMPT):
            return steps
        bank += 1
    return steps


def _print_prompt(text: str) -> None:
    """Print a prompt to standard error, because standard output is for the profile and may be redirected."""
    print(text, file=sys.stderr, flush=True)


def _wait_for_enter(text: str) -> bool:
    _print_prompt(f"{text} [Enter]")
    return sys.stdin.readline() != ""


def _ask_yes_no(text: str) -> bool:
    _print_prompt(text)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _infer_profile(
    args: argparse.Namespace,
    rows: list[EventRow],
    steps: "Sequence[tuple[float, ControlRole | None, int]]",
    ports: dict[str, str],
) -> "DeviceProfile":
    from conductor.profiles.catalog import load_catalog
    from conductor.profiles.control_groups import LearnStep
    from conductor.profiles.played_profile import build_played_profile, find_most_played_device

    events = [event_from_plain(row) for row in rows]
    device = args.device or find_most_played_device(events)
    device_events = [event for event in events if event.device == device]
    if device and not device_events:
        raise InvalidParams(
            f"no events from {device!r}; `conductor devices` lists the connected devices"
        )
    guided = [LearnStep(*step) for step in steps]
    return build_played_profile(
        device_events,
        args.name or "",
        ports.get(device, ""),
        load_catalog(get_home_folder()),
        guided,
    )


def _write_profile(args: argparse.Namespace, profile: "DeviceProfile") -> int:
    from conductor.knowledge.library import KnowledgeBase
    from conductor.profiles.toml_text import render_profile_toml

    text = render_profile_toml(profile)
    if args.output:
        args.output.write_text(text, encoding="utf-8")
    if args.save:
        KnowledgeBase(get_home_folder()).add_profile(text)
    if args.json:
        print(json.dumps({"profile": profile.to_plain(), "toml": text}))
    elif args.output or args.save:
        path = args.output or get_home_folder() / "knowledge" / "devices" / f"{profile.id}.toml"
        print(f"{profile.maker} {profile.model}: {profile.summary} Written to {path}.")
    else:
        print(text, end="")
    return 0
