"""Configs for the measurements: one mapping for each note of each channel."""

import os
from pathlib import Path

ENGINE = """\
[settings.engine]
open_inputs = "{open_inputs}"
gamepads = false
virtual_controller = "off"
history_minutes = 1
"""


def note_to_cc(note: int, channel: int, value: str = '{ from = "value" }') -> str:
    """Give the mapping that answers a note with the CC of its number, on its channel."""
    return f"""
[[global_mappings]]
trigger = {{ type = "Note", note = {note}, channel = {channel} }}
action = {{ type = "SendMidi", port = "Conductor Out", message_type = "CC", channel = {channel}, controller = {note}, value = {value} }}
"""


def config_text(mappings: int, *, answer: int | None = None, open_inputs: str = "configured") -> str:
    """Give a config; with `answer`, note 0 of channel 1 is answered by that value, whatever its velocity."""
    rows = [note_to_cc(i % 128, i // 128 % 16 + 1) for i in range(min(mappings, 2048))]
    if answer is not None:
        rows[0] = note_to_cc(0, 1, str(answer))
    rows += [device_note_to_cc(i) for i in range(2048, mappings)]
    return ENGINE.format(open_inputs=open_inputs) + "".join(rows)


def device_note_to_cc(number: int) -> str:
    """Give a mapping of a device that is not there, for configs with more rows than MIDI has notes."""
    row = note_to_cc(number % 128, number // 128 % 16 + 1)
    return row.replace('type = "Note"', f'type = "Note", device = "unit {number // 2048}"')


def write_config(home: Path, mappings: int, *, answer: int | None = None, open_inputs: str = "configured") -> None:
    """Put a config into a home by rename, as editors save."""
    fresh = prepare_config(home, mappings, answer=answer, open_inputs=open_inputs)
    fresh.replace(home / "config.toml")


def prepare_config(home: Path, mappings: int, *, answer: int | None = None, open_inputs: str = "configured") -> Path:
    """Write a config beside its place, to be renamed into it."""
    home.chmod(0o700)
    fresh = home / f"fresh-{os.getpid()}.tmp"
    fresh.write_text(config_text(mappings, answer=answer, open_inputs=open_inputs))
    return fresh
