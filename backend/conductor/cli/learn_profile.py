"""`conductor learn --profile`: creates a device profile from what the user plays."""

import argparse
import json
import sys
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from conductor.base.clock import now
from conductor.base.paths import get_home_folder
from conductor.cli.client import SocketClient
from conductor.domain.wire_rows import EventRow, event_from_plain
from conductor.errors import InvalidParams

# not imported at run time, because the import would take longer than the rest of the command
if TYPE_CHECKING:
    from conductor.domain.device_profile import ControlRole, DeviceProfile, Group
    from conductor.profiles.control_groups import LearnStep

CAPTURE_TIMEOUT_MS = 600_000
PROMPT_BY_CONTROL_ROLE: "tuple[tuple[ControlRole, str], ...]" = (
    ("pad", "Press every pad once, row by row, starting at the lower left."),
    (
        "knob",
        "Turn every knob or encoder to the right and back, row by row, starting at the upper left.",
    ),
    ("fader", "Move every fader to both ends, from left to right."),
    ("button", "Press every button, starting at the upper left, then the first three again."),
)
NEXT_BANK_PROMPT = "Switch to the next bank and play the same controls in the same order."
MIN_CONTROLS_WITH_ROWS = 6
"""The smallest number of controls of a kind for which the user is asked about rows, because fewer are
mostly in one row.
"""
ROLES_IN_ROWS: "tuple[ControlRole, ...]" = ("pad", "button", "knob", "encoder")


class _PlayedSteps(NamedTuple):
    """What the user was asked to play, and the numbers of columns that the user gave, by group."""

    steps: "list[LearnStep]"
    """The steps, with times of this process's clock."""
    group_columns: dict[str, int]

    def shift_to(self, started_at: float) -> "list[LearnStep]":
        """Return the steps with times that count from the start of the capture."""
        return [step._replace(at=step.at - started_at) for step in self.steps]


def run(args: argparse.Namespace) -> int:
    """Ask the user to play each kind of control, then print or save the device profile.

    Return the exit code.
    """
    client = SocketClient()
    client.call_method("conductor_start_midi_learn", timeout_ms=CAPTURE_TIMEOUT_MS)
    played = _PlayedSteps([], {})
    try:
        if args.seconds is not None:
            _wait_for_unguided_play(args.seconds)
        else:
            _guide_user(played)
            _ask_about_details(args, client, played)
    finally:
        learned = client.call_method("conductor_stop_midi_learn")
    return _write_profile(args, _infer_profile(args, client, learned, played))


def _wait_for_unguided_play(seconds: float) -> None:
    """Wait while the user plays all controls of the device in any order."""
    _print_prompt(
        "Play every control once, with a pause between groups. "
        f"Listening for {seconds:g} s; Ctrl+C to stop."
    )
    try:
        threading.Event().wait(seconds)
    except KeyboardInterrupt:
        pass


def _guide_user(played: _PlayedSteps) -> None:
    """Ask the user to play each kind of control, then the controls of further banks, and record when each
    step starts.
    """
    from conductor.profiles.control_groups import LearnStep

    _print_prompt("Mappings stay active. Press Enter to finish a step, or to skip it.")
    for role, text in PROMPT_BY_CONTROL_ROLE:
        played.steps.append(LearnStep(now(), role))
        if not _wait_for_enter(text):
            return
    bank = 2
    while _ask_yes_no("Does the device have another bank or layer? [y/N]"):
        played.steps.append(LearnStep(now(), None, bank))
        if not _wait_for_enter(NEXT_BANK_PROMPT):
            return
        bank += 1


def _ask_about_details(
    args: argparse.Namespace, client: SocketClient, played: _PlayedSteps
) -> None:
    """Ask the user for details that the played events do not show: which way is clockwise, and the number
    of columns.
    """
    from conductor.profiles.control_groups import LearnStep
    from conductor.profiles.inference import list_uncertain_turns

    captured = client.call_method("conductor_get_captured_events")
    if not captured["events"]:
        return
    profile = _infer_profile(args, client, captured, played)
    for group in list_uncertain_turns(profile):
        played.steps.append(LearnStep(now(), turn_right=True))
        name = group.name.format(n=1)
        if not _wait_for_enter(f"Turn {name} to the right only, a few steps."):
            return
    for group in profile.variants[0].groups:
        is_asked = group.role in ROLES_IN_ROWS and group.bank in (None, "Bank A")
        if is_asked and len(group.numbers) >= MIN_CONTROLS_WITH_ROWS:
            _ask_for_columns(group, played.group_columns)


def _ask_for_columns(group: "Group", group_columns: dict[str, int]) -> None:
    count = len(group.numbers)
    name = group.name.format(n=f"1 to {count}")
    _print_prompt(f"How many are side by side in a row: {name}? [{group.columns}]")
    answer = sys.stdin.readline().strip()
    if answer.isdecimal() and int(answer) > 0 and count % int(answer) == 0:
        group_columns[group.id] = int(answer)
    elif answer:
        _print_prompt(f"{count} controls cannot be in rows of {answer}; {group.columns} is used.")


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
    args: argparse.Namespace, client: SocketClient, captured: Any, played: _PlayedSteps
) -> "DeviceProfile":
    """Infer the profile from captured events.

    Event times count from the start of the capture, which is before the response to the call that started it.
    With the time of the response, an event could be assigned to the step after the right one.
    """
    from conductor.profiles.catalog import load_catalog
    from conductor.profiles.played_profile import build_played_profile, find_most_played_device

    rows: list[EventRow] = captured["events"]
    events = [event_from_plain(row) for row in rows]
    device = args.device or find_most_played_device(events)
    device_events = [event for event in events if event.device == device]
    if device and not device_events:
        raise InvalidParams(
            f"no events from {device!r}; `conductor devices` lists the connected devices"
        )
    ports = {
        device["device_id"]: device["port_name"]
        for device in client.call_method("conductor_list_devices")["devices"]
        if device["kind"] != "midi_output"
    }
    return build_played_profile(
        device_events,
        args.name or "",
        ports.get(device, ""),
        load_catalog(get_home_folder()),
        played.shift_to(captured["started_at"]),
        played.group_columns,
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
