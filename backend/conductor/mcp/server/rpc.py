"""Parses and builds JSON-RPC 2.0 messages, each on one line."""

import json
import math
from typing import Any

from conductor.base.json_types import JsonObject
from conductor.errors import ConductorError

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)


class InvalidMessageLine(Exception):
    """Raised if a line is not a valid message. `answer` is the error response."""

    def __init__(self, code: int, message: str, request_id: Any = None) -> None:
        super().__init__(message)
        self.answer = build_error_response(request_id, code, message)


def parse_message(line: bytes) -> JsonObject:
    """Parse a line as a JSON-RPC request, notification or response.

    Raises:
        InvalidMessageLine: The line is not a valid JSON-RPC message.
    """
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidMessageLine(
            PARSE_ERROR, "Parse error: a line must be one JSON object"
        ) from None
    if not isinstance(message, dict):
        raise InvalidMessageLine(
            INVALID_REQUEST, "Invalid request: a line must be one object; no batches"
        )
    request_id = message.get("id")
    if isinstance(request_id, bool) or not isinstance(request_id, str | int | float | None):
        raise InvalidMessageLine(
            INVALID_REQUEST, "Invalid request: `id` must be a string or a number"
        )
    # the `json` module accepts NaN and Infinity, which JSON does not allow
    if isinstance(request_id, float) and not math.isfinite(request_id):
        raise InvalidMessageLine(INVALID_REQUEST, "Invalid request: `id` must be a finite number")
    if message.get("jsonrpc") != "2.0":
        raise InvalidMessageLine(
            INVALID_REQUEST, 'Invalid request: `jsonrpc` must be "2.0"', request_id
        )
    if "method" in message:
        if not isinstance(message["method"], str):
            raise InvalidMessageLine(
                INVALID_REQUEST, "Invalid request: `method` must be a string", request_id
            )
    elif request_id is None or ("result" in message) == ("error" in message):
        raise InvalidMessageLine(
            INVALID_REQUEST, "Invalid request: `method` is missing", request_id
        )
    return message


def encode_message(message: JsonObject) -> bytes:
    """Return a message as one line of JSON with a line break at its end."""
    return json.dumps(message).encode() + b"\n"


def build_result_response(request_id: Any, value: Any) -> JsonObject:
    """Return the response to a request that succeeded."""
    return {"jsonrpc": "2.0", "result": value, "id": request_id}


def build_error_response(
    request_id: Any, code: int, message: str, kind: str | None = None
) -> JsonObject:
    """Return the response to a request that failed. `kind` is more specific than `code`."""
    details: JsonObject = {"code": code, "message": message}
    if kind is not None:
        details["data"] = {"kind": kind}
    return {"jsonrpc": "2.0", "error": details, "id": request_id}


def build_exception_response(request_id: Any, reason: ConductorError) -> JsonObject:
    """Return the error response for one of Conductor's exceptions."""
    return build_error_response(request_id, reason.number, str(reason), reason.code)
