"""Makes data safe to be saved and sent: replaces lone surrogates, and cuts data that is nested too deeply."""

import re
from typing import Any, TypeVar

from pydantic import BaseModel

T = TypeVar("T")
MAX_NESTING_DEPTH = 100
"""The maximum depth of nested data, which is half of the depth that pydantic can process."""
_SURROGATE = re.compile("[\ud800-\udfff]")


def repair_surrogates(text: str) -> str:
    """Return a text in which surrogate pairs are joined, and lone surrogates are replaced by U+FFFD."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def make_storable(item: T) -> T:
    """Return a record or JSON data in a form that can be saved and sent.

    If nothing has to be replaced, the object itself is returned.
    """
    return _make_item_storable(item, MAX_NESTING_DEPTH)


def _make_item_storable(item: Any, depth: int) -> Any:
    if isinstance(item, str):
        return repair_surrogates(item)
    if isinstance(item, BaseModel):
        fields = {name: getattr(item, name) for name in type(item).model_fields}
        changed = {
            k: new for k, v in fields.items() if (new := _make_item_storable(v, depth)) is not v
        }
        return item.model_copy(update=changed) if changed else item
    if not isinstance(item, dict | list | tuple):
        return item
    if depth == 0:
        return "..."
    if isinstance(item, dict):
        pairs: list[tuple[Any, Any]] = list(item.items())  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
        made = {
            _make_item_storable(key, depth): _make_item_storable(value, depth - 1)
            for key, value in pairs
        }
        is_same = all(made.get(key) is value for key, value in pairs)
    else:
        each: list[Any] = list(item)  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
        new = [_make_item_storable(element, depth - 1) for element in each]
        made = tuple(new) if isinstance(item, tuple) else new
        is_same = all(a is b for a, b in zip(new, each, strict=True))
    return item if is_same else made  # pyright: ignore[reportUnknownVariableType]
