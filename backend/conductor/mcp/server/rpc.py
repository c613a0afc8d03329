"""JSON-RPC 2.0, one message a line: what is read, and what goes back when it cannot be."""

import json
import math
from typing import Any

from conductor.errors import ConductorError

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)
Message = dict[str, Any]


class BadLine(Exception):
    """A line that is no request; `answer` is what goes back."""

    def __init__(self, code: int, message: str, number: Any = None) -> None:
        super().__init__(message)
        self.answer = error(number, code, message)


def parse(line: bytes) -> Message:
    """Read a line as a request, a notification or a response.

    Raises:
        BadLine: it is none of them.
    """
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise BadLine(PARSE_ERROR, "Parse error: a line must be one JSON object") from None
    if not isinstance(message, dict):
        raise BadLine(INVALID_REQUEST, "Invalid request: a line must be one object; no batches")
    number = message.get("id")
    if isinstance(number, bool) or not isinstance(number, str | int | float | None):
        raise BadLine(INVALID_REQUEST, "Invalid request: `id` must be a text or a number")
    if isinstance(number, float) and not math.isfinite(
        number
    ):  # json reads NaN, which JSON has not
        raise BadLine(INVALID_REQUEST, "Invalid request: `id` must be a finite number")
    if message.get("jsonrpc") != "2.0":
        raise BadLine(INVALID_REQUEST, 'Invalid request: `jsonrpc` must be "2.0"', number)
    if "method" in message:
        if not isinstance(message["method"], str):
            raise BadLine(INVALID_REQUEST, "Invalid request: `method` must be a text", number)
    elif number is None or ("result" in message) == ("error" in message):
        raise BadLine(INVALID_REQUEST, "Invalid request: `method` is missing", number)
    return message


def encode(message: Message) -> bytes:
    """Return a message as a line."""
    return json.dumps(message).encode() + b"\n"


def result(number: Any, value: Any) -> Message:
    """Return the answer to a request that succeeded."""
    return {"jsonrpc": "2.0", "result": value, "id": number}


def error(number: Any, code: int, message: str, kind: str | None = None) -> Message:
    """Return the answer to a request that failed. `kind` says it as a word: clients reuse the numbers."""
    row: Message = {"code": code, "message": message}
    if kind is not None:
        row["data"] = {"kind": kind}
    return {"jsonrpc": "2.0", "error": row, "id": number}


def refusal(number: Any, why: ConductorError) -> Message:
    """Return one of our own errors as an answer."""
    return error(number, why.number, str(why), why.code)
