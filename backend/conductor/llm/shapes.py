"""Recognizes answers and errors of model APIs by their JSON fields, without parsing them completely."""

import json
from typing import Any, cast

from conductor.base.json_types import JsonObject

_ANSWER_BODY_FIELDS = (
    "choices",
    "output",
    "content",
    "candidates",
    "promptFeedback",
    "usageMetadata",
)
_STREAM_EVENT_FIELDS = tuple(
    f'"{field}"'.encode()
    for field in ("type", "choices", "candidates", "promptFeedback", "usageMetadata", "error")
)
MAX_FIELD_LENGTH = max(map(len, _STREAM_EVENT_FIELDS))


def looks_like_answer(body: bytes) -> bool:
    """Return whether the body of an HTTP response contains the JSON fields of a model's answer."""
    fields = _parse_json_object(body)
    return any(fields.get(name) is not None for name in _ANSWER_BODY_FIELDS)


def contains_stream_event_start(text: bytes) -> bool:
    """Return whether a piece of a stream contains the first fields of a model's event."""
    return any(sign in text for sign in _STREAM_EVENT_FIELDS)


def find_error_status(body: bytes) -> int | None:
    """Return the HTTP status of an error that a proxy reports in a body with status 200, or None if the
    body is no error.
    """
    error = _parse_json_object(body).get("error")
    if not error:
        return None
    code = cast(JsonObject, error).get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 400


def requests_stream(body: bytes) -> bool:
    """Return whether the body of a request asks for a stream.

    Gemini is not covered, because its URL says so instead.
    """
    return _parse_json_object(body).get("stream") is True


def _parse_json_object(body: bytes) -> JsonObject:
    try:
        read: Any = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return cast(JsonObject, read) if isinstance(read, dict) else {}
