"""Renders a config as TOML in its canonical style: one block per row, triggers and actions inline."""

import json
import re
from collections.abc import Sequence
from typing import Any

from conductor.base.json_types import JsonObject
from conductor.domain.config import Config, Mode, Profile
from conductor.domain.value import Value

WIDTH = 100
ARRAYS = ("devices", "modes", "global_mappings", "profiles")
TABLES = ("settings", "llm", "knowledge", "skills")
_ORDER = {"type": 0, "device": 2, "channel": 3, "when": 4}
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def render(config: Config) -> str:
    """Return the complete text of a config."""
    tree = tree_of(config)
    parts = [f"version = {config.version}\n"]
    for name in ARRAYS:
        parts.extend(row((name,), item) for item in tree.get(name, ()))
    for name in TABLES:
        parts.extend(tables((name,), tree.get(name, {})))
    return "\n".join(parts)


def tree_of(config: Config, rows: dict[int, JsonObject] | None = None) -> JsonObject:
    """Return a config as plain tables; arrays are always present, settings only where not default.

    `rows` is a cache of plain rows by `id` of their model, to share the rows of an older config and its edited
    copy: unchanged models are converted once.
    """
    known = {} if rows is None else rows
    tree: JsonObject = {
        name: [_plain_row(each, known) for each in getattr(config, name)] for name in ARRAYS
    }
    for name in TABLES:
        section: Value = getattr(config, name)
        tree[name] = section.to_plain()
    return tree


def _plain_row(item: Value, known: dict[int, JsonObject]) -> JsonObject:
    found = known.get(id(item))
    if found is None:
        if isinstance(item, Mode | Profile):
            found = item.model_copy(update={"mappings": ()}).to_plain()
            if item.mappings:
                found["mappings"] = [_plain_row(each, known) for each in item.mappings]
        else:
            found = item.to_plain()
        known[id(item)] = found
    return found


def row(path: Sequence[str], item: JsonObject) -> str:
    """Return an `[[array]]` block, followed by the blocks of its mappings."""
    own = {key: value for key, value in item.items() if key != "mappings"}
    lines = [f"[[{header(path)}]]", *pairs(own)]
    blocks = ["\n".join(lines) + "\n"]
    blocks.extend(row((*path, "mappings"), mapping) for mapping in item.get("mappings", ()))
    return "\n".join(blocks)


def tables(path: Sequence[str], tree: JsonObject, *, empty: bool = False) -> list[str]:
    """Return a `[table]` block, followed by a block for each nested table."""
    own = {key: value for key, value in tree.items() if not isinstance(value, dict)}
    blocks = ["\n".join([f"[{header(path)}]", *pairs(own)]) + "\n"] if own or empty else []
    for key, value in tree.items():
        if isinstance(value, dict):
            blocks.extend(tables((*path, key), value, empty=path == ("llm", "providers")))
    return blocks


def pairs(own: JsonObject) -> list[str]:
    """Return `key = value` lines."""
    return [
        f"{key_text(key)} = {value_text(item)}" for key, item in own.items() if item is not None
    ]


def header(path: Sequence[str]) -> str:
    """Return a dotted table name."""
    return ".".join(key_text(step) for step in path)


def key_text(key: str) -> str:
    """Return a key, quoted if necessary."""
    return key if _BARE.fullmatch(key) else string_text(key)


def string_text(text: str) -> str:
    """Return a string in double quotes."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def value_text(item: Any, indent: str = "") -> str:
    """Return a value as TOML text. A list of tables that does not fit on one line is split into several."""
    line = _line(item)
    if len(line) + len(indent) <= WIDTH:
        return line
    if isinstance(item, dict):
        fields = (f"{key_text(key)} = {value_text(each, indent)}" for key, each in _ordered(item))
        return f"{{ {', '.join(fields)} }}"
    if isinstance(item, list) and any(isinstance(each, dict) for each in item):
        inner = indent + "  "
        rows = "".join(f"{inner}{value_text(each, inner)},\n" for each in item)
        return f"[\n{rows}{indent}]"
    return line


def _line(item: Any) -> str:
    if isinstance(item, str):
        return string_text(item)
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, dict):
        fields = [f"{key_text(key)} = {_line(value)}" for key, value in _ordered(item)]
        return f"{{ {', '.join(fields)} }}" if fields else "{}"
    if isinstance(item, list | tuple):
        return f"[{', '.join(_line(each) for each in item)}]"
    return repr(item)


def _ordered(item: JsonObject) -> list[tuple[str, Any]]:
    """Return the fields of a record in the usual order: its type first, its restrictions last."""
    given = [(key, value) for key, value in item.items() if value is not None]
    return sorted(given, key=lambda field: _ORDER.get(field[0], 1))
