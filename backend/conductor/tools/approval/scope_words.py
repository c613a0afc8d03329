"""Describes the scope of a grant to the user."""

import json
from typing import Any

from conductor.base.invisible_chars import reveal_hidden
from conductor.base.json_types import JsonObject
from conductor.tools.approval.scope_texts import DEFAULT_PORT_BY_SCHEME

MAX_SCOPE_TEXT_LENGTH = 4_000
"""The maximum length of a description.

A scope with a longer one cannot be granted, because nobody would read it.
"""
TEXT_BY_SCOPE_KIND = {
    "integer": "any whole number",
    "number": "any number",
    "words": "any short plain text",
}


def describe_scope(pattern: JsonObject) -> str:
    """Return a sentence that tells the user which calls a scope covers."""
    keys: dict[str, JsonObject] = pattern.get("keys", {})
    if not keys:
        return "this tool without arguments"
    if all(map(_is_literal, keys.values())):
        return "only exactly these arguments"
    return "; ".join(
        f"{reveal_hidden(key)}: {_describe_scope_item(field)}" for key, field in keys.items()
    )


def is_short_enough_to_describe(pattern: JsonObject) -> bool:
    """Return whether the description of a scope is short enough to be read before the user grants it."""
    return len(describe_scope(pattern)) <= MAX_SCOPE_TEXT_LENGTH


def _is_literal(pattern: JsonObject) -> bool:
    if "keys" in pattern:
        return all(map(_is_literal, pattern["keys"].values()))
    if "items" in pattern:
        return pattern["most"] == 0
    return "is" in pattern or "same" in pattern


def _describe_scope_item(pattern: JsonObject) -> str:
    match pattern:
        case {"keys": keys}:
            fields = (
                f"{reveal_hidden(key)}: {_describe_scope_item(field)}"
                for key, field in keys.items()
            )
            return f"({'; '.join(fields)})"
        case {"items": items, "most": most}:
            kinds = " or ".join(map(_describe_scope_item, items))
            return f"1 to {most}, each {kinds}" if items else "an empty list"
        case {"any": kind}:
            return TEXT_BY_SCOPE_KIND[kind]
        case {"origin": origin}:
            return f"any address at {_shorten_origin(origin)}"
        case {"folder": folder}:
            return f"any file directly in {reveal_hidden(folder)}"
        case {"is": literal}:
            return f"exactly {_format_literal(literal)}"
        case _:
            return f"exactly this text of {pattern['length']} characters"


def _format_literal(item: Any) -> str:
    return reveal_hidden(json.dumps(item, ensure_ascii=False))


def _shorten_origin(origin: str) -> str:
    scheme = origin.partition(":")[0]
    return origin.removesuffix(f":{DEFAULT_PORT_BY_SCHEME[scheme]}")
