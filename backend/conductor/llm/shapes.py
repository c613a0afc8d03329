"""Tells the answer of a model's API from any other JSON, by the fields that one of the APIs has."""

import json
from typing import Any, cast

_OF_ANSWERS = ("choices", "output", "content", "candidates", "promptFeedback", "usageMetadata")
_IN_EVENTS = tuple(
    f'"{field}"'.encode()
    for field in ("type", "choices", "candidates", "promptFeedback", "usageMetadata", "error")
)
LONGEST_SIGN = max(map(len, _IN_EVENTS))


def is_answer(body: bytes) -> bool:
    """Return whether a whole body may be the answer of a model."""
    fields = _fields(body)
    return any(fields.get(name) is not None for name in _OF_ANSWERS)


def has_event(text: bytes) -> bool:
    """Return whether an event of an answer begins somewhere in a piece of a stream."""
    return any(sign in text for sign in _IN_EVENTS)


def error_status(body: bytes) -> int | None:
    """Return the status that an error should have had which came with 200, as proxies do; None: it is none."""
    error = _fields(body).get("error")
    if not error:
        return None
    code = cast("dict[str, Any]", error).get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 400


def asks_for_stream(body: bytes) -> bool:
    """Return whether a request wants its answer in events; Gemini's says so in its address."""
    return _fields(body).get("stream") is True


def _fields(body: bytes) -> dict[str, Any]:
    try:
        read: Any = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", read) if isinstance(read, dict) else {}
