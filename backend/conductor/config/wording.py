"""Rewords the error messages of pydantic and tomllib in plain English, for the users of config.toml."""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from conductor.base.suggestions import format_suggestion
from conductor.domain.value import reword_message

MessageFormatter = Callable[[Mapping[str, Any]], str]

EXPECTED_TEXT = "must be a text in quotes"
_EXPECTED_INTEGER = "must be a whole number"
_EXPECTED_NUMBER = "must be a number"
_EXPECTED_BOOLEAN = "must be true or false"
EXPECTED_LIST = "must be a list in [ ]"
EXPECTED_TABLE = "must be a table, such as { key = value }"
WRONG_TYPE_MESSAGES = frozenset(
    (
        EXPECTED_TEXT,
        _EXPECTED_INTEGER,
        _EXPECTED_NUMBER,
        _EXPECTED_BOOLEAN,
        EXPECTED_LIST,
        EXPECTED_TABLE,
    )
)
"""The messages that only say which type a value must have."""


def _format_limit(words: str, key: str) -> MessageFormatter:
    return lambda ctx: f"must be {words} {ctx.get(key)}"


def _format_count(words: str, key: str, noun: str) -> MessageFormatter:
    def format_message(ctx: Mapping[str, Any]) -> str:
        number = ctx.get(key)
        return f"must have {words} {number} {noun}{'' if number == 1 else 's'}"

    return format_message


def _format_choices(ctx: Mapping[str, Any]) -> str:
    names = re.findall(r"'([^']*)'", str(ctx.get("expected", "")))
    return f"must be one of {', '.join(f'`{name}`' for name in names)}"


def build_note_name_hint(value: object) -> str | None:
    """Return a hint with the number of a note name such as `C1`, or None for any other value.

    Middle C, note 60, is called C3.
    """
    found = re.fullmatch(r"([A-Ga-g])([#b]?)(-?\d)", value) if isinstance(value, str) else None
    if found is None:
        return None
    step = {"c": 0, "d": 2, "e": 4, "f": 5, "g": 7, "a": 9, "b": 11}[found[1].lower()]
    number = step + {"": 0, "#": 1, "b": -1}[found[2]] + 12 * (int(found[3]) + 2)
    if not 0 <= number < 128:
        return None
    return f"write the note as its number; {value} is {number} here (middle C, 60, is called C3)"


_MESSAGE_BY_ERROR_TYPE: dict[str, str | MessageFormatter] = {
    "missing": "is missing",
    "string_type": EXPECTED_TEXT,
    "int_type": _EXPECTED_INTEGER,
    "int_parsing": _EXPECTED_INTEGER,
    "int_parsing_size": "is too large a number",
    "int_from_float": _EXPECTED_INTEGER,
    "float_type": _EXPECTED_NUMBER,
    "float_parsing": _EXPECTED_NUMBER,
    "finite_number": "must be a finite number",
    "bool_type": _EXPECTED_BOOLEAN,
    "bool_parsing": _EXPECTED_BOOLEAN,
    "tuple_type": EXPECTED_LIST,
    "list_type": EXPECTED_LIST,
    "dict_type": EXPECTED_TABLE,
    "model_type": EXPECTED_TABLE,
    "model_attributes_type": EXPECTED_TABLE,
    "recursion_loop": "is nested too deeply",
    "literal_error": _format_choices,
    "greater_than": _format_limit("more than", "gt"),
    "greater_than_equal": _format_limit("at least", "ge"),
    "less_than": _format_limit("less than", "lt"),
    "less_than_equal": _format_limit("at most", "le"),
    "too_short": _format_count("at least", "min_length", "item"),
    "too_long": _format_count("at most", "max_length", "item"),
    "string_too_short": _format_count("at least", "min_length", "character"),
    "string_too_long": _format_count("at most", "max_length", "character"),
    "string_pattern_mismatch": lambda ctx: f"does not have the right form (`{ctx.get('pattern')}`)",
}


def list_error_details(error: ValidationError) -> list[ErrorDetails]:
    """Return the errors of a validation.

    An error that a list is too short is left out if items of it have errors of their own, because pydantic
    does not count these items.
    """
    details = error.errors(include_url=False)
    outer = {detail["loc"][:end] for detail in details for end in range(len(detail["loc"]))}
    return [
        detail for detail in details if detail["type"] != "too_short" or detail["loc"] not in outer
    ]


def reword_error(detail: ErrorDetails) -> str:
    """Return the message of a pydantic error in plain English.

    Unknown keys and types have functions of their own.
    """
    kind, place = detail["type"], {str(step) for step in detail["loc"][-3:]}
    if kind.startswith("int_") and not place.isdisjoint(("note", "notes")):
        hint = build_note_name_hint(detail["input"])
        if hint is not None:
            return hint
    message = _MESSAGE_BY_ERROR_TYPE.get(kind)
    if message is None:
        message = reword_message(detail["msg"])
        return message if kind.endswith("_error") else message.replace("a valid ", "a ")
    return message if isinstance(message, str) else message(detail.get("ctx", {}))


def join_alternatives(messages: Iterable[str]) -> str:
    """Join the messages that the alternatives of a union have about one value.

    Messages about the type of the value are dropped if other messages remain.
    """
    distinct = list(dict.fromkeys(messages))
    distinct = [message for message in distinct if message not in WRONG_TYPE_MESSAGES] or distinct
    if all(message.startswith("must be ") for message in distinct):
        return "must be " + ", or ".join(message.removeprefix("must be ") for message in distinct)
    return ", or ".join(distinct)


def describe_unknown_key(key: str, known: Iterable[str]) -> str:
    """Return the error message for an unknown key, which suggests the most similar known key."""
    names = sorted(known)
    near = find_nearest_key(key, names)
    hint = f" - did you mean `{near}`?" if near else format_suggestion(key, names)
    return f"unknown key `{key}`{hint}"


def find_nearest_key(key: str, known: Iterable[str]) -> str | None:
    """Return the known key that the user probably meant, or None if no key is similar enough."""
    nearest = max(known, key=lambda name: _compute_similarity(key, name), default=None)
    return nearest if nearest is not None and _compute_similarity(key, nearest) >= 0.5 else None


def _compute_similarity(key: str, name: str) -> float:
    """Return the similarity of two keys from 0 to 1.

    A shared prefix increases the similarity, so that `velocty` finds `velocity_min`. Keys of the same words
    in another order have similarity 1, because the names `velocity_min` and `min_velocity` both exist.
    """
    key, name = key.lower(), name.lower()
    if sorted(key.split("_")) == sorted(name.split("_")):
        return 1.0
    whole = difflib.SequenceMatcher(None, key, name).ratio()
    start = difflib.SequenceMatcher(None, key, name[: len(key) + 1]).ratio()
    return max(whole, start - 0.1)


def describe_unknown_type(tag: str, tags: Iterable[str]) -> str:
    """Return the error message for a missing or unknown `type`, with the most similar and all valid types."""
    names = list(tags)
    if not names:
        return "`type` is missing"
    if tag in ("None", ""):
        return f"`type` is missing; it is one of {', '.join(names)}"
    lowered = {name.lower(): name for name in names}
    near = difflib.get_close_matches(tag.lower(), lowered, n=1, cutoff=0.6)
    hint = f" - did you mean `{lowered[near[0]]}`? Types are" if near else "; types are"
    return f"unknown type `{tag[:60]}`{hint} {', '.join(names)}"


_SYNTAX_MESSAGES = (
    ("Invalid value", "this value cannot be read; texts need quotes"),
    ("Expected '='", "a key needs `=` and a value after it"),
    (
        "Expected newline or end of document",
        "there is extra text after the value",
    ),
    ("Cannot overwrite a value", "this key is already set further up"),
    ("Duplicate inline table key", "this key is set twice"),
    ("Cannot declare", "this table is already defined further up"),
    ("Cannot mutate immutable", "this table was closed with `}` further up and cannot be extended"),
    ("Unterminated string", "a quote is not closed"),
    ("Expected \"'''\"", "a text in ''' is not closed"),
    ('Expected \'"""\'', 'a text in """ is not closed'),
    ('Expected "\'"', "a quote is not closed"),
    ("Unclosed array", "a list is not closed with `]`, or a comma is missing"),
    ("Unclosed inline table", "a `{` is not closed with `}` on its line, or a comma is missing"),
    ("Expected ']]'", "a `[[table]]` name is not closed with `]]`"),
    ("Expected ']'", "a table name is not closed with `]`"),
    (
        "Invalid initial character for a key",
        "a key is expected; keys are letters, digits, `_`, `-`",
    ),
    ("Invalid statement", "this is neither a `key = value` nor a `[table]`"),
    ("Unescaped '\\'", "a backslash in \"...\" must be doubled, or the text put in '...'"),
    ("Escaped character is not", "this `\\u` code stands for no character"),
    ("Invalid hex value", "`\\u` needs hexadecimal digits after it"),
    ("Invalid date or datetime", "this is not a date; texts need quotes"),
    ("Found invalid character", "there is an invisible control character here; delete it"),
    (
        "Illegal character",
        "a quote is not closed on its line, or a control character is in it",
    ),
)
_POSITION_PATTERN = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def reword_syntax_error(error: ValueError, text: str) -> tuple[int | None, str]:
    """Return the line of a TOML syntax error, or None if it is unknown, and a message in plain English."""
    message = str(error)
    if message.startswith("Exceeds the limit"):
        digits = re.search(r"[\d_]{4300,}", text)
        line = text.count("\n", 0, digits.start()) + 1 if digits else None
        return line, "a number has too many digits"
    place = _POSITION_PATTERN.search(message)
    words = next((plain for start, plain in _SYNTAX_MESSAGES if message.startswith(start)), None)
    words = words or _POSITION_PATTERN.sub("", message)
    if place is None:
        return None, words
    if place[1] is None:
        early = "" if words.startswith("this") else "the file ends too early: "
        return text.count("\n") + 1, f"{early}{words}"
    return int(place[1]), f"column {place[2]}: {words}"
