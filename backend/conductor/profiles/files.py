"""Reads device profiles from TOML or JSON files, and reports each error with its position."""

import difflib
import json
import os
import re
import stat
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from conductor.base.invisible_chars import is_hidden
from conductor.domain import device_profile
from conductor.domain.device_profile import DeviceProfile
from conductor.domain.value import Value, reword_message
from conductor.errors import InvalidParams

MAX_PROFILE_BYTES = 256_000
MAX_REPORTED_PROBLEMS = 12
PROFILE_SUFFIXES = (".toml", ".json")
MAX_KEY_DOTS = 12
"""The maximum number of dots in a TOML key. The parsing time is quadratic in the number of dots."""
_DOTTED_KEY = re.compile(
    r"""(?<![\w\\-])(?:(?:[\w-]++|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+)"""
    rf"{{{MAX_KEY_DOTS + 1}}}"
)
_TABLE_HEADER = re.compile(r"\s*\[\[\s*([\w.-]+)\s*\]\]")
_KEY_START = re.compile(r"\s*\"?([\w-]+)\"?\s*=")
_KNOWN_PROFILE_KEYS = sorted(
    {
        field
        for kind in vars(device_profile).values()
        if isinstance(kind, type) and issubclass(kind, Value)
        for field in kind.model_fields
    }
)
KeyPath = tuple[str | int, ...]
LineNumbers = dict[KeyPath, int]


class _TableCounter:
    """Counts the `[[tables]]` of one name, and those that are nested in the last of them."""

    def __init__(self) -> None:
        self.count = 0
        self.nested: dict[str, _TableCounter] = {}


class ProfileFolder(NamedTuple):
    """The valid device profiles in a folder, and the problems of the files that could not be read."""

    profiles: tuple[DeviceProfile, ...]
    problems: tuple[str, ...]


def parse_profile(data: bytes | str, name: str = "profile.toml") -> DeviceProfile:
    """Return the device profile in the content of a file: JSON if it starts with `{`, otherwise TOML.

    Raises:
        InvalidParams: the content is not a valid profile; the message lists the errors and their positions.
    """
    text = _decode_text(data, name)
    try:
        raw = _parse_json(text, name) if text.lstrip().startswith("{") else _parse_toml(text, name)
        hidden = next(_find_hidden_texts(raw, ()), None)
        lines = _find_key_lines(text)
    except RecursionError:
        raise _build_error(name, ["lists or tables are nested too deeply"]) from None
    if hidden is not None:
        message = "an invisible character or a blank text; write visible text"
        raise _build_error(name, [f"{_format_error_location(hidden, lines)}{message}"])
    try:
        return DeviceProfile.model_validate(raw)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False)
        problems = [
            _format_error_location(_get_error_path(detail, raw), lines)
            + _format_validation_error(detail)
            for detail in details[:MAX_REPORTED_PROBLEMS]
        ]
        more = error.error_count() - MAX_REPORTED_PROBLEMS
        raise _build_error(
            name, [*problems, f"and {more} more"] if more > 0 else problems
        ) from None


def read_profile_folder(folder: Path) -> ProfileFolder:
    """Read all profiles in a folder; an invalid file is reported and does not affect the others."""
    profiles: dict[str, DeviceProfile] = {}
    problems: list[str] = []
    for path in sorted(path for path in folder.glob("[!.]*.*") if path.suffix in PROFILE_SUFFIXES):
        try:
            profile = read_profile_file(path)
        except InvalidParams as error:
            problems.append(str(error))
            continue
        if profile.id in profiles:
            problems.append(
                f"{path.name}: another file already contains the profile `{profile.id}`"
            )
        else:
            profiles[profile.id] = profile
    return ProfileFolder(tuple(profiles.values()), tuple(problems))


def read_profile_file(path: Path) -> DeviceProfile:
    """Return the device profile in a file, whose size is limited.

    Raises:
        InvalidParams: the file cannot be read, or is not a valid profile.
    """
    return parse_profile(read_limited_bytes(path, MAX_PROFILE_BYTES), path.name)


def read_limited_bytes(path: Path, limit: int) -> bytes:
    """Return the content of a regular file, or one byte more than the limit if the file is longer.

    Raises:
        InvalidParams: the file cannot be read, or is not a regular file.
    """
    try:
        # O_NONBLOCK, because opening a named pipe would wait for a writer.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InvalidParams(f"{path.name} is not a regular file; remove it from the folder")
            return file.read(limit + 1)
    except OSError as error:
        raise InvalidParams(f"{path.name} cannot be read: {error.strerror}") from None


def _decode_text(data: bytes | str, name: str) -> str:
    raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    if len(raw) > MAX_PROFILE_BYTES:
        size = f"{MAX_PROFILE_BYTES // 1000} kB"
        raise _build_error(
            name, [f"the file is larger than {size}; remove what does not describe controls"]
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _build_error(
            name, [f"line {line}: the text is not valid UTF-8; save the file as UTF-8"]
        ) from None
    for number, line in enumerate(text.split("\n"), 1):
        for character in line.rstrip("\r").replace("\t", " "):
            if is_hidden(character):
                problem = (
                    f"line {number}: an invisible character, U+{ord(character):04X}; delete it"
                )
                raise _build_error(name, [problem])
    return text


def _parse_toml(text: str, name: str) -> Any:
    deep = _DOTTED_KEY.search(text)
    if deep:
        line = text.count("\n", 0, deep.start()) + 1
        raise _build_error(
            name, [f"line {line}: a key has more than {MAX_KEY_DOTS} dots; use tables instead"]
        )
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise _build_error(name, [f"the text is not valid TOML: {error}"]) from None


def _parse_json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise _build_error(name, [f"the text is not valid JSON: {error}"]) from None


def _find_hidden_texts(item: Any, path: KeyPath) -> Iterator[KeyPath]:
    """Yield the path of each string and key that is blank or contains invisible characters, also as escapes."""
    if isinstance(item, str):
        if (item and not item.strip()) or any(map(is_hidden, item)):
            yield path
    elif isinstance(item, dict):
        for key, value in item.items():
            yield from _find_hidden_texts(str(key), path)
            yield from _find_hidden_texts(value, (*path, str(key)))
    elif isinstance(item, list):
        for index, value in enumerate(item):
            yield from _find_hidden_texts(value, (*path, index))


def _get_error_path(detail: ErrorDetails, raw: Any) -> KeyPath:
    """Return the path of a validation error in the file, without the names that pydantic adds for unions."""
    path: list[str | int] = []
    item = raw
    for index, step in enumerate(detail["loc"]):
        last = index == len(detail["loc"]) - 1
        if isinstance(item, dict) and (step in item or (last and detail["type"] == "missing")):
            path.append(step)
            item = item.get(step)
        elif isinstance(item, list) and isinstance(step, int) and step < len(item):
            path.append(step)
            item = item[step]
    return tuple(path)


def _format_error_location(path: KeyPath, lines: LineNumbers) -> str:
    """Return the position of an error as text: the line, if it is known, and the path of the value."""
    keys = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    starts = (path[:end] for end in range(len(path), 0, -1))
    line = next((lines[start] for start in starts if start in lines), None)
    parts = [f"line {line}"] if line is not None else []
    if keys:
        parts.append(f"`{keys.removeprefix('.')}`")
    return f"{', '.join(parts)}: " if parts else ""


def _find_key_lines(text: str) -> LineNumbers:
    """Return the line number of each key.

    The result is empty for JSON, and for TOML with multi-line strings.
    """
    found: LineNumbers = {}
    if text.lstrip().startswith("{") or '"""' in text or "'''" in text:
        return found
    here: KeyPath = ()
    top = _TableCounter()
    for number, line in enumerate(text.split("\n"), 1):
        header = _TABLE_HEADER.match(line)
        if header:
            here = _register_table(header[1].split("."), top)
        key = _KEY_START.match(line)
        found.setdefault((*here, key[1]) if key and not header else here, number)
    return found


def _register_table(parts: list[str], top: _TableCounter) -> KeyPath:
    """Count a `[[table]]` header, and return the path of the table that it begins."""
    steps: list[str | int] = []
    table = top
    for part in parts:
        table = table.nested.setdefault(part, _TableCounter())
        steps += [part, max(table.count - 1, 0)]
    table.count += 1
    table.nested = {}
    return (*steps[:-1], table.count - 1)


def _format_validation_error(detail: ErrorDetails) -> str:
    """Return a message about a validation error that says what is wrong and how to correct it."""
    key = str(detail["loc"][-1]) if detail["loc"] else ""
    if detail["type"] == "extra_forbidden":
        near = difflib.get_close_matches(key, _KNOWN_PROFILE_KEYS, n=1)
        hint = f"did you mean `{near[0]}`?" if near else "remove it"
        return f"unknown key `{key[:60]}`; {hint}"
    if detail["type"] == "missing":
        return f"`{key}` is missing; add it"
    message = reword_message(detail["msg"])
    return message[:1].lower() + message[1:300]


def _build_error(name: str, problems: list[str]) -> InvalidParams:
    distinct = dict.fromkeys(problem[:400] for problem in problems)
    return InvalidParams("\n- ".join([f"{name[:120]} is not a valid device profile:", *distinct]))
