"""Reads MIDI binding maps of Ardour (`*.map`), which are XML."""

from xml.etree.ElementTree import Element

from conductor.domain.device_profile import ControlMessage, ValueEncoding
from conductor.profiles.controller_files.controls import (
    ControllerFile,
    FoundControl,
    build_control,
    build_device_name,
    build_import_error,
    clean_imported_name,
    drop_repeated_controls,
    format_count,
    format_identifier_as_name,
)
from conductor.profiles.controller_files.script_tokens import parse_integer

XML_ROOT_TAG = "ArdourMIDIBindings"
PROGRAM_NAME = "Ardour"
_MESSAGE_BY_ATTRIBUTE: dict[str, tuple[ControlMessage, ValueEncoding | None]] = {
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


def read_binding_map(root: Element, name: str) -> ControllerFile:
    """Return the controls of a MIDI binding map; their names are those of the functions they are bound to.

    Raises:
        InvalidParams: the map binds no controls.
    """
    bindings = root.findall("Binding")
    found = [_read_bound_control(binding) for binding in bindings]
    controls, repeated = drop_repeated_controls(control for control in found if control is not None)
    if not controls:
        raise build_import_error(name, "it binds no controls; choose a map with `Binding` elements")
    return ControllerFile(
        PROGRAM_NAME,
        clean_imported_name(root.get("name", "")) or build_device_name(name),
        tuple(controls),
        (
            *format_count(
                found.count(None),
                "One binding has no message that Conductor knows.",
                "{} bindings have no message that Conductor knows.",
            ),
            *format_count(
                repeated,
                "One further function of a control was left out.",
                "{} further functions of controls were left out.",
            ),
        ),
    )


def _read_bound_control(binding: Element) -> FoundControl | None:
    kind = next((name for name in _MESSAGE_BY_ATTRIBUTE if name in binding.attrib), None)
    channel = parse_integer(binding.get("channel", "").strip())
    if kind is None or channel is None:
        return None
    message, encoding = _MESSAGE_BY_ATTRIBUTE[kind]
    number = 0 if message == "pitch_bend" else parse_integer(binding.get(kind, "").strip())
    if number is None:
        return None
    function = binding.get("function") or binding.get("action") or binding.get("uri") or ""
    return build_control(
        message,
        number,
        channel,
        format_identifier_as_name(function),
        role="encoder" if kind.startswith("enc-") else None,
        encoding=encoding,
    )
