"""The words of other people's servers, made safe to show to a person and to a model."""

import re
from typing import Any

from conductor.base.invisible_chars import clean
from conductor.base.redact import redact

_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # titles, links
    r"|\x1b[ -/]*[0-~]"
)
_GAPS = re.compile(r"\n{3,}")
NAME = 128
LINE = 300
TEXT = 2_000
"""Characters that are kept of a name, of a title and of a description."""


def clean_text(text: object, limit: int) -> str:
    """Take out escape sequences and what nobody sees, and cut it."""
    if not isinstance(text, str):
        return ""
    shorter = text[: limit * 2 + 1_000]  # looking at each character of megabytes would take seconds
    shorter = clean(_ESCAPES.sub("", shorter))
    shorter = _GAPS.sub("\n\n", shorter).strip()
    return shorter if len(shorter) <= limit else shorter[: limit - 1].rstrip() + "…"


def one_line(text: object, limit: int = LINE) -> str:
    """Return it as a single line."""
    return " ".join(clean_text(text, limit).split())


def for_log(text: str, limit: int = 500) -> str:
    """Return a line that the server wrote as the log shows it."""
    return redact(one_line(text, limit))


def plain_data(data: Any, room: int) -> tuple[Any, bool]:
    """Return JSON data with clean texts, cut to `room` characters, and whether it is complete."""
    left = [room]
    return _taken(data, left, 0), left[0] >= 0


def _taken(data: Any, left: list[int], depth: int) -> Any:
    left[0] -= 4
    if left[0] < 0 or depth > 40:
        left[0] = -1
        return None
    if isinstance(data, str):
        text = clean_text(data, max(left[0], 1))
        left[0] -= len(data)
        return text
    if isinstance(data, dict):
        taken: dict[str, Any] = {}
        for key, value in data.items():
            if left[0] < 0:
                break
            left[0] -= len(str(key))
            taken[clean_text(str(key), LINE)] = _taken(value, left, depth + 1)
        return taken
    if isinstance(data, list):
        items: list[Any] = []
        for value in data:
            if left[0] < 0:
                break
            items.append(_taken(value, left, depth + 1))
        return items
    if isinstance(data, int) and abs(data) > 2**63:
        return float(data) if abs(data) < 10**300 else None
    return data
