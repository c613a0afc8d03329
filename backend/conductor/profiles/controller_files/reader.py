"""Recognises which program wrote a controller file, and reads the file with the reader for this program."""

from collections.abc import Callable, Mapping
from pathlib import Path

from conductor.profiles.controller_files import ableton, ardour, bitwig, mixxx, realearn
from conductor.profiles.controller_files.controls import (
    MAX_CONTROLLER_FILE_BYTES,
    ControllerFile,
    build_import_error,
    clean_imported_name,
)
from conductor.profiles.controller_files.xml_text import parse_xml
from conductor.profiles.files import read_limited_bytes

MAX_SCRIPT_MODULES, MAX_MODULE_BYTES = 64, 500_000
"""The maximum number and size of the modules of a script; a syntax tree takes far more memory than its text."""
SUPPORTED_FILES_TEXT = (
    "Mixxx (*.midi.xml, *.midi.js), Ardour (*.map), ReaLearn (*.json, *.lua), Bitwig Studio (*.control.js) or "
    "Ableton Live (*.py, or the folder of a remote script)"
)
_XML_FIRST_BYTES = (b"<", b"\xef\xbb\xbf<", b"\xff\xfe<", b"\xfe\xff\x00<")


def read_script_folder(path: Path) -> ControllerFile:
    """Return the controls of a remote script of Ableton Live, which is a folder of Python modules.

    Raises:
        InvalidParams: the folder cannot be read or understood; the message says what to do.
    """
    files = sorted(file for file in path.glob("*.py") if not file.is_symlink())
    if not files:
        raise build_import_error(
            path.name, f"the folder has no *.py files; choose a file of {SUPPORTED_FILES_TEXT}"
        )
    if len(files) > MAX_SCRIPT_MODULES:
        raise build_import_error(
            path.name, f"the folder has more than {MAX_SCRIPT_MODULES} *.py files; choose one file"
        )
    contents = {file.name: read_limited_bytes(file, MAX_MODULE_BYTES) for file in files}
    return _read_modules(path.name, contents)


def read_controller_file(name: str, data: bytes) -> ControllerFile:
    """Return the controls in a controller file. Its name and first characters tell which program wrote it.

    Raises:
        InvalidParams: the file cannot be understood; the message says what to do.
    """
    if not data.strip():
        raise build_import_error(name, "it is empty")
    if len(data) > MAX_CONTROLLER_FILE_BYTES:
        raise build_import_error(
            name,
            f"it is larger than {MAX_CONTROLLER_FILE_BYTES // 1_000_000} MB, and controller files are smaller; "
            "check that it is the right file",
        )
    if data.lstrip().startswith(_XML_FIRST_BYTES):
        return _read_xml(name, data)
    if b"\0" in data:
        raise build_import_error(
            name, f"it is not a text file; choose a file of {SUPPORTED_FILES_TEXT}"
        )
    suffix = name.lower().rpartition(".")[2]
    text = data.decode("utf-8-sig", "replace")
    reader = _READER_BY_SUFFIX.get(
        "json" if text.lstrip().startswith("{") and suffix != "lua" else suffix
    )
    if reader is None:
        raise build_import_error(
            name, f"its kind is unknown; choose a file of {SUPPORTED_FILES_TEXT}"
        )
    return reader(text, name)


def _read_xml(name: str, data: bytes) -> ControllerFile:
    root = parse_xml(data, name)
    if root.tag in mixxx.XML_ROOT_TAGS:
        return mixxx.read_mixxx_mapping(root, name)
    if root.tag == ardour.XML_ROOT_TAG:
        return ardour.read_binding_map(root, name)
    raise build_import_error(
        name,
        f"it is XML with `{clean_imported_name(root.tag)}`, not a controller file of Mixxx or Ardour",
    )


def _read_javascript(text: str, name: str) -> ControllerFile:
    if bitwig.is_bitwig_script(text):
        return bitwig.read_bitwig_script(text, name)
    return mixxx.read_mixxx_script(text, name)


def _read_python(text: str, name: str) -> ControllerFile:
    return _read_modules(name, {name: text.encode()})


def _read_modules(name: str, contents: Mapping[str, bytes]) -> ControllerFile:
    if sum(map(len, contents.values())) > MAX_MODULE_BYTES:
        size = f"{MAX_MODULE_BYTES // 1_000} kB"
        raise build_import_error(
            name, f"its Python text is larger than {size}; choose one file with the controls"
        )
    broken = next((file for file, data in contents.items() if b"\0" in data), None)
    if broken is not None:
        raise build_import_error(broken, "it is not a text file; remove it from the folder")
    sources = {file: data.decode("utf-8-sig", "replace") for file, data in contents.items()}
    return ableton.read_remote_script(sources, name)


def _refuse_non_xml_map(_text: str, name: str) -> ControllerFile:
    raise build_import_error(name, "it is not XML; export it again from Ardour")


def _refuse_unknown_xml(_text: str, name: str) -> ControllerFile:
    raise build_import_error(name, "it is not XML; export it again from Mixxx")


_READER_BY_SUFFIX: dict[str, Callable[[str, str], ControllerFile]] = {
    "json": realearn.read_json_compartment,
    "lua": realearn.read_lua_compartment,
    "js": _read_javascript,
    "py": _read_python,
    "map": _refuse_non_xml_map,
    "xml": _refuse_unknown_xml,
}
