"""JSON as JavaScript reads it."""

import json
import math
from typing import Any


def encode(message: Any) -> str:
    """Give JSON in ASCII; numbers that JavaScript's JSON cannot hold, as OSC may send, become null."""
    try:
        return json.dumps(message, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(_finite(message), separators=(",", ":"))


def _finite(item: Any) -> Any:
    if isinstance(item, float):
        return item if math.isfinite(item) else None
    if isinstance(item, dict):
        return {key: _finite(each) for key, each in item.items()}
    if isinstance(item, list | tuple):
        return [_finite(each) for each in item]
    return item
