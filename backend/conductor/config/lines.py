"""Finds the position of each key in a TOML text that `tomllib` has already accepted.

The positions are needed only for error messages and edits; loading a valid file does not compute them.
"""

import re
import tomllib
from collections.abc import Sequence
from typing import NamedTuple

KeyPath = tuple[str | int, ...]

_GAP_PATTERN = re.compile(r"[ \t\r\n]*(?:#[^\n]*\n?[ \t\r\n]*)*")
_BARE_KEY_PATTERN = re.compile(r"[A-Za-z0-9_-]+")
_DOTTED_KEY_PATTERN = re.compile(
    r"[ \t]*([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)[ \t]*(?![A-Za-z0-9_. \t-])"
)
"""Matches a key in the most common form, bare keys without spaces around the dots, faster than the full
pattern."""
_KEY_AND_EQUALS_PATTERN = re.compile(r"([A-Za-z0-9_-]+)[ \t]*=[ \t]*")
_UNNESTED_VALUE = r"""[^\[\]{}"'#\n]|"[^"\\\n]*"(?!")|'[^'\n]*'(?!')"""
_SHORT_VALUE_PATTERN = re.compile(
    rf"""\{{(?:{_UNNESTED_VALUE}|\{{(?:{_UNNESTED_VALUE})*\}}|\[(?:{_UNNESTED_VALUE})*\])*\}}|\[(?:{_UNNESTED_VALUE})*\]|[^\[{{"',\]}}#\n]+"""
)
"""Matches a value on one line, with at most two levels of tables and lists and without triple quotes."""
_STRING_PATTERN = re.compile(
    r'''"""(?:[^\\]|\\.)*?"{3,5}(?!")|"(?:[^"\\\n]|\\.)*"'''
    r"""|'''(?:.)*?'{3,5}(?!')|'[^'\n]*'""",
    re.DOTALL,
)
_SCALAR_PATTERN = re.compile(r"[^,\]}#\n]*")


class TableHeader(NamedTuple):
    """A header line, `[table]` or `[[table]]`, with the path of the table and its position in the text."""

    path: KeyPath
    start: int
    """The offset of the first character of the header line."""
    array: bool


class KeyPositions:
    """Holds the text offset of each key and array item of a TOML text, and its table headers in order."""

    def __init__(self, text: str, *, within_rows: bool = True) -> None:
        """Scan a TOML text.

        With `within_rows=False`, nested keys in values of `[[array]]` tables get no position, which saves
        time.
        """
        self.text = text
        self._within_rows = within_rows
        self.offsets: dict[KeyPath, int] = {}
        self.headers: list[TableHeader] = []
        self.ends: list[int] = []
        """The end offset of each header and of each `key = value` pair at the top level."""
        self._counts: dict[KeyPath, int] = {}
        self._at = 0
        self._in_row = False
        """True while the scanner is in an `[[array]]` table whose values are skipped."""
        self._scan_document()

    def find_offset(self, path: Sequence[str | int]) -> int | None:
        """Return the text offset of a path, or that of the nearest enclosing table if the path is not in the
        text.
        """
        for end in range(len(path), 0, -1):
            part = tuple(path[:end])
            below = (header.start for header in self.headers if header.path[:end] == part)
            found = self.offsets.get(part, next(below, None))
            if found is not None:
                return found
        return None

    def find_line_number(self, path: Sequence[str | int]) -> int | None:
        """Return the line number, counted from 1, of a path or of the nearest enclosing table."""
        offset = self.find_offset(path)
        return None if offset is None else self.text.count("\n", 0, offset) + 1

    def _scan_document(self) -> None:
        table: KeyPath = ()
        while self._skip_token():
            if self.text[self._at] == "[":
                table = self._read_header()
                self._in_row = not self._within_rows and any(type(step) is int for step in table)
            else:
                self._read_pair(table)
            self.ends.append(self._at)

    def _skip_token(self) -> bool:
        match = _GAP_PATTERN.match(self.text, self._at)
        self._at = match.end() if match else self._at
        return self._at < len(self.text)

    def _read_header(self) -> KeyPath:
        start = self._at
        array = self.text.startswith("[[", start)
        self._at += 2 if array else 1
        keys = self._read_dotted_key()
        self._at += 2 if array else 1
        path = (*self._resolve_path(keys[:-1]), keys[-1])
        if array:
            count = self._counts.get(path, 0)
            self._counts[path] = count + 1
            self.offsets.setdefault(path, start)
            path = (*path, count)
        else:
            path = self._get_last_item(path)
        self.offsets[path] = start
        self.headers.append(TableHeader(path, self.text.rfind("\n", 0, start) + 1, array))
        return path

    def _resolve_path(self, keys: Sequence[str]) -> KeyPath:
        path: KeyPath = ()
        for key in keys:
            path = self._get_last_item((*path, key))
        return path

    def _get_last_item(self, path: KeyPath) -> KeyPath:
        return (*path, self._counts[path] - 1) if path in self._counts else path

    def _read_dotted_key(self) -> list[str]:
        plain = _DOTTED_KEY_PATTERN.match(self.text, self._at)
        if plain is not None:
            self._at = plain.end()
            return plain[1].split(".")
        keys: list[str] = []
        while True:
            self._skip_spaces()
            keys.append(self._read_key())
            self._skip_spaces()
            if not self.text.startswith(".", self._at):
                return keys
            self._at += 1

    def _skip_spaces(self) -> None:
        while self.text[self._at : self._at + 1] in (" ", "\t"):
            self._at += 1

    def _read_key(self) -> str:
        match = _BARE_KEY_PATTERN.match(self.text, self._at) or _STRING_PATTERN.match(
            self.text, self._at
        )
        if match is None:
            raise ValueError("not a key")
        self._at = match.end()
        written = match[0]
        return next(iter(tomllib.loads(f"{written} = 0"))) if written[0] in "\"'" else written

    def _read_pair(self, table: KeyPath) -> None:
        start = self._at
        plain = _KEY_AND_EQUALS_PATTERN.match(self.text, start)
        if plain is not None:
            self._at = plain.end()
            path = (*table, plain[1])
            self.offsets.setdefault(path, start)
        else:
            path = table
            for key in self._read_dotted_key():
                path = (*path, key)
                self.offsets.setdefault(path, start)
            self._at += 1
            self._skip_spaces()
        if not (self._in_row and self._skip_value()):
            self._read_value(path)

    def _skip_value(self) -> bool:
        """Skip a short value on one line. Returns False, and skips nothing, if the value has another form."""
        value = _SHORT_VALUE_PATTERN.match(self.text, self._at)
        if value is None:
            return False
        self._at = value.end()
        return True

    def _read_value(self, path: KeyPath) -> None:
        first = self.text[self._at]
        if first == "[":
            self._read_array(path)
        elif first == "{":
            self._read_inline_table(path)
        else:
            match = (_STRING_PATTERN if first in "\"'" else _SCALAR_PATTERN).match(
                self.text, self._at
            )
            if match is None:
                raise ValueError("not a value")
            self._at = match.end()

    def _read_array(self, path: KeyPath) -> None:
        self._at += 1
        index = 0
        while self._skip_token() and self.text[self._at] != "]":
            if self.text[self._at] == ",":
                self._at += 1
                continue
            self.offsets[(*path, index)] = self._at
            self._read_value((*path, index))
            index += 1
        self._at += 1

    def _read_inline_table(self, path: KeyPath) -> None:
        self._at += 1
        while self._skip_token() and self.text[self._at] != "}":
            if self.text[self._at] == ",":
                self._at += 1
                continue
            self._read_pair(path)
        self._at += 1
