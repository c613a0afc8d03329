"""Encodes messages as JSON that JavaScript can parse."""

import json
import math
from typing import Any

from pydantic_core import to_json


def encode_json(message: Any) -> str:
    """Return a message as JSON. NaN and infinity, which OSC may send, become null."""
    # Encoding holds the GIL, so pydantic's encoder is used, which is the fastest for a long
    # conversation.
    try:
        return to_json(message, inf_nan_mode="null").decode()
    # a lone surrogate, which JSON can only escape, or a value that is nested too deeply
    except ValueError:
        return json.dumps(_replace_non_finite(message), separators=(",", ":"))


def _replace_non_finite(item: Any) -> Any:
    if isinstance(item, float):
        return item if math.isfinite(item) else None
    if isinstance(item, dict):
        return {key: _replace_non_finite(each) for key, each in item.items()}
    if isinstance(item, list | tuple):
        return [_replace_non_finite(each) for each in item]
    return item
