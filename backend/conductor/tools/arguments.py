"""Limits the size of raw tool arguments, and shortens them and hides secrets for the audit log."""

import re
from typing import Any

from conductor.base.json_types import JsonObject
from conductor.base.redact import REDACTED_TEXT, redact_secrets
from conductor.errors import InvalidParams

MAX_ARGUMENT_DEPTH = 24
MAX_ARGUMENT_SIZE = 200_000
MAX_LOGGED_CHARACTERS = 4_000
MAX_LOGGED_TEXT_LENGTH = 400
MAX_LOGGED_ITEMS = 50
MAX_LOGGED_DEPTH = 8

_SECRET_NAME_PATTERN = re.compile(
    r"api[_-]?key|token|secret|passw|passphrase|authori[sz]ation|credential|bearer|cookie|private[_-]?key"
    r"|^env$|^headers$",
    re.IGNORECASE,
)


def reject_oversized_arguments(arguments: JsonObject) -> None:
    """Check the size and the depth of raw tool arguments before they are parsed.

    Raises:
        InvalidParams: The arguments exceed a limit, which the message names.
    """
    size, level = 0, 0
    items: list[Any] = [arguments]
    while items:
        level += 1
        if level > MAX_ARGUMENT_DEPTH:
            raise InvalidParams(
                f"Invalid params: nested more than {MAX_ARGUMENT_DEPTH} levels deep"
            )
        below: list[Any] = []
        for item in items:
            size += 1 + (len(item) if isinstance(item, str) else 0)
            if isinstance(item, dict):
                size += sum(len(str(key)) for key in item)
                below += item.values()
            elif isinstance(item, list):
                below += item
            if size > MAX_ARGUMENT_SIZE:
                raise InvalidParams(f"Invalid params: more than {MAX_ARGUMENT_SIZE} characters")
        items = below


def redact_arguments(arguments: JsonObject) -> JsonObject:
    """Return a copy of the arguments for the audit log, without secrets. Long texts and deep values are cut."""
    left = [MAX_LOGGED_CHARACTERS]
    return {
        _truncate_text(str(key), left): _redact_value(str(key), item, left, MAX_LOGGED_DEPTH)
        for key, item in list(arguments.items())[:MAX_LOGGED_ITEMS]
    }


def _redact_value(key: str, item: Any, left: list[int], depth: int) -> Any:
    if _SECRET_NAME_PATTERN.search(key) and item is not None:
        return REDACTED_TEXT
    if isinstance(item, str):
        return _truncate_text(item, left)
    if not isinstance(item, dict | list):
        return item
    if depth == 0 or left[0] <= 0:
        return "..."
    if isinstance(item, dict):
        pairs = list(item.items())[:MAX_LOGGED_ITEMS]
        return {
            _truncate_text(str(k), left): _redact_value(str(k), value, left, depth - 1)
            for k, value in pairs
        }
    left[0] -= 2 * min(len(item), MAX_LOGGED_ITEMS)
    return [_redact_value("", value, left, depth - 1) for value in item[:MAX_LOGGED_ITEMS]]


def _truncate_text(text: str, left: list[int]) -> str:
    shown = min(MAX_LOGGED_TEXT_LENGTH, max(0, left[0]))
    left[0] -= min(len(text), shown)
    clean = redact_secrets(text[: shown + 200])
    return clean if len(text) <= shown else f"{clean[:shown]}... ({len(text)} characters)"
