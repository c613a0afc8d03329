"""JSON as JavaScript reads it."""

import json
import math
from typing import Any

from pydantic_core import to_json


def encode(message: Any) -> str:
    """Return JSON; numbers that JavaScript's JSON cannot hold, as OSC may send, become null.

    The app waits for it, in whatever thread it is done: so by what is quickest for a long conversation.
    """
    try:
        return to_json(message, inf_nan_mode="null").decode()
    except ValueError:  # half a character, which only escapes can hold, or nested too deep for it
        return json.dumps(_finite(message), separators=(",", ":"))


def _finite(item: Any) -> Any:
    if isinstance(item, float):
        return item if math.isfinite(item) else None
    if isinstance(item, dict):
        return {key: _finite(each) for key, each in item.items()}
    if isinstance(item, list | tuple):
        return [_finite(each) for each in item]
    return item
