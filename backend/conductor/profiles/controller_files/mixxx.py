"""Reads controller files of Mixxx: the bindings in `*.midi.xml`, and constant addresses in `*.midi.js`."""

from collections import Counter
from itertools import chain
from typing import NamedTuple
from xml.etree.ElementTree import Element

from conductor.domain.device_profile import ControlMessage, ValueEncoding
from conductor.profiles.controller_files.controls import (
    ControllerFile,
    FoundControl,
    OnOffLight,
    build_control,
    build_device_name,
    build_import_error,
    clean_imported_name,
    drop_repeated_controls,
    format_count,
    format_identifier_as_name,
)
from conductor.profiles.controller_files.script_tokens import (
    ScriptToken,
    parse_integer,
    tokenize_javascript,
)

XML_ROOT_TAGS = ("MixxxControllerPreset", "MixxxMIDIPreset")
PROGRAM_NAME = "Mixxx"
_MESSAGE_BY_STATUS: dict[int, ControlMessage] = {
    0x80: "note",
    0x90: "note",
    0xB0: "cc",
    0xC0: "program_change",
    0xD0: "channel_pressure",
    0xE0: "pitch_bend",
}
_NUMBERED_MESSAGES: tuple[ControlMessage, ...] = ("note", "cc", "program_change")
_ENCODING_BY_OPTION: dict[str, ValueEncoding] = {
    "selectknob": "twos_complement",
    "diff": "twos_complement",
    "hercjog": "twos_complement",
    "hercjogfast": "twos_complement",
    "rot64": "offset_64",
    "rot64fast": "offset_64",
}
"""The encoding for each option of Mixxx that states it; `rot64inv` and `spread64` leave the direction open."""
LOW_BYTE_OPTION = "fourteen-bit-lsb"
DEFAULT_ON_VALUE, DEFAULT_OFF_VALUE = 0x7F, 0x00
"""The values that Mixxx sends to a light if its file does not state them."""


class _Binding(NamedTuple):
    """A control in a file of Mixxx, with the group that its function belongs to, such as `Channel1`."""

    control: FoundControl
    group: str
    is_release: bool


def read_mixxx_mapping(root: Element, name: str) -> ControllerFile:
    """Return the controls in a `*.midi.xml` file, with their messages, names, encodings and lights.

    Raises:
        InvalidParams: the file describes no MIDI controls.
    """
    controller = root.find("controller")
    if controller is None or controller.find("controls/control") is None:
        raise build_import_error(
            name,
            "it binds no MIDI controls. Files for HID devices (*.hid.xml) cannot be imported; if the "
            "bindings are made in its script, import the *.midi.js file",
        )
    rows = controller.findall("controls/control")
    low_parts = [row for row in rows if LOW_BYTE_OPTION in _list_binding_options(row)]
    bindings = [_read_binding(row) for row in rows if row not in low_parts]
    known = [binding for binding in bindings if binding is not None]
    pressed = [binding for binding in known if not binding.is_release]
    released = {binding.control.message_key for binding in known if binding.is_release}
    keys = {binding.control.message_key for binding in pressed}
    alone = [one for one in known if one.is_release and one.control.message_key not in keys]
    lights, unlit = _read_lights(controller.findall("outputs/output"), keys)
    unique = list({one.control.message_key: one for one in reversed([*pressed, *alone])}.values())[
        ::-1
    ]
    controls = [
        one._replace(
            release="note_off" if one.message_key in released else None,
            light=lights.get(one.message_key),
        )
        for one in _name_controls_by_group(unique)
    ]
    info = root.find("info")
    title = _get_child_text(info, "name") or controller.get("id", "")
    scripts = [file.get("filename", "") for file in controller.findall("scriptfiles/file")]
    not_understood = (
        format_count(
            len(bindings) - len(known),
            "One binding has no message that Conductor knows.",
            "{} bindings have no message that Conductor knows.",
        ),
        format_count(
            len(low_parts),
            "The low part of a 14-bit control was left out.",
            "The low parts of {} 14-bit controls were left out.",
        ),
        format_count(
            len(pressed) + len(alone) - len(unique),
            "One further function of a control was left out.",
            "{} further functions of controls were left out.",
        ),
        format_count(
            unlit,
            "One light was left out: it has more than one colour, or no control of its own.",
            "{} lights were left out: they have more than one colour, or no control of their own.",
        ),
        _describe_unread_scripts(scripts),
    )
    return ControllerFile(
        PROGRAM_NAME,
        clean_imported_name(title) or build_device_name(name),
        tuple(controls),
        tuple(chain.from_iterable(not_understood)),
    )


def read_mixxx_script(text: str, name: str) -> ControllerFile:
    """Return the controls whose addresses are constants in a `*.midi.js` file.

    Raises:
        InvalidParams: the file gives no constant address.
    """
    tokens = tokenize_javascript(text)
    controls: list[FoundControl] = []
    computed = 0
    target = ""
    for at, token in enumerate(tokens):
        if token.kind == "name" and at + 2 < len(tokens) and tokens[at + 1].text in (":", "="):
            target = token.text if tokens[at + 2].text == "new" else target
        if token.text != "[" or not _opens_midi_address(tokens, at):
            continue
        found = _read_midi_address(tokens, at, target)
        computed += found is None
        controls += [found] if found else []
    unique, _ = drop_repeated_controls(controls)
    if not unique:
        raise build_import_error(
            name,
            "its script gives no MIDI address as a constant; import the *.midi.xml file that belongs to it",
        )
    return ControllerFile(
        PROGRAM_NAME,
        build_device_name(name),
        tuple(unique),
        tuple(
            format_count(
                computed,
                "One MIDI address is computed by the script, which is not run.",
                "{} MIDI addresses are computed by the script, which is not run.",
            )
        ),
    )


def _read_binding(row: Element) -> _Binding | None:
    """Return the control that a binding in the file describes, or None if its message is unknown."""
    status = parse_integer(_get_child_text(row, "status")) or 0
    message = _MESSAGE_BY_STATUS.get(status & 0xF0)
    number = parse_integer(_get_child_text(row, "midino")) if message in _NUMBERED_MESSAGES else 0
    if message is None or number is None or status > 0xFF:
        return None
    options = _list_binding_options(row)
    encodings: list[ValueEncoding] = [
        _ENCODING_BY_OPTION[option] for option in _ENCODING_BY_OPTION if option in options
    ]
    control = build_control(
        message,
        number,
        (status & 0x0F) + 1,
        _get_child_text(row, "description") or _format_binding_key(_get_child_text(row, "key")),
        role="button" if message == "cc" and options & {"button", "switch"} else None,
        encoding=encodings[0] if encodings and message == "cc" else None,
    )
    group = clean_imported_name(_get_child_text(row, "group").strip("[]"))
    return None if control is None else _Binding(control, group, status & 0xF0 == 0x80)


def _list_binding_options(row: Element) -> set[str]:
    return {option.tag.lower() for option in row.iterfind("options/*")}


def _format_binding_key(key: str) -> str:
    """Return the name of a bound function for display, without the object that the function belongs to."""
    return format_identifier_as_name(key.rpartition(".")[2])


def _name_controls_by_group(bindings: list[_Binding]) -> list[FoundControl]:
    """Return the controls; names that several of them share begin with their group: `Channel1: Play`."""
    counts = Counter(binding.control.name for binding in bindings)
    return [
        control._replace(name=clean_imported_name(f"{group}: {control.name}"))
        if group and counts[control.name] > 1
        else control
        for control, group, _ in bindings
    ]


def _read_lights(
    rows: list[Element], controls: set[tuple[ControlMessage, int, int | None]]
) -> tuple[dict[object, OnOffLight], int]:
    """Return the light of each control that has exactly one pair of values, and the number of other lights."""
    values: dict[object, set[OnOffLight]] = {}
    unlit = 0
    for row in rows:
        status = parse_integer(_get_child_text(row, "status")) or 0
        message = _MESSAGE_BY_STATUS.get(status & 0xF0)
        number = parse_integer(_get_child_text(row, "midino"))
        on = parse_integer(_get_child_text(row, "on"), DEFAULT_ON_VALUE)
        off = parse_integer(_get_child_text(row, "off"), DEFAULT_OFF_VALUE)
        key = (message, number, (status & 0x0F) + 1)
        is_value = all(value is not None and 0 <= value <= 127 for value in (on, off))
        if message in ("note", "cc") and key in controls and is_value:
            values.setdefault(key, set()).add(OnOffLight(on or 0, off or 0))
        else:
            unlit += 1
    several = sum(len(pairs) > 1 for pairs in values.values())
    return {key: next(iter(pairs)) for key, pairs in values.items() if len(pairs) == 1}, (
        unlit + several
    )


def _describe_unread_scripts(files: list[str]) -> list[str]:
    named = ", ".join(name for file in files[:8] if (name := clean_imported_name(file)))
    return [f"What the scripts do was not read: {named}."] if named else []


def _get_child_text(element: Element | None, tag: str) -> str:
    found = None if element is None else element.find(tag)
    return "" if found is None or found.text is None else found.text.strip()


def _opens_midi_address(tokens: list[ScriptToken], at: int) -> bool:
    """Return whether a bracket begins the address of a component: `midi: [` or `new components.Button([`."""
    if [token.text for token in tokens[max(0, at - 2) : at]] == ["midi", ":"]:
        return True
    name = at - 2
    if name < 1 or tokens[at - 1].text != "(" or tokens[name].kind != "name":
        return False
    while name >= 3 and tokens[name - 1].text == "." and tokens[name - 2].kind == "name":
        name -= 2
    return tokens[name - 1].text == "new"


def _read_midi_address(tokens: list[ScriptToken], at: int, target: str) -> FoundControl | None:
    parts = tokens[at + 1 : at + 5]
    if [part.kind for part in parts[::2]] != ["number", "number"] or [
        part.text for part in parts[1::2]
    ] != [",", "]"]:
        return None
    status, number = parse_integer(parts[0].text) or 0, parse_integer(parts[2].text)
    message = _MESSAGE_BY_STATUS.get(status & 0xF0)
    if message is None or number is None or status > 0xFF:
        return None
    return build_control(
        message,
        number if message in _NUMBERED_MESSAGES else 0,
        (status & 0x0F) + 1,
        format_identifier_as_name(target),
    )
