"""Checks the parameters of requests over the socket."""

from conductor.base.json_types import JsonObject
from conductor.errors import InvalidParams


def require_text_param(params: JsonObject, name: str) -> str:
    """Return a parameter that must be a string.

    Raises:
        InvalidParams: The parameter is missing or not a string.
    """
    value = params.get(name)
    if not isinstance(value, str):
        raise InvalidParams(f"Invalid params: `{name}` must be a text")
    return value
