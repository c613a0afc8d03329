"""Matches the regular expressions in configs and device profiles, in linear time.

Python's regex engine backtracks, so that a window title chosen by a web page could keep it busy for years.
This module uses the engine that comes with pydantic, Rust's `regex`, whose time grows with the size of the
pattern times the length of the text. Rust's engine supports the letters of all languages, but neither
look-around nor backreferences. Negative look-ahead is too common to reject, and is therefore replaced by two
patterns: `A(?!B)C` matches where `AC` matches and `AB` does not.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from pydantic_core import SchemaError, SchemaValidator, core_schema

MAX_REGEX_LENGTH = 256
MAX_SEARCHED_CHARACTERS = 256
MAX_PATTERN_COST, MAX_TOTAL_PATTERN_COST = 300, 10_000
"""The limits for the size of one pattern, and of all patterns together. The worst known pattern of the first
size takes 15 ms for a title of 256 letters, and 57 ms for a title of 1,000 letters. A title thus takes half
a second at the very worst; an engine is killed after three without a beat."""
_SMALL_CLASS_COST, _LARGE_CLASS_COST = 8, 25
"""The sizes of a character class: a small one counts its ranges, and the class of
all letters is the largest."""

_SUPPORTED_GROUP = re.compile(r"\(\?(?:P?<[A-Za-z_]\w*>|[imsu]*(?:-[ims]+)?[:)])|\((?!\?)|\(\?!")
_REPEAT_COUNT = re.compile(r"\{(\d+)(?:,(\d*))?\}")
_LOOK_BEHIND = re.compile(r"\(\?<=([^()]*)\)([^()]*)$")
_LOOK_AHEAD = re.compile(r"^([^()]*)\(\?=([^()]*)\)$")


def validate_pattern(pattern: str) -> str:
    """Return a pattern unchanged if it is supported.

    Raises:
        ValueError: the pattern is not supported; the message says what to write instead.
    """
    _compile_pattern(pattern)
    return pattern


def contains_match(pattern: str, text: str) -> bool:
    """Return whether a valid pattern matches in the first `MAX_SEARCHED_CHARACTERS` characters of a text."""
    _, wanted, unwanted = _compile_pattern(pattern)
    text = text[:MAX_SEARCHED_CHARACTERS]
    # Rust's engine rejects lone surrogates, which a broken window title may contain.
    if not text.isascii():
        text = text.encode(errors="replace").decode()
    return wanted.isinstance_python(text) and not any(p.isinstance_python(text) for p in unwanted)


def estimate_pattern_cost(pattern: str) -> int:
    """Return the approximate number of states of a valid pattern, which is the cost of
    searching per character.
    """
    return _compile_pattern(pattern).size


class _CompiledPattern(NamedTuple):
    size: int
    wanted: SchemaValidator
    unwanted: tuple[SchemaValidator, ...]


@lru_cache(maxsize=1024)
def _compile_pattern(pattern: str) -> _CompiledPattern:
    scan = _PatternScanner(pattern)
    if scan.size > MAX_PATTERN_COST:
        raise ValueError(
            f"the regular expression is too large (size {scan.size}, at most {MAX_PATTERN_COST}): "
            "write `*` or `+` instead of counts such as {0,100}, or fewer classes such as \\w"
        )
    try:
        return _CompiledPattern(
            scan.size,
            _build_validator(scan.build_pattern_without_look_aheads()),
            tuple(map(_build_validator, scan.list_excluded_patterns())),
        )
    except SchemaError as error:
        reason = str(error).rpartition("error: ")[2].strip().removesuffix(".")
        raise ValueError(f"not a regular expression: {reason}") from None


def _build_validator(pattern: str) -> SchemaValidator:
    return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))


class _PatternScanner:
    """Scans a regular expression to measure its size, and rejects what Python and Rust
    would interpret differently.
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._open: list[tuple[int, bool]] = []
        """For each open group, its start and whether it is a negative look-ahead."""
        self._sizes = [0]
        self._last = 0
        """The size of the last item, which a repetition count after it would multiply."""
        self._has_alternatives = False
        self._not_followed: list[tuple[int, int]] = []
        while self._at < len(pattern):
            self._scan_char(pattern[self._at])
        if self._open:
            raise ValueError("not a regular expression: a parenthesis is not closed")
        if self._not_followed and self._has_alternatives:
            raise _build_look_ahead_error()
        self.size = self._sizes[0]

    def build_pattern_without_look_aheads(self) -> str:
        """Return the pattern without its negative look-aheads."""
        return self._remove_look_aheads(len(self._pattern))

    def list_excluded_patterns(self) -> list[str]:
        """Return a pattern for each negative look-ahead: the pattern up to it, and what must not follow."""
        return [
            f"{self._remove_look_aheads(start)}(?:{self._pattern[start + 3 : end - 1]})"
            for start, end in self._not_followed
        ]

    def _remove_look_aheads(self, until: int) -> str:
        kept, at = "", 0
        for start, end in self._not_followed:
            if end <= until:
                kept, at = kept + self._pattern[at:start], end
        return kept + self._pattern[at:until]

    def _scan_char(self, char: str) -> None:
        match char:
            case "\\":
                self._scan_escape()
            case "[":
                self._scan_character_class()
            case "(":
                self._open_group()
            case ")":
                self._close_group()
            case "*" | "+" | "?" | "{":
                self._scan_repeat()
            case _:
                self._has_alternatives |= char == "|" and not self._open
                self._add_states(_SMALL_CLASS_COST if char == "." else 1, self._at + 1)

    def _add_states(self, item: int, end: int) -> None:
        self._sizes[-1] += item
        self._last, self._at = item, end

    def _scan_escape(self) -> None:
        char = self._pattern[self._at + 1 : self._at + 2]
        if char.isdigit():
            raise ValueError(
                f"a backreference such as \\{char} is not supported: write out the texts that may come, "
                "such as (aa|bb); for a character by its number write \\x07"
            )
        if char == "Z":
            raise ValueError("\\Z is not supported: write `$` for the end")
        if char in ("<", ">"):
            raise ValueError(f"\\{char} means something else here: write `{char}`")
        end = self._at + 2
        if self._pattern.startswith("{", end):
            if char in ("b", "B"):
                raise ValueError(f"\\{char}{{ means something else here: write `\\{char}\\{{`")
            if char in ("p", "P", "x", "u", "U"):
                end = self._pattern.find("}", end) + 1 or len(self._pattern)
        self._add_states(_estimate_class_cost(f"\\{char}") if char.isalpha() else 1, end)

    def _scan_character_class(self) -> None:
        start = self._at + 1 + self._pattern.startswith("^", self._at + 1)
        end = start + self._pattern.startswith("]", start)
        while end < len(self._pattern) and self._pattern[end] != "]":
            if self._pattern[end] == "[":
                raise ValueError("inside [ ] a bracket is written `\\[`")
            end += 2 if self._pattern[end] == "\\" else 1
        inside = self._pattern[start:end]
        twice = next((two for two in ("&&", "--", "~~") if two in inside), None)
        if twice is not None:
            raise ValueError(f"inside [ ] {twice} means something else here: do not write it twice")
        self._add_states(max(_SMALL_CLASS_COST, _estimate_class_cost(inside)), end + 1)

    def _open_group(self) -> None:
        found = _SUPPORTED_GROUP.match(self._pattern, self._at)
        if found is None:
            raise ValueError(_format_syntax_advice(self._pattern, self._at))
        if found[0].startswith("(?") and found[0].endswith(")"):  # flags for the rest of the group
            self._add_states(0, found.end())
            return
        if found[0] == "(?!" and self._open:
            raise _build_look_ahead_error()
        self._open.append((self._at, found[0] == "(?!"))
        self._sizes.append(0)
        self._add_states(0, found.end())

    def _close_group(self) -> None:
        if not self._open:
            raise ValueError(
                "not a regular expression: a parenthesis is closed that was not opened"
            )
        start, is_look_ahead = self._open.pop()
        self._add_states(self._sizes.pop() + 1, self._at + 1)
        if is_look_ahead:
            self._not_followed.append((start, self._at))
            if self._pattern[self._at : self._at + 1] in ("*", "+", "?", "{"):
                raise ValueError("not a regular expression: (?!...) cannot be repeated")

    def _scan_repeat(self) -> None:
        end = self._at + 1
        if self._pattern[self._at] == "{":
            found = _REPEAT_COUNT.match(self._pattern, self._at)
            if found is None:
                raise ValueError(
                    "a brace that is not a count is written `\\{`; for {,3} write {0,3}"
                )
            most = max(int(found[1]), int(found[2] or 0), 1)
            end = found.end()
            self._sizes[-1] += self._last * (most - 1)
            self._last *= most
        after = self._pattern[end : end + 1]
        if after == "+":
            raise ValueError(
                "possessive repetition such as `*+` is not known: leave out the second `+`"
            )
        self._at = end + (after == "?")


def _estimate_class_cost(text: str) -> int:
    large = re.search(r"\\[wWpPDS]", text)
    return _LARGE_CLASS_COST if large else _SMALL_CLASS_COST if re.search(r"\\[ds]", text) else 1


def _build_look_ahead_error() -> ValueError:
    return ValueError(
        "(?!...) can be searched for only outside of parentheses, and not beside a | outside of them: "
        "say what must not follow at the end, such as `beatstep(?! ?pro)`"
    )


def _format_syntax_advice(pattern: str, at: int) -> str:
    """Return advice on what to write in place of a group that is not supported."""
    rest = pattern[at:]
    if rest.startswith(("(?<=", "(?=")):
        together = (
            _LOOK_BEHIND.match(rest) if rest.startswith("(?<=") else _LOOK_AHEAD.match(pattern)
        )
        instead = f" `{together[1]}{together[2]}`" if together else " it as an ordinary part"
        return f"look-around is not supported: write{instead}, which is found in the same texts"
    if rest.startswith("(?<!"):
        return (
            "look-behind is not supported: say what may come before, such as `(^|[^x])y`, "
            "instead of `(?<!x)y`"
        )
    if rest.startswith("(?P="):
        return (
            "a backreference is not supported: write out the texts that may come, such as (aa|bb)"
        )
    if rest.startswith("(?>"):
        return "(?> is not known: write `(?:`"
    if rest.startswith("(?("):
        return "a condition is not supported: write the two cases with |"
    if rest.startswith("(?#"):
        return "a comment (?#...) is not known: leave it out"
    return f"{rest[:6]} is not known: leave it out; the flags are i, m and s, such as (?i)"
