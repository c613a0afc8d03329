"""Reads MIDI binding maps of Ardour (`*.map`)."""

from xml.etree.ElementTree import Element

from conductor.domain.device_profile import Encoding, Message
from conductor.profiles.controller_files.controls import (
    ControllerFile,
    FoundControl,
    build_control,
    clean_name,
    count_as,
    drop_repeated,
    fail,
    format_identifier,
    name_after_file,
)
from conductor.profiles.controller_files.script_tokens import parse_integer

ROOT_TAG = "ArdourMIDIBindings"
PROGRAM = "Ardour"
_ATTRIBUTES: dict[str, tuple[Message, Encoding | None]] = {
    "note": ("note", None),
    "ctl": ("cc", None),
    "pgm": ("program_change", None),
    "pb": ("pitch_bend", None),
    "nrpn": ("nrpn", None),
    "nrpn-14": ("nrpn", None),
    "enc-2": ("cc", "twos_complement"),
    "enc-b": ("cc", "offset_64"),
    "enc-l": ("cc", None),
    "enc-r": ("cc", None),
}


def read_map(root: Element, name: str) -> ControllerFile:
    """Return the controls of a MIDI binding map, named by the functions that they are bound to.

    Raises:
        InvalidParams: the map binds no controls.
    """
    bindings = root.findall("Binding")
    found = [_read_binding(binding) for binding in bindings]
    controls, repeated = drop_repeated(control for control in found if control is not None)
    if not controls:
        raise fail(name, "it binds no controls; choose a map with `Binding` elements")
    return ControllerFile(
        PROGRAM,
        clean_name(root.get("name", "")) or name_after_file(name),
        tuple(controls),
        (
            *count_as(
                found.count(None),
                "One binding has no message that Conductor knows.",
                "{} bindings have no message that Conductor knows.",
            ),
            *count_as(
                repeated,
                "One further function of a control was left out.",
                "{} further functions of controls were left out.",
            ),
        ),
    )


def _read_binding(binding: Element) -> FoundControl | None:
    kind = next((name for name in _ATTRIBUTES if name in binding.attrib), None)
    channel = parse_integer(binding.get("channel", "").strip())
    if kind is None or channel is None:
        return None
    message, encoding = _ATTRIBUTES[kind]
    number = 0 if message == "pitch_bend" else parse_integer(binding.get(kind, "").strip())
    if number is None:
        return None
    function = binding.get("function") or binding.get("action") or binding.get("uri") or ""
    return build_control(
        message,
        number,
        channel,
        format_identifier(function),
        role="encoder" if kind.startswith("enc-") else None,
        encoding=encoding,
    )
