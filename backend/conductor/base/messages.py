"""Typed messages of a link between processes: named tuples whose `op` names them on the wire."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

_T = TypeVar("_T")


def read_message(kinds: Mapping[str, Callable[..., _T]], message: Mapping[str, Any]) -> _T | None:
    """Return the message of the kind that its op names, or None for an unknown op.

    Raises:
        TypeError: A field is missing.
    """
    kind: Any = kinds.get(message.get("op", ""))
    if kind is None:
        return None
    return kind(**{name: message[name] for name in kind._fields if name in message})
