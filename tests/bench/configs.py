"""Configs for the measurements: one mapping for each note of each channel."""

import os
from pathlib import Path

CHANNELS = 15
"""Those that streams are played on; the probe has the last one to itself."""
PROBE_CHANNEL, PROBE_NOTE = 16, 0

ENGINE = """\
[settings.engine]
open_inputs = "{open_inputs}"
gamepads = false
virtual_controller = "off"
history_minutes = 1
"""


def note_to_cc(note: int, channel: int, value: str = '{ from = "value" }') -> str:
    """Return the mapping that answers a note with the CC of its number, on its channel."""
    message = f'message_type = "CC", channel = {channel}, controller = {note}, value = {value}'
    return f"""
[[global_mappings]]
trigger = {{ type = "Note", note = {note}, channel = {channel} }}
action = {{ type = "SendMidi", port = "Conductor Out", {message} }}
"""


def config_text(
    mappings: int, *, answer: int | None = None, open_inputs: str = "configured"
) -> str:
    """Return a config; with `answer`, the last row is the probe's, answered by that value."""
    rows = [_row(number) for number in range(mappings)]
    if answer is not None:
        rows[-1] = note_to_cc(PROBE_NOTE, PROBE_CHANNEL, str(answer))
    units = [_unit(number) for number in range(1, (mappings - 1) // (128 * CHANNELS) + 1)]
    return ENGINE.format(open_inputs=open_inputs) + "".join([*units, *rows])


def _unit(number: int) -> str:
    """Return the device of rows past the channels' end: undeclared, each of them would be warned of."""
    matcher = f'{{ type = "NameContains", pattern = "unit {number}" }}'
    return f'\n[[devices]]\nalias = "unit {number}"\nmatchers = [{matcher}]\n'


def _row(number: int) -> str:
    """Return a mapping; past the channels' end, of a device that is not there."""
    unit, place = divmod(number, 128 * CHANNELS)
    row = note_to_cc(place % 128, place // 128 + 1)
    return row.replace('type = "Note"', f'type = "Note", device = "unit {unit}"') if unit else row


def write_config(
    home: Path, mappings: int, *, answer: int | None = None, open_inputs: str = "configured"
) -> None:
    """Put a config into a home by rename, as editors save."""
    fresh = prepare_config(home, mappings, answer=answer, open_inputs=open_inputs)
    fresh.replace(home / "config.toml")


def prepare_config(
    home: Path, mappings: int, *, answer: int | None = None, open_inputs: str = "configured"
) -> Path:
    """Write a config beside its place, to be renamed into it."""
    home.chmod(0o700)
    fresh = home / f"fresh-{os.getpid()}.tmp"
    fresh.write_text(config_text(mappings, answer=answer, open_inputs=open_inputs))
    return fresh
