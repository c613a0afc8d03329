"""Cleans the output of a model so that it can be stored as JSON and sent to any provider.

Incomplete characters, invisible characters in names, and deep nesting are removed or rejected.
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
    """Joins streamed pieces of text and holds back a character whose second half has not arrived.

    A piece may end between the two surrogates of a character such as an emoji.
    """

    def __init__(self) -> None:
        self._incomplete = ""

    def add(self, piece: str) -> str:
        """Append a piece of text and return the characters that became complete."""
        text, self._incomplete = self._incomplete + piece, ""
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._incomplete = text[:-1], text[-1]
        return repair_surrogates(text)


def clean_tool_name(name: str) -> str:
    """Return the name of a tool as a model wrote it, without invisible characters."""
    return (
        "".join(char for char in repair_surrogates(name) if not is_hidden(char))[
            :MAX_TOOL_NAME_LENGTH
        ]
        or "unknown"
    )


def parse_tool_arguments(raw: Any) -> tuple[JsonObject, str | None]:
    """Parse the arguments of a tool call.

    If the model did not write a JSON object, return an empty object and the text that it wrote.
    """
    try:
        read = json.loads(raw) if isinstance(raw, str) and raw.strip() else raw or {}
        if isinstance(read, dict):
            return copy_plain_json(cast(JsonObject, read)), None
    except (ValueError, RecursionError):
        pass
    return {}, serialize_tool_arguments(raw)


def serialize_tool_arguments(arguments: Any) -> str:
    """Return the arguments of a tool call as JSON text, or a short note if they cannot be written as JSON."""
    if isinstance(arguments, str):
        return repair_surrogates(arguments)
    try:
        return json.dumps(arguments)
    except (ValueError, TypeError, RecursionError):
        return "(cannot be written as JSON)"


def copy_plain_json(value: Any, depth: int = 0) -> Any:
    """Return a copy of a JSON value without incomplete characters in its strings.

    Raises:
        ValueError: The value is nested too deeply, or contains a number that JSON lacks, such as NaN.
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
