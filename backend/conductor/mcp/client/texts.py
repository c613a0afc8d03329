"""Cleans and shortens the texts of third-party servers before a user or a model sees them."""

import re
from typing import Any

from conductor.base.invisible_chars import remove_hidden
from conductor.base.json_types import JsonObject
from conductor.base.redact import redact_secrets

_ESCAPE_SEQUENCES = re.compile(
    # escape sequences for colours, cursor movements, titles and links
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # titles, links
    r"|\x1b[ -/]*[0-~]"
)
_BLANK_LINES = re.compile(r"\n{3,}")
MAX_CLEAN_NAME_LENGTH = 128
MAX_CLEAN_LINE_LENGTH = 300
MAX_CLEAN_TEXT_LENGTH = 2_000
"""The maximum length of a description in characters. Names and single lines have lower limits."""


def clean_text(text: object, limit: int) -> str:
    """Return a text without escape sequences and invisible characters, of at most `limit` characters.

    A value that is not a string gives an empty text.
    """
    if not isinstance(text, str):
        return ""
    shorter = text[: limit * 2 + 1_000]  # cut first, because cleaning megabytes takes seconds
    shorter = remove_hidden(_ESCAPE_SEQUENCES.sub("", shorter))
    shorter = _BLANK_LINES.sub("\n\n", shorter).strip()
    return shorter if len(shorter) <= limit else shorter[: limit - 1].rstrip() + "…"


def clean_line(text: object, limit: int = MAX_CLEAN_LINE_LENGTH) -> str:
    """Return a cleaned text as a single line."""
    return " ".join(clean_text(text, limit).split())


def format_log_line(text: str, limit: int = 500) -> str:
    """Return a line of the server's output for the log, cleaned and without secrets."""
    return redact_secrets(clean_line(text, limit))


def clean_json_data(data: Any, limit: int) -> tuple[Any, bool]:
    """Clean all texts in JSON data and cut the data to `limit` characters.

    Return the data, and whether it is complete.
    """
    remaining = [limit]
    return _clean_json_value(data, remaining, 0), remaining[0] >= 0


def _clean_json_value(data: Any, remaining: list[int], depth: int) -> Any:
    remaining[0] -= 4
    if remaining[0] < 0 or depth > 40:
        remaining[0] = -1
        return None
    if isinstance(data, str):
        text = clean_text(data, max(remaining[0], 1))
        remaining[0] -= len(data)
        return text
    if isinstance(data, dict):
        cleaned: JsonObject = {}
        for key, value in data.items():
            if remaining[0] < 0:
                break
            remaining[0] -= len(str(key))
            cleaned[clean_text(str(key), MAX_CLEAN_LINE_LENGTH)] = _clean_json_value(
                value, remaining, depth + 1
            )
        return cleaned
    if isinstance(data, list):
        items: list[Any] = []
        for value in data:
            if remaining[0] < 0:
                break
            items.append(_clean_json_value(value, remaining, depth + 1))
        return items
    if isinstance(data, int) and abs(data) > 2**63:  # too large for most JSON parsers
        return float(data) if abs(data) < 10**300 else None
    return data
