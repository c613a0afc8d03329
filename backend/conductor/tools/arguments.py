"""Arguments as they come: how large, how deep, and what of them may stand in a log."""

import re
from typing import Any

from conductor.base.redact import HIDDEN, redact
from conductor.errors import InvalidParams

DEEPEST = 24
LARGEST = 200_000
LOGGED_AT_MOST = 4_000
TEXT_LOGGED = 400
ITEMS_LOGGED = 50
DEEPEST_LOGGED = 8

_SECRET_KEY = re.compile(
    r"api[_-]?key|token|secret|passw|passphrase|authori[sz]ation|credential|bearer|cookie|private[_-]?key"
    r"|^env$|^headers$",
    re.IGNORECASE,
)


def refuse_oversized(arguments: dict[str, Any]) -> None:
    """Refuse what is larger or deeper than any sensible call, before anything looks into it.

    Raises:
        InvalidParams: says which limit was passed.
    """
    size, level = 0, 0
    items: list[Any] = [arguments]
    while items:
        level += 1
        if level > DEEPEST:
            raise InvalidParams(f"Invalid params: nested more than {DEEPEST} deep")
        below: list[Any] = []
        for item in items:
            size += 1 + (len(item) if isinstance(item, str) else 0)
            if isinstance(item, dict):
                size += sum(len(str(key)) for key in item)
                below += item.values()
            elif isinstance(item, list):
                below += item
            if size > LARGEST:
                raise InvalidParams(f"Invalid params: more than {LARGEST} characters")
        items = below


def for_log(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a copy with secrets hidden, and with what is long or deep cut short."""
    left = [LOGGED_AT_MOST]
    return {
        _text(str(key), left): _logged(str(key), item, left, DEEPEST_LOGGED)
        for key, item in list(arguments.items())[:ITEMS_LOGGED]
    }


def _logged(key: str, item: Any, left: list[int], depth: int) -> Any:
    if _SECRET_KEY.search(key) and item is not None:
        return HIDDEN
    if isinstance(item, str):
        return _text(item, left)
    if not isinstance(item, dict | list):
        return item
    if depth == 0 or left[0] <= 0:
        return "..."
    if isinstance(item, dict):
        pairs = list(item.items())[:ITEMS_LOGGED]
        return {_text(str(k), left): _logged(str(k), each, left, depth - 1) for k, each in pairs}
    left[0] -= 2 * min(len(item), ITEMS_LOGGED)
    return [_logged("", each, left, depth - 1) for each in item[:ITEMS_LOGGED]]


def _text(text: str, left: list[int]) -> str:
    shown = min(TEXT_LOGGED, max(0, left[0]))
    left[0] -= min(len(text), shown)
    clean = redact(text[: shown + 200])
    return clean if len(text) <= shown else f"{clean[:shown]}... ({len(text)} characters)"
