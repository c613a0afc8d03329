"""Edits TOML files of other programs as text: sets one table and keeps every other byte."""

import json
import re
import tomllib
from typing import Any

from conductor.base.json_types import JsonObject

BARE_KEY_PATTERN = re.compile(r"[A-Za-z0-9_-]+")


def set_toml_table(text: str, path: tuple[str, str], value: JsonObject) -> str:
    """Set a nested table. The tables inside it are kept.

    Raises:
        ValueError: The text is not TOML, or the table is written in a form that cannot be edited safely.
    """
    before = tomllib.loads(text)
    wanted = _append_table(before, path, value)
    header = re.compile(_build_header_pattern(path) + r"[^\n]*(?:\n|\Z)", re.MULTILINE)
    inside = re.findall(
        _build_header_pattern(path, r"\s*\.\s*\"?([A-Za-z0-9_-]+)[^\]]*"), text, re.MULTILINE
    )
    rows = "".join(
        f"{_format_key(key)} = {_render_value(item)}\n"
        for key, item in value.items()
        if key not in inside
    )
    table = f"[{path[0]}.{path[1]}]\n{rows}"
    found = header.search(text)
    if found is None:
        gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
        after = f"{text}{gap}{table}"
    else:
        rest = re.search(r"^\s*(?:#[^\n]*\n\s*)*\[", text[found.end() :], re.MULTILINE)
        end = len(text) if rest is None else found.end() + rest.start()
        after = f"{text[: found.start()]}{table}" + (
            "" if rest is None else f"\n{text[end:].lstrip(chr(10))}"
        )
    try:
        fits = tomllib.loads(after) == wanted
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"`{'.'.join(path)}` is written in a way that cannot be changed safely")
    return after


def remove_toml_table(text: str, path: tuple[str, str]) -> str:
    """Remove a nested table, together with the tables inside it.

    Raises:
        ValueError: The text is not TOML, or the table is written in a form that cannot be edited safely.
    """
    before = tomllib.loads(text)
    outer = before.get(path[0], {})
    if not isinstance(outer, dict) or path[1] not in outer:
        return text
    rest: JsonObject = {key: value for key, value in outer.items() if key != path[1]}
    header = re.compile(
        _build_header_pattern(path, r"\s*(?:\.[^\]]*)?") + r"[^\n]*(?:\n|\Z)", re.MULTILINE
    )
    after = text
    while (found := header.search(after)) is not None:
        # the comment above the next table is about that table, so it stays
        following = re.search(r"^\s*(?:#[^\n]*\n\s*)*\[", after[found.end() :], re.MULTILINE)
        end = len(after) if following is None else found.end() + following.start()
        after = after[: found.start()] + after[end:].lstrip("\n")
    others = {key: value for key, value in before.items() if key != path[0]}
    try:
        read = tomllib.loads(after)
    except ValueError:
        read = None
    if read not in ({**others, path[0]: rest}, others if not rest else None) or read is None:
        raise ValueError(f"`{'.'.join(path)}` is written in a way that cannot be changed safely")
    return after


def _append_table(before: JsonObject, path: tuple[str, str], value: JsonObject) -> JsonObject:
    outer = before.get(path[0], {})
    if not isinstance(outer, dict):
        raise TypeError(f"`{path[0]}` is not a table")
    return {**before, path[0]: {**outer, path[1]: value}}


def _build_header_pattern(path: tuple[str, str], suffix: str = r"\s*") -> str:
    first, second = (rf"\"?{re.escape(part)}\"?" for part in path)
    return rf"^[ \t]*\[\s*{first}\s*\.\s*{second}{suffix}\]"


def _format_key(key: str) -> str:
    return key if BARE_KEY_PATTERN.fullmatch(key) else json.dumps(key)


def _render_value(value: Any) -> str:
    if isinstance(value, dict):
        return (
            "{ "
            + ", ".join(f"{_format_key(k)} = {_render_value(v)}" for k, v in value.items())
            + " }"
        )
    if isinstance(value, list):
        return "[" + ", ".join(_render_value(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool) else str(value)
