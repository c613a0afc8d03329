"""JSON files of other programs, changed as text: one member is set, and every other byte stays.

Comments and trailing commas are taken as they come, since editors allow them in their own files.
"""

import json
import math
import re
from typing import Any, NamedTuple

from conductor.base.json_types import JsonObject

_BLANK = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_SCALARS: JsonObject = {"true": True, "false": False, "null": None}
DEEPEST = 200
_DECODER = json.JSONDecoder()


class Member(NamedTuple):
    start: int
    end: int
    name_at: int


class JsonText:
    """A JSON text, read: its value, and where the values of its objects' members stand."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.objects: dict[tuple[str, ...], int] = {}
        self.members: dict[tuple[str, ...], Member] = {}
        self.value, end = self._value(self._skip(0), ())
        if self._skip(end) != len(text):
            raise self._wrong(self._skip(end), "nothing may follow the value")

    def _value(self, at: int, path: tuple[str, ...]) -> tuple[Any, int]:
        first = self.text[at : at + 1]
        if len(path) > DEEPEST:
            raise self._wrong(at, "it is nested too deeply")
        if first == "{":
            return self._object(at, path)
        if first == "[":
            return self._array(at, path)
        if first == '"':
            return self._string(at)
        scalar = _SCALAR.match(self.text, at)
        if scalar is None:
            raise self._wrong(at, "a value is expected")
        word = scalar.group()
        if word in _SCALARS:
            return _SCALARS[word], scalar.end()
        if math.isinf(float(word)):
            raise self._wrong(
                at, "this number is too large; write a smaller one, or put it in quotes"
            )
        return json.loads(word), scalar.end()

    def _object(self, at: int, path: tuple[str, ...]) -> tuple[JsonObject, int]:
        self.objects[path] = at
        found: JsonObject = {}
        at = self._skip(at + 1)
        while self.text[at : at + 1] != "}":
            if self.text[at : at + 1] != '"':
                raise self._wrong(at, "a name in quotes or `}` is expected")
            name_at = at
            name, at = self._string(at)
            start = self._skip(self._expect(self._skip(at), ":"))
            found[name], at = self._value(start, (*path, name))
            self.members[*path, name] = Member(start, at, name_at)
            at = self._next(at, "}")
        return found, at + 1

    def _array(self, at: int, path: tuple[str, ...]) -> tuple[list[Any], int]:
        found: list[Any] = []
        at = self._skip(at + 1)
        while self.text[at : at + 1] != "]":
            item, at = self._value(at, (*path, f"[{len(found)}]"))
            found.append(item)
            at = self._next(at, "]")
        return found, at + 1

    def _next(self, at: int, close: str) -> int:
        at = self._skip(at)
        return at if self.text[at : at + 1] == close else self._skip(self._expect(at, ","))

    def _string(self, at: int) -> tuple[str, int]:
        try:
            return _DECODER.raw_decode(self.text, at)
        except ValueError:
            raise self._wrong(at, "a text does not end, or holds a wrong character") from None

    def _expect(self, at: int, mark: str) -> int:
        if self.text[at : at + 1] != mark:
            raise self._wrong(at, f"`{mark}` is expected")
        return at + 1

    def _skip(self, at: int) -> int:
        found = _BLANK.match(self.text, at)
        return at if found is None else found.end()

    def place(self, at: int) -> str:
        """Return where a character stands."""
        line = self.text.count("\n", 0, at) + 1
        return f"line {line}, column {at - self.text.rfind(chr(10), 0, at)}"

    def after(self, at: int) -> int:
        """Return where the next word stands, past blanks and comments."""
        return self._skip(at)

    def _wrong(self, at: int, what: str) -> ValueError:
        return ValueError(f"{self.place(at)}: {what}")


def set_member(text: str, path: tuple[str, str], value: JsonObject) -> str:
    """Set a member of a member of the outermost object, making what is missing.

    Raises:
        ValueError: the text is not JSON, or what should be an object is not one; says where.
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
        return text[:start] + _written(value, _indent(text, start)) + text[end:]
    if path[:1] in read.objects:
        return _insert(text, read.objects[path[:1]], path[1], value, empty=not read.value[path[0]])
    return _insert(text, read.objects[()], path[0], {path[1]: value}, empty=not read.value)


def add_member(text: str, path: tuple[str, str], value: JsonObject) -> str:
    """Set a member as `set_member` does, a new one after those that are there.

    Raises:
        ValueError: as there.
    """
    read = JsonText(text) if text.strip() else None
    others = [] if read is None else _members_of(read, path[0])
    if read is None or not others or path in read.members:
        return set_member(text, path, value)
    end = max(one.end for one in others)
    indent = _indent(text, max(others).name_at)
    member = f",\n{indent}{json.dumps(path[1])}: {_written(value, indent, _unit(text))}"
    return text[:end] + member + text[end:]


def remove_member(text: str, path: tuple[str, str]) -> str:
    """Remove a nested member of the outermost object, with its comma.

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
    before = [one.end for one in _members_of(read, path[0]) if one.end <= gone.name_at]
    if before:  # the comma that led to it goes, what stands between stays
        comma = read.after(max(before))
        text, start, gone_end = text[:comma] + text[comma + 1 :], start - 1, gone.end - 1
    else:
        gone_end = gone.end
    return text[:start].removesuffix("\n") + text[gone_end:]


def _members_of(read: JsonText, name: str) -> list[Member]:
    return [one for path, one in read.members.items() if path[:-1] == (name,)]


def _insert(text: str, at: int, name: str, value: JsonObject, *, empty: bool) -> str:
    """Put a member first into the object at `at`: there, no comma or comment of others is in the way."""
    rest = text[at + 1 :]
    on_one_line = not empty and "\n" not in rest[: len(rest) - len(rest.lstrip())]
    if on_one_line:
        return f"{text[: at + 1]}{json.dumps(name)}: {json.dumps(value)}, {rest.lstrip(' ')}"
    outer = _indent(text, at)
    inner = outer + _unit(text)
    member = f"\n{inner}{json.dumps(name)}: {_written(value, inner, _unit(text))}"
    return f"{text[: at + 1]}{member}" + (f"\n{outer}{rest.lstrip()}" if empty else f",{rest}")


def _written(value: JsonObject, indent: str, unit: str | None = None) -> str:
    lines = json.dumps(value, indent=unit or "  ", ensure_ascii=False).splitlines()
    return f"\n{indent}".join(lines)


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    """Return what the file indents by."""
    found = re.search(r"\n([ \t]+)\S", text)
    return "  " if found is None else found.group(1)
