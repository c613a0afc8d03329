"""Finds further independent problems in a rejected config, and drops problems that only follow from others."""

import re
from collections.abc import Sequence
from typing import Any

from conductor.base.json_types import JsonObject
from conductor.config.lines import KeyPath
from conductor.config.schema_walk import list_allowed_keys
from conductor.config.wording import find_nearest_key
from conductor.domain.validate import Problem

_PAIR_PATTERN = re.compile(r"\s*[A-Za-z0-9_\"'-]+\s*=")
_PLACEHOLDER_BY_KEY: dict[str | int, Any] = {
    "trigger": {"type": "Note", "note": 0},
    "action": {"type": "Text", "text": " "},
}
_MAPPING_OWNERS = ("modes", "profiles")
_INDEPENDENT_SECTIONS = ("devices", "bindings", "llm", "knowledge", "skills", "settings")
"""Config sections that no other section refers to, so that they can be removed while the others are checked."""


def remove_pair_line(text: str, line: int | None) -> str | None:
    """Return the text with the given line emptied, or None if the line is not a complete `key = value` pair."""
    lines = text.split("\n")
    if line is None or line > len(lines) or not _PAIR_PATTERN.match(lines[line - 1]):
        return None
    lines[line - 1] = ""
    return "\n".join(lines)


def is_caused_by_removed_line(problem: Problem) -> bool:
    """Return whether a problem is reported only because `remove_pair_line` removed a line, such as a missing
    key.
    """
    return problem.message.startswith(("is missing", "must have at least", "give at least"))


def correct_headers(text: str, raw: JsonObject) -> tuple[str, list[str]]:
    """Correct mistyped table headers such as `[[mode]]`; return the new text and the mistyped names."""
    known, wrong = [*list_allowed_keys(()), "bindings"], list[str]()
    for key in raw:
        near = None if key in known else find_nearest_key(key, known)
        header = re.compile(rf"^(\s*\[\[?\s*){re.escape(key)}(?=\s*[.\]])", re.MULTILINE)
        if near is not None and header.search(text):
            text = header.sub(rf"\g<1>{near}", text)
            wrong.append(key)
    return text, wrong


def insert_placeholders(raw: JsonObject, wrong: Sequence[KeyPath]) -> JsonObject | None:
    """Replace the invalid parts of a config by valid placeholders, so that the valid parts can be checked.

    Return None if a mode, profile or device is invalid as a whole, because every reference to its name would be
    reported too.
    """
    for path in wrong:
        owner, key, steps = _find_containing_mapping(raw, path)
        if owner is not None:
            part = next(iter(steps), "")
            if part in _PLACEHOLDER_BY_KEY and part in owner[key]:
                owner[key][part] = _PLACEHOLDER_BY_KEY[part]
            else:
                owner[key] = dict(_PLACEHOLDER_BY_KEY)
        elif path and path[0] in _INDEPENDENT_SECTIONS:
            raw.pop(str(path[0]), None)
        else:
            return None
    return raw


def _find_containing_mapping(raw: JsonObject, path: KeyPath) -> tuple[Any, int, KeyPath]:
    """Return the list and index of the mapping at a path, and the rest of the path inside that mapping."""
    if path[:1] == ("global_mappings",) and len(path) > 1:
        steps, rest = path[:1], path[1:]
    elif path and path[0] in _MAPPING_OWNERS and path[2:3] == ("mappings",) and len(path) > 3:
        steps, rest = path[:3], path[3:]
    else:
        return None, 0, ()
    item: Any = raw
    for step in steps:
        item = item[step]
    index = next(iter(rest))
    is_table = isinstance(index, int) and isinstance(item, list) and isinstance(item[index], dict)
    return (item, int(index), rest[1:]) if is_table else (None, 0, ())
