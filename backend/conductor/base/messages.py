"""Decodes typed messages between processes: each type is a named tuple, identified by its `op` in the JSON."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

_T = TypeVar("_T")


def read_message(
    message_types: Mapping[str, Callable[..., _T]], message: Mapping[str, Any]
) -> _T | None:
    """Build the typed message for a received JSON message, or return None if its `op` is unknown.

    Raises:
        TypeError: a field is missing.
    """
    message_type: Any = message_types.get(message.get("op", ""))
    if message_type is None:
        return None
    return message_type(**{name: message[name] for name in message_type._fields if name in message})
