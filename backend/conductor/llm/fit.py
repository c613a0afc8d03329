"""Sanitizes the output of a model so that it can be stored and sent again: complete characters, plain names,
limited depth.
"""

import json
from math import isfinite
from typing import Any, cast

from conductor.base.invisible_chars import is_hidden
from conductor.base.json_types import JsonObject
from conductor.domain.storable import repair_surrogates as repair_surrogates

MAX_JSON_DEPTH = 64
MAX_TOOL_NAME_LENGTH = 128


class IncompleteTextJoiner:
    """Joins streamed pieces of text, withholding incomplete characters. A piece may end in the middle of a
    character.
    """

    def __init__(self) -> None:
        self._incomplete = ""

    def add(self, piece: str) -> str:
        """Add a piece of text and return the characters that are complete so far."""
        text, self._incomplete = self._incomplete + piece, ""
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._incomplete = text[:-1], text[-1]
        return repair_surrogates(text)


def clean_tool_name(name: str) -> str:
    """Return a tool name with its invisible characters removed."""
    return (
        "".join(char for char in repair_surrogates(name) if not is_hidden(char))[
            :MAX_TOOL_NAME_LENGTH
        ]
        or "unknown"
    )


def parse_tool_arguments(raw: Any) -> tuple[JsonObject, str | None]:
    """Parse the arguments of a tool call. Return an empty object and the raw text if they are not a JSON
    object.
    """
    try:
        read = json.loads(raw) if isinstance(raw, str) and raw.strip() else raw or {}
        if isinstance(read, dict):
            return copy_plain_json(cast(JsonObject, read)), None
    except (ValueError, RecursionError):
        pass
    return {}, serialize_tool_arguments(raw)


def serialize_tool_arguments(arguments: Any) -> str:
    """Serialize the arguments of a tool call as JSON text, as far as possible."""
    if isinstance(arguments, str):
        return repair_surrogates(arguments)
    try:
        return json.dumps(arguments)
    except (ValueError, TypeError, RecursionError):
        return "(cannot be written as JSON)"


def copy_plain_json(value: Any, depth: int = 0) -> Any:
    """Return a copy of a JSON value whose strings contain only complete characters.

    Raises:
        ValueError: it is nested too deeply, or contains a number that JSON does not have.
    """
    if depth > MAX_JSON_DEPTH or (isinstance(value, float) and not isfinite(value)):
        raise ValueError("not plain JSON")
    if isinstance(value, str):
        return repair_surrogates(value)
    if isinstance(value, dict):
        rows = cast(JsonObject, value).items()
        return {repair_surrogates(key): copy_plain_json(item, depth + 1) for key, item in rows}
    if isinstance(value, list):
        return [copy_plain_json(item, depth + 1) for item in cast("list[Any]", value)]
    return value
