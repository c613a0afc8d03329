"""Reads controller compartments of ReaLearn: JSON presets, and exports as JSON or Lua."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from conductor.domain.device_profile import ControlMessage, ValueEncoding
from conductor.profiles.controller_files.controls import (
    MAX_IMPORTED_CONTROLS,
    ControllerFile,
    FoundControl,
    build_control,
    build_device_name,
    build_import_error,
    clean_imported_name,
    drop_repeated_controls,
    format_count,
)
from conductor.profiles.controller_files.lua_table import read_lua_table

PROGRAM_NAME = "ReaLearn"
_MESSAGE_BY_TYPE_NUMBER: dict[int, ControlMessage] = {
    0: "cc",
    1: "note",
    3: "pitch_bend",
    4: "channel_pressure",
    5: "program_change",
    6: "nrpn",
}
"""The message for each number of a source type in JSON presets."""
_MESSAGE_BY_TYPE_NAME: dict[str, tuple[ControlMessage, str | None]] = {
    "MidiControlChangeValue": ("cc", "controller_number"),
    "MidiNoteVelocity": ("note", "key_number"),
    "MidiPitchBendChangeValue": ("pitch_bend", None),
    "MidiChannelPressureAmount": ("channel_pressure", None),
    "MidiParameterNumberValue": ("nrpn", "number"),
}
"""The message for each kind of source in exports, with the name of the field that contains its number."""
_ENCODING_BY_CHARACTER: dict[Any, ValueEncoding] = {
    2: "twos_complement",
    3: "offset_64",
    4: "sign_magnitude",
    "Relative1": "twos_complement",
    "Relative2": "offset_64",
    "Relative3": "sign_magnitude",
}
_BUTTON_CHARACTERS = (1, 5, "Button", "StatefulButton")


def read_json_compartment(text: str, name: str) -> ControllerFile:
    """Return the controls of a ReaLearn compartment that is given as JSON.

    Raises:
        InvalidParams: the text is not JSON, or not a compartment with MIDI sources.
    """
    try:
        return _read_compartment(json.loads(text), name)
    except RecursionError:
        raise build_import_error(name, "its lists and objects are nested too deeply") from None
    except ValueError as error:
        raise build_import_error(
            name, f"it is not valid JSON ({error}); export it again from ReaLearn"
        ) from None


def read_lua_compartment(text: str, name: str) -> ControllerFile:
    """Return the controls of a ReaLearn compartment that is given as Lua, which must be a plain table.

    Raises:
        InvalidParams: the text is a program, or not a compartment with MIDI sources.
    """
    return _read_compartment(read_lua_table(text, name), name)


def _read_compartment(raw: Any, name: str) -> ControllerFile:
    value = raw.get("value", raw) if isinstance(raw, Mapping) else raw
    mappings = value.get("mappings") if isinstance(value, Mapping) else value
    if not isinstance(mappings, Sequence) or isinstance(mappings, str):
        raise build_import_error(
            name,
            "it has no list of mappings; in ReaLearn, select the controller compartment and export it "
            "as JSON or as Lua",
        )
    found = [_read_mapping(mapping) for mapping in mappings[: 4 * MAX_IMPORTED_CONTROLS]]
    controls, repeated = drop_repeated_controls(control for control in found if control is not None)
    if not controls:
        raise build_import_error(
            name,
            "none of its mappings has a MIDI source; export the controller compartment, not the main "
            "compartment",
        )
    title = raw.get("name") if isinstance(raw, Mapping) else None
    return ControllerFile(
        PROGRAM_NAME,
        clean_imported_name(title if isinstance(title, str) else "") or build_device_name(name),
        tuple(controls),
        (
            *format_count(
                found.count(None),
                "One mapping has no MIDI message that Conductor knows.",
                "{} mappings have no MIDI message that Conductor knows.",
            ),
            *format_count(
                repeated,
                "One further mapping of a control was left out.",
                "{} further mappings of controls were left out.",
            ),
        ),
    )


def _read_mapping(mapping: Any) -> FoundControl | None:
    source = mapping.get("source") if isinstance(mapping, Mapping) else None
    if not isinstance(source, Mapping):
        return None
    named = "kind" in source
    message, number = _read_named_source(source) if named else _read_numbered_source(source)
    channel = source.get("channel")
    if message is None or number is None or not (channel is None or _is_integer(channel)):
        return None
    character = source.get("character")
    is_known = isinstance(character, int | str)
    encoding = _ENCODING_BY_CHARACTER.get(character) if is_known and message == "cc" else None
    return build_control(
        message,
        number,
        None if channel is None or channel < 0 else channel + 1,
        _get_control_name(mapping),
        role="button" if is_known and character in _BUTTON_CHARACTERS and message == "cc" else None,
        encoding=encoding,
    )


def _read_numbered_source(source: Mapping[str, Any]) -> tuple[ControlMessage | None, int | None]:
    """Return the message and the number of a source in a preset, where fields with
    default values are missing.
    """
    if source.get("category", "midi") != "midi":
        return None, None
    kind = source.get("type", 0)
    message = _MESSAGE_BY_TYPE_NUMBER.get(kind) if _is_integer(kind) else None
    if message in ("pitch_bend", "channel_pressure"):
        return message, 0
    if message == "nrpn" and source.get("isRegistered"):
        return None, None
    number = source.get("number")
    return message, number if _is_integer(number) else None


def _read_named_source(source: Mapping[str, Any]) -> tuple[ControlMessage | None, int | None]:
    """Return the message and the number of a source in an export."""
    kind = source.get("kind")
    message, field = (
        _MESSAGE_BY_TYPE_NAME.get(kind, (None, None)) if isinstance(kind, str) else (None, None)
    )
    if message == "nrpn" and source.get("registered"):
        return None, None
    number = 0 if field is None else source.get(field)
    return message, number if _is_integer(number) else None


def _get_control_name(mapping: Mapping[str, Any]) -> str:
    """Return the name of a mapping or, if it has none, the virtual control that it stands for."""
    name, target = mapping.get("name"), mapping.get("target")
    if isinstance(name, str) and name.strip():
        return name
    control = None
    if isinstance(target, Mapping):
        control = target.get("controlElementIndex", target.get("id"))
    return str(control) if isinstance(control, int | str) and str(control) else ""


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
