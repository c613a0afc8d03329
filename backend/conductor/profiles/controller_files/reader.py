"""Finds out which program a controller file belongs to, and reads it."""

from collections.abc import Callable, Mapping
from pathlib import Path

from conductor.profiles.controller_files import ableton, ardour, bitwig, mixxx, realearn
from conductor.profiles.controller_files.controls import (
    MAX_FILE_BYTES,
    ControllerFile,
    clean_name,
    fail,
)
from conductor.profiles.controller_files.xml_text import parse_xml
from conductor.profiles.files import read_bytes

MAX_MODULES, MAX_PYTHON_BYTES = 64, 500_000
"""The syntax tree of Python takes much more time and memory than its text."""
KINDS = (
    "Mixxx (*.midi.xml, *.midi.js), Ardour (*.map), ReaLearn (*.json, *.lua), Bitwig Studio (*.control.js) or "
    "Ableton Live (*.py, or the folder of a remote script)"
)
_XML_STARTS = (b"<", b"\xef\xbb\xbf<", b"\xff\xfe<", b"\xfe\xff\x00<")


def read_folder(path: Path) -> ControllerFile:
    """Read the folder of a remote script of Ableton Live.

    Raises:
        InvalidParams: the folder cannot be read or understood; the message says what to do.
    """
    files = sorted(file for file in path.glob("*.py") if not file.is_symlink())
    if not files:
        raise fail(path.name, f"the folder has no *.py files; choose a file of {KINDS}")
    if len(files) > MAX_MODULES:
        raise fail(path.name, f"the folder has more than {MAX_MODULES} *.py files; choose one file")
    contents = {file.name: read_bytes(file, MAX_PYTHON_BYTES) for file in files}
    return _read_modules(path.name, contents)


def read_content(name: str, data: bytes) -> ControllerFile:
    """Read the content of a controller file; its name and first characters say which program wrote it.

    Raises:
        InvalidParams: the file cannot be understood; the message says what to do.
    """
    if not data.strip():
        raise fail(name, "it is empty")
    if len(data) > MAX_FILE_BYTES:
        raise fail(
            name,
            f"it is larger than {MAX_FILE_BYTES // 1_000_000} MB, and controller files are smaller; check that "
            "it is the right file",
        )
    if data.lstrip().startswith(_XML_STARTS):
        return _read_xml(name, data)
    if b"\0" in data:
        raise fail(name, f"it is not a text file; choose a file of {KINDS}")
    suffix = name.lower().rpartition(".")[2]
    text = data.decode("utf-8-sig", "replace")
    reader = _READERS.get("json" if text.lstrip().startswith("{") and suffix != "lua" else suffix)
    if reader is None:
        raise fail(name, f"its kind is unknown; choose a file of {KINDS}")
    return reader(text, name)


def _read_xml(name: str, data: bytes) -> ControllerFile:
    root = parse_xml(data, name)
    if root.tag in mixxx.ROOT_TAGS:
        return mixxx.read_bindings(root, name)
    if root.tag == ardour.ROOT_TAG:
        return ardour.read_map(root, name)
    raise fail(
        name, f"it is XML with `{clean_name(root.tag)}`, not a controller file of Mixxx or Ardour"
    )


def _read_javascript(text: str, name: str) -> ControllerFile:
    if bitwig.is_bitwig_script(text):
        return bitwig.read_script(text, name)
    return mixxx.read_script(text, name)


def _read_python(text: str, name: str) -> ControllerFile:
    return _read_modules(name, {name: text.encode()})


def _read_modules(name: str, contents: Mapping[str, bytes]) -> ControllerFile:
    if sum(map(len, contents.values())) > MAX_PYTHON_BYTES:
        size = f"{MAX_PYTHON_BYTES // 1_000} kB"
        raise fail(
            name, f"its Python text is larger than {size}; choose one file with the controls"
        )
    broken = next((file for file, data in contents.items() if b"\0" in data), None)
    if broken is not None:
        raise fail(broken, "it is not a text file; remove it from the folder")
    sources = {file: data.decode("utf-8-sig", "replace") for file, data in contents.items()}
    return ableton.read_modules(sources, name)


def _refuse_map(_text: str, name: str) -> ControllerFile:
    raise fail(name, "it is not XML; export it again from Ardour")


def _refuse_xml(_text: str, name: str) -> ControllerFile:
    raise fail(name, "it is not XML; export it again from Mixxx")


_READERS: dict[str, Callable[[str, str], ControllerFile]] = {
    "json": realearn.read_json,
    "lua": realearn.read_lua,
    "js": _read_javascript,
    "py": _read_python,
    "map": _refuse_map,
    "xml": _refuse_xml,
}
