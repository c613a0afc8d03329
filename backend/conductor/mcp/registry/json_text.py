"""Edits JSON files of other programs as text: sets one member and keeps every other byte.

Comments and trailing commas are accepted, because editors allow both in their settings files.
"""

import json
import math
import re
from typing import Any, NamedTuple

from conductor.base.json_types import JsonObject

_WHITESPACE_PATTERN = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR_PATTERN = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_SCALAR_VALUES: JsonObject = {"true": True, "false": False, "null": None}
MAX_JSON_DEPTH = 200
_DECODER = json.JSONDecoder()


class JsonMember(NamedTuple):
    """The offsets of one member of an object: its value, and the start of its name."""

    start: int
    end: int
    name_start: int


class JsonText:
    """A parsed JSON text: its value, and the position of each member of its objects."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.objects: dict[tuple[str, ...], int] = {}
        self.members: dict[tuple[str, ...], JsonMember] = {}
        self.value, end = self._read_value(self.skip_whitespace(0), ())
        if self.skip_whitespace(end) != len(text):
            raise self._build_error(self.skip_whitespace(end), "unexpected text after the value")

    def _read_value(self, offset: int, path: tuple[str, ...]) -> tuple[Any, int]:
        first = self.text[offset : offset + 1]
        if len(path) > MAX_JSON_DEPTH:
            raise self._build_error(offset, "the value is nested too deeply")
        if first == "{":
            return self._read_object(offset, path)
        if first == "[":
            return self._read_array(offset, path)
        if first == '"':
            return self._read_string(offset)
        scalar = _SCALAR_PATTERN.match(self.text, offset)
        if scalar is None:
            raise self._build_error(offset, "expected a value")
        word = scalar.group()
        if word in _SCALAR_VALUES:
            return _SCALAR_VALUES[word], scalar.end()
        if math.isinf(float(word)):
            raise self._build_error(
                offset, "this number is too large; write a smaller one, or put it in quotes"
            )
        return json.loads(word), scalar.end()

    def _read_object(self, offset: int, path: tuple[str, ...]) -> tuple[JsonObject, int]:
        self.objects[path] = offset
        found: JsonObject = {}
        offset = self.skip_whitespace(offset + 1)
        while self.text[offset : offset + 1] != "}":
            if self.text[offset : offset + 1] != '"':
                raise self._build_error(offset, "expected a name in quotes or `}`")
            name_start = offset
            name, offset = self._read_string(offset)
            start = self.skip_whitespace(self._expect_character(self.skip_whitespace(offset), ":"))
            found[name], offset = self._read_value(start, (*path, name))
            self.members[*path, name] = JsonMember(start, offset, name_start)
            offset = self._skip_to_next_item(offset, "}")
        return found, offset + 1

    def _read_array(self, offset: int, path: tuple[str, ...]) -> tuple[list[Any], int]:
        found: list[Any] = []
        offset = self.skip_whitespace(offset + 1)
        while self.text[offset : offset + 1] != "]":
            item, offset = self._read_value(offset, (*path, f"[{len(found)}]"))
            found.append(item)
            offset = self._skip_to_next_item(offset, "]")
        return found, offset + 1

    def _skip_to_next_item(self, offset: int, close: str) -> int:
        offset = self.skip_whitespace(offset)
        return (
            offset
            if self.text[offset : offset + 1] == close
            else self.skip_whitespace(self._expect_character(offset, ","))
        )

    def _read_string(self, offset: int) -> tuple[str, int]:
        try:
            return _DECODER.raw_decode(self.text, offset)
        except ValueError:
            raise self._build_error(
                offset, "a string is not closed, or contains an invalid character"
            ) from None

    def _expect_character(self, offset: int, character: str) -> int:
        if self.text[offset : offset + 1] != character:
            raise self._build_error(offset, f"expected `{character}`")
        return offset + 1

    def skip_whitespace(self, offset: int) -> int:
        """Return the offset of the next token after whitespace and comments."""
        found = _WHITESPACE_PATTERN.match(self.text, offset)
        return offset if found is None else found.end()

    def describe_position(self, offset: int) -> str:
        """Return the line and the column of an offset in the text, for an error message."""
        line = self.text.count("\n", 0, offset) + 1
        return f"line {line}, column {offset - self.text.rfind(chr(10), 0, offset)}"

    def _build_error(self, offset: int, problem: str) -> ValueError:
        return ValueError(f"{self.describe_position(offset)}: {problem}")


def set_json_member(text: str, path: tuple[str, str], value: JsonObject) -> str:
    """Set a nested member of the outermost object. Missing objects are created.

    Raises:
        ValueError: The text is not JSON, or contains another value where an object is needed. The message
            says where.
    """
    if not text.strip():
        return json.dumps({path[0]: {path[1]: value}}, indent=2) + "\n"
    parsed = JsonText(text)
    for depth in (0, 1):
        if path[:depth] in parsed.members and path[:depth] not in parsed.objects:
            raise ValueError(f"`{path[0]}` is not an object")
    if () not in parsed.objects:
        raise ValueError("it is not an object")
    if path in parsed.members:
        start, end, _ = parsed.members[path]
        return text[:start] + _render_value(value, _find_indent(text, start)) + text[end:]
    if path[:1] in parsed.objects:
        return _insert_json_member(
            text, parsed.objects[path[:1]], path[1], value, empty=not parsed.value[path[0]]
        )
    return _insert_json_member(
        text, parsed.objects[()], path[0], {path[1]: value}, empty=not parsed.value
    )


def add_json_member(text: str, path: tuple[str, str], value: JsonObject) -> str:
    """Set a nested member like `set_json_member`, but append a new one after the existing members.

    Raises:
        ValueError: The text is not JSON, or contains another value where an object is needed. The message
            says where.
    """
    parsed = JsonText(text) if text.strip() else None
    others = [] if parsed is None else _list_members(parsed, path[0])
    if parsed is None or not others or path in parsed.members:
        return set_json_member(text, path, value)
    end = max(one.end for one in others)
    indent = _find_indent(text, max(others).name_start)
    member = (
        f",\n{indent}{json.dumps(path[1])}: {_render_value(value, indent, _find_indent_unit(text))}"
    )
    return text[:end] + member + text[end:]


def remove_json_member(text: str, path: tuple[str, str]) -> str:
    """Remove a nested member of the outermost object, together with its comma.

    Raises:
        ValueError: The text is not JSON, or has no such member.
    """
    parsed = JsonText(text)
    if path not in parsed.members:
        raise ValueError(f"there is no `{path[1]}` in `{path[0]}`")
    removed = parsed.members[path]
    start, end = len(text[: removed.name_start].rstrip(" \t")), parsed.skip_whitespace(removed.end)
    if text[end : end + 1] == ",":
        return text[:start].removesuffix("\n") + text[end + 1 :]
    before = [one.end for one in _list_members(parsed, path[0]) if one.end <= removed.name_start]
    if before:  # the comma before it is removed, and the text in between is kept
        comma = parsed.skip_whitespace(max(before))
        text, start, gone_end = text[:comma] + text[comma + 1 :], start - 1, removed.end - 1
    else:
        gone_end = removed.end
    return text[:start].removesuffix("\n") + text[gone_end:]


def _list_members(parsed: JsonText, name: str) -> list[JsonMember]:
    return [one for path, one in parsed.members.items() if path[:-1] == (name,)]


def _insert_json_member(
    text: str, offset: int, name: str, value: JsonObject, *, empty: bool
) -> str:
    """Insert a member at the start of the object whose opening brace is at `offset`.

    There, no commas or comments of other members are in the way.
    """
    rest = text[offset + 1 :]
    on_one_line = not empty and "\n" not in rest[: len(rest) - len(rest.lstrip())]
    if on_one_line:
        return f"{text[: offset + 1]}{json.dumps(name)}: {json.dumps(value)}, {rest.lstrip(' ')}"
    outer = _find_indent(text, offset)
    inner = outer + _find_indent_unit(text)
    member = f"\n{inner}{json.dumps(name)}: {_render_value(value, inner, _find_indent_unit(text))}"
    return f"{text[: offset + 1]}{member}" + (f"\n{outer}{rest.lstrip()}" if empty else f",{rest}")


def _render_value(value: JsonObject, indent: str, indent_unit: str | None = None) -> str:
    # not `splitlines`, which would also cut a text at U+0085 or U+2028
    lines = json.dumps(value, indent=indent_unit or "  ", ensure_ascii=False).split("\n")
    return f"\n{indent}".join(lines)


def _find_indent(text: str, offset: int) -> str:
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip())]


def _find_indent_unit(text: str) -> str:
    """Return the whitespace of one level of indentation in the file."""
    found = re.search(r"\n([ \t]+)\S", text)
    return "  " if found is None else found.group(1)
