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


class BadLine(Exception):
    """Raised if a line is not a valid message; `answer` is the error response."""

    def __init__(self, code: int, message: str, number: Any = None) -> None:
        super().__init__(message)
        self.answer = build_error(number, code, message)


def parse_message(line: bytes) -> JsonObject:
    """Parse a line as a JSON-RPC request, notification or response.

    Raises:
        BadLine: the line is none of them.
    """
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise BadLine(PARSE_ERROR, "Parse error: a line must be one JSON object") from None
    if not isinstance(message, dict):
        raise BadLine(INVALID_REQUEST, "Invalid request: a line must be one object; no batches")
    number = message.get("id")
    if isinstance(number, bool) or not isinstance(number, str | int | float | None):
        raise BadLine(INVALID_REQUEST, "Invalid request: `id` must be a string or a number")
    if isinstance(number, float) and not math.isfinite(
        number
    ):  # json accepts NaN, which JSON does not have
        raise BadLine(INVALID_REQUEST, "Invalid request: `id` must be a finite number")
    if message.get("jsonrpc") != "2.0":
        raise BadLine(INVALID_REQUEST, 'Invalid request: `jsonrpc` must be "2.0"', number)
    if "method" in message:
        if not isinstance(message["method"], str):
            raise BadLine(INVALID_REQUEST, "Invalid request: `method` must be a string", number)
    elif number is None or ("result" in message) == ("error" in message):
        raise BadLine(INVALID_REQUEST, "Invalid request: `method` is missing", number)
    return message


def encode_message(message: JsonObject) -> bytes:
    """Encode a message as one line."""
    return json.dumps(message).encode() + b"\n"


def build_result(number: Any, value: Any) -> JsonObject:
    """Build the response to a request that succeeded."""
    return {"jsonrpc": "2.0", "result": value, "id": number}


def build_error(number: Any, code: int, message: str, kind: str | None = None) -> JsonObject:
    """Build the response to a request that failed; `kind` is a more specific code than `code`."""
    details: JsonObject = {"code": code, "message": message}
    if kind is not None:
        details["data"] = {"kind": kind}
    return {"jsonrpc": "2.0", "error": details, "id": number}


def build_refusal(number: Any, reason: ConductorError) -> JsonObject:
    """Build the error response for one of Conductor's exceptions."""
    return build_error(number, reason.number, str(reason), reason.code)
