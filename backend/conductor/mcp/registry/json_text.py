"""Edits JSON files of other programs as text: sets one member and keeps every other byte.

Comments and trailing commas are accepted, because editors allow them in their settings files.
"""

import json
import math
import re
from typing import Any, NamedTuple

from conductor.base.json_types import JsonObject

_BLANK = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_SCALARS: JsonObject = {"true": True, "false": False, "null": None}
MAX_DEPTH = 200
_DECODER = json.JSONDecoder()


class Member(NamedTuple):
    start: int
    end: int
    name_at: int


class JsonText:
    """A parsed JSON text: its value, and the position of each member of its objects."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.objects: dict[tuple[str, ...], int] = {}
        self.members: dict[tuple[str, ...], Member] = {}
        self.value, end = self._read_value(self._skip_space(0), ())
        if self._skip_space(end) != len(text):
            raise self._build_error(self._skip_space(end), "nothing may follow the value")

    def _read_value(self, at: int, path: tuple[str, ...]) -> tuple[Any, int]:
        first = self.text[at : at + 1]
        if len(path) > MAX_DEPTH:
            raise self._build_error(at, "the value is nested too deeply")
        if first == "{":
            return self._read_object(at, path)
        if first == "[":
            return self._read_array(at, path)
        if first == '"':
            return self._read_string(at)
        scalar = _SCALAR.match(self.text, at)
        if scalar is None:
            raise self._build_error(at, "a value is expected")
        word = scalar.group()
        if word in _SCALARS:
            return _SCALARS[word], scalar.end()
        if math.isinf(float(word)):
            raise self._build_error(
                at, "this number is too large; write a smaller one, or put it in quotes"
            )
        return json.loads(word), scalar.end()

    def _read_object(self, at: int, path: tuple[str, ...]) -> tuple[JsonObject, int]:
        self.objects[path] = at
        found: JsonObject = {}
        at = self._skip_space(at + 1)
        while self.text[at : at + 1] != "}":
            if self.text[at : at + 1] != '"':
                raise self._build_error(at, "a name in quotes or `}` is expected")
            name_at = at
            name, at = self._read_string(at)
            start = self._skip_space(self._expect_mark(self._skip_space(at), ":"))
            found[name], at = self._read_value(start, (*path, name))
            self.members[*path, name] = Member(start, at, name_at)
            at = self._find_next_item(at, "}")
        return found, at + 1

    def _read_array(self, at: int, path: tuple[str, ...]) -> tuple[list[Any], int]:
        found: list[Any] = []
        at = self._skip_space(at + 1)
        while self.text[at : at + 1] != "]":
            item, at = self._read_value(at, (*path, f"[{len(found)}]"))
            found.append(item)
            at = self._find_next_item(at, "]")
        return found, at + 1

    def _find_next_item(self, at: int, close: str) -> int:
        at = self._skip_space(at)
        return (
            at if self.text[at : at + 1] == close else self._skip_space(self._expect_mark(at, ","))
        )

    def _read_string(self, at: int) -> tuple[str, int]:
        try:
            return _DECODER.raw_decode(self.text, at)
        except ValueError:
            raise self._build_error(
                at, "a text is not closed, or contains an invalid character"
            ) from None

    def _expect_mark(self, at: int, mark: str) -> int:
        if self.text[at : at + 1] != mark:
            raise self._build_error(at, f"`{mark}` is expected")
        return at + 1

    def _skip_space(self, at: int) -> int:
        found = _BLANK.match(self.text, at)
        return at if found is None else found.end()

    def place(self, at: int) -> str:
        """Return the line and column of an offset in the text."""
        line = self.text.count("\n", 0, at) + 1
        return f"line {line}, column {at - self.text.rfind(chr(10), 0, at)}"

    def after(self, at: int) -> int:
        """Return the offset of the next token, skipping blanks and comments."""
        return self._skip_space(at)

    def _build_error(self, at: int, what: str) -> ValueError:
        return ValueError(f"{self.place(at)}: {what}")


def set_member(text: str, path: tuple[str, str], value: JsonObject) -> str:
    """Set a nested member of the outermost object, creating missing objects.

    Raises:
        ValueError: the text is not JSON, or a part that must be an object is not; the message says where.
    """
    if not text.strip():
        return json.dumps({path[0]: {path[1]: value}}, indent=2) + "\n"
    read = JsonText(text)
    for depth in (0, 1):
        if path[:depth] in read.members and path[:depth] not in read.objects:
            raise ValueError(f"`{path[0]}` is not an object")
    if () not in read.objects:
        raise ValueError("it is not an object")
    if path in read.members:
        start, end, _ = read.members[path]
        return text[:start] + _render_value(value, _find_indent(text, start)) + text[end:]
    if path[:1] in read.objects:
        return _insert_member(
            text, read.objects[path[:1]], path[1], value, empty=not read.value[path[0]]
        )
    return _insert_member(text, read.objects[()], path[0], {path[1]: value}, empty=not read.value)


def add_member(text: str, path: tuple[str, str], value: JsonObject) -> str:
    """Set a nested member like `set_member`, but append a new one after the existing members.

    Raises:
        ValueError: as in `set_member`.
    """
    read = JsonText(text) if text.strip() else None
    others = [] if read is None else _list_members(read, path[0])
    if read is None or not others or path in read.members:
        return set_member(text, path, value)
    end = max(one.end for one in others)
    indent = _find_indent(text, max(others).name_at)
    member = (
        f",\n{indent}{json.dumps(path[1])}: {_render_value(value, indent, _find_indent_unit(text))}"
    )
    return text[:end] + member + text[end:]


def remove_member(text: str, path: tuple[str, str]) -> str:
    """Remove a nested member of the outermost object, together with its comma.

    Raises:
        ValueError: the text is not JSON, or has no such member.
    """
    read = JsonText(text)
    if path not in read.members:
        raise ValueError(f"there is no `{path[1]}` in `{path[0]}`")
    gone = read.members[path]
    start, end = len(text[: gone.name_at].rstrip(" \t")), read.after(gone.end)
    if text[end : end + 1] == ",":
        return text[:start].removesuffix("\n") + text[end + 1 :]
    before = [one.end for one in _list_members(read, path[0]) if one.end <= gone.name_at]
    if before:  # remove the comma before it, and keep the text in between
        comma = read.after(max(before))
        text, start, gone_end = text[:comma] + text[comma + 1 :], start - 1, gone.end - 1
    else:
        gone_end = gone.end
    return text[:start].removesuffix("\n") + text[gone_end:]


def _list_members(read: JsonText, name: str) -> list[Member]:
    return [one for path, one in read.members.items() if path[:-1] == (name,)]


def _insert_member(text: str, at: int, name: str, value: JsonObject, *, empty: bool) -> str:
    """Insert a member at the start of the object at `at`.

    There, no comma or comment of other members interferes.
    """
    rest = text[at + 1 :]
    on_one_line = not empty and "\n" not in rest[: len(rest) - len(rest.lstrip())]
    if on_one_line:
        return f"{text[: at + 1]}{json.dumps(name)}: {json.dumps(value)}, {rest.lstrip(' ')}"
    outer = _find_indent(text, at)
    inner = outer + _find_indent_unit(text)
    member = f"\n{inner}{json.dumps(name)}: {_render_value(value, inner, _find_indent_unit(text))}"
    return f"{text[: at + 1]}{member}" + (f"\n{outer}{rest.lstrip()}" if empty else f",{rest}")


def _render_value(value: JsonObject, indent: str, unit: str | None = None) -> str:
    lines = json.dumps(value, indent=unit or "  ", ensure_ascii=False).splitlines()
    return f"\n{indent}".join(lines)


def _find_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _find_indent_unit(text: str) -> str:
    """Return the whitespace of one indentation level of the file."""
    found = re.search(r"\n([ \t]+)\S", text)
    return "  " if found is None else found.group(1)
