"""Migrates the tables of older configs to the current version, one step after another.

The first Conductor (and midimon before it) had one `[device]`, timings of all gestures in
`[advanced_settings]`, MIDI channels counted from 0, and tables for logging and lights. Renamed kinds and
fields need no step: the models accept their older names as aliases.
"""

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

from conductor.base.json_types import JsonObject
from conductor.domain.config import CONFIG_VERSION
from conductor.errors import ConfigError

MigrationStep = Callable[[JsonObject], list[str]]

_OBSOLETE_TABLES = {
    "logging": "logs are set on the command line",
    "led_settings": "lights are set by Led actions",
    "led_feedback": "lights are set by Led actions",
}
_OLD_FORMAT_KEYS = ("device", "advanced_settings", *_OBSOLETE_TABLES)
_TIMING_FIELDS = (
    ("chord_timeout_ms", ("NoteChord", "Chord", "GamepadButtonChord"), "timeout_ms"),
    ("double_tap_timeout_ms", ("DoubleTap",), "timeout_ms"),
    ("hold_threshold_ms", ("LongPress",), "duration_ms"),
)
_FIELD_SPELLINGS = {
    "timeout_ms": ("max_interval_ms", "double_tap_timeout_ms"),
    "duration_ms": ("min_duration_ms", "hold_duration_ms"),
}


def migrate_tables(raw: JsonObject) -> tuple[JsonObject, tuple[str, ...]]:
    """Return the tables of a config in the current format, and one note for the user about each migration.

    Raises:
        ConfigError: the tables were written by a newer Conductor.
    """
    version = raw.get("version", CONFIG_VERSION)
    if isinstance(version, int) and version > CONFIG_VERSION:
        message = f"made by a newer Conductor (version {version}); update Conductor to use it"
        raise ConfigError(message)
    if not any(mark in raw for mark in _OLD_FORMAT_KEYS):
        return raw, ()
    tree = copy.deepcopy(raw)
    return tree, tuple(note for step in MIGRATION_STEPS for note in step(tree))


def _convert_device_table(tree: JsonObject) -> list[str]:
    device = tree.pop("device", None)
    if device is None:
        return []
    name = device.get("name") if isinstance(device, dict) else device
    alias = re.sub(r"[:\x00-\x1f]", " ", name).strip()[:64] if isinstance(name, str) else ""
    if not alias:
        return ["[device] has no name: it is ignored, and every device is used"]
    key = "bindings" if "bindings" in tree else "devices"
    rows = tree.setdefault(key, [])
    if not isinstance(rows, list):
        return [f"[device] is ignored: there is already `{key}`"]
    if not any(isinstance(row, dict) and row.get("alias") == alias for row in rows):
        rows.append({"alias": alias, "matchers": [{"type": "NameContains", "pattern": name}]})
    return [f'[device] became [[{key}]] with the alias "{alias}"']


def _move_timings_to_triggers(tree: JsonObject) -> list[str]:
    settings = tree.pop("advanced_settings", None)
    if settings is None:
        return []
    notes = ["[advanced_settings] is ignored: each trigger has its own times"]
    for name, kinds, field in _TIMING_FIELDS:
        value = settings.get(name) if isinstance(settings, dict) else None
        if not isinstance(value, int) or value <= 0:
            continue
        without = [
            trigger
            for trigger in _iterate_triggers(tree)
            if trigger.get("type") in kinds
            and not any(other in trigger for other in (field, *_FIELD_SPELLINGS[field]))
        ]
        for trigger in without:
            trigger[field] = value
        if without:
            notes.append(f"{name} = {value} is now {field} of {len(without)} triggers")
    return notes


def _remove_obsolete_tables(tree: JsonObject) -> list[str]:
    return [
        f"[{name}] is ignored: {why}"
        for name, why in _OBSOLETE_TABLES.items()
        if tree.pop(name, None) is not None
    ]


def _count_channels_from_one(tree: JsonObject) -> list[str]:
    sends = [
        action
        for action in _iterate_actions(tree)
        if action.get("type") in ("SendMidi", "SendMIDI")
    ]
    numbered = [action for action in sends if type(action.get("channel")) is int]
    if not any(action["channel"] == 0 for action in numbered):
        return []
    for action in numbered:
        action["channel"] += 1
    return [f"MIDI channels now count from 1: {len(numbered)} SendMidi actions were raised by one"]


def _replace_mode_numbers(tree: JsonObject) -> list[str]:
    """Replace the mode number in ModeChange actions by the name of the mode."""
    modes: Any = tree.get("modes")
    rows = modes if isinstance(modes, list) else []
    names = [mode.get("name") for mode in rows if isinstance(mode, dict)]
    changed = 0
    for action in _iterate_actions(tree):
        number = action.get("mode")
        if action.get("type") == "ModeChange" and type(number) is int and 0 <= number < len(names):
            action["mode"] = names[number]
            changed += 1
    return [f"{changed} ModeChange actions now name their mode"] if changed else []


MIGRATION_STEPS: tuple[MigrationStep, ...] = (
    _convert_device_table,
    _move_timings_to_triggers,
    _remove_obsolete_tables,
    _count_channels_from_one,
    _replace_mode_numbers,
)


def _iterate_mappings(tree: JsonObject) -> Iterator[JsonObject]:
    owners = [tree.get("modes"), tree.get("profiles")]
    lists = [
        owner.get("mappings")
        for group in owners
        if isinstance(group, list)
        for owner in group
        if isinstance(owner, dict)
    ]
    for rows in (*lists, tree.get("global_mappings")):
        if isinstance(rows, list):
            yield from (row for row in rows if isinstance(row, dict))


def _iterate_triggers(tree: JsonObject) -> Iterator[JsonObject]:
    for mapping in _iterate_mappings(tree):
        trigger = mapping.get("trigger")
        while isinstance(trigger, dict):
            yield trigger
            trigger = trigger.get("trigger")  # a CompoundTrigger contains another trigger


def _iterate_actions(tree: JsonObject) -> Iterator[JsonObject]:
    waiting: list[Any] = [mapping.get("action") for mapping in _iterate_mappings(tree)]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
