"""A shape in words, for the user who is to allow it."""

import json
from typing import Any

from conductor.base.invisible_chars import reveal_hidden
from conductor.tools.approval.scope import Pattern
from conductor.tools.approval.scope_texts import PORTS

SHOWN_AT_MOST = 4_000
"""A longer shape nobody reads: it cannot be allowed."""
ANY = {
    "integer": "any whole number",
    "number": "any number",
    "words": "any short plain text",
}


def scope_words(pattern: Pattern) -> str:
    """Return which calls a shape covers."""
    keys: dict[str, Pattern] = pattern.get("keys", {})
    if not keys:
        return "this tool without arguments"
    if all(_is_literal(one) for one in keys.values()):
        return "only exactly these arguments"
    return "; ".join(f"{reveal_hidden(key)}: {_words(one)}" for key, one in keys.items())


def can_be_described(pattern: Pattern) -> bool:
    """Return whether the words are few enough to be read."""
    return len(scope_words(pattern)) <= SHOWN_AT_MOST


def _is_literal(pattern: Pattern) -> bool:
    if "keys" in pattern:
        return all(_is_literal(one) for one in pattern["keys"].values())
    if "items" in pattern:
        return pattern["most"] == 0
    return "is" in pattern or "same" in pattern


def _words(pattern: Pattern) -> str:
    match pattern:
        case {"keys": keys}:
            inner = "; ".join(f"{reveal_hidden(key)}: {_words(one)}" for key, one in keys.items())
            return f"({inner})"
        case {"items": items, "most": most}:
            each = " or ".join(_words(one) for one in items)
            return f"1 to {most}, each {each}" if items else "an empty list"
        case {"any": kind}:
            return ANY[kind]
        case {"origin": origin}:
            return f"any address at {_short(origin)}"
        case {"folder": folder}:
            return f"any file directly in {reveal_hidden(folder)}"
        case {"is": literal}:
            return f"exactly {_literal(literal)}"
        case _:
            return f"exactly this text of {pattern['length']} characters"


def _literal(item: Any) -> str:
    return reveal_hidden(json.dumps(item, ensure_ascii=False))


def _short(origin: str) -> str:
    scheme = origin.partition(":")[0]
    return origin.removesuffix(f":{PORTS[scheme]}")
