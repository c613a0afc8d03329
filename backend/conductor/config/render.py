"""Renders a config as TOML in a canonical style: one block per row, with triggers and actions as inline
tables.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from conductor.base.json_types import JsonObject
from conductor.domain.config import Config, Mode, Profile
from conductor.domain.value import Value

MAX_LINE_WIDTH = 100
ARRAY_SECTIONS = ("devices", "modes", "global_mappings", "profiles")
TABLE_SECTIONS = ("settings", "llm", "knowledge", "skills")
_FIELD_RANKS = {"type": 0, "device": 2, "channel": 3, "when": 4}
_BARE_KEY_PATTERN = re.compile(r"[A-Za-z0-9_-]+")


def render_config(config: Config) -> str:
    """Return the complete text of config.toml for a config."""
    tree = convert_config_to_tables(config)
    parts = [f"version = {config.version}\n"]
    for name in ARRAY_SECTIONS:
        parts.extend(render_row((name,), item) for item in tree.get(name, ()))
    for name in TABLE_SECTIONS:
        parts.extend(render_tables((name,), tree.get(name, {})))
    return "\n".join(parts)


def convert_config_to_tables(
    config: Config, rows: dict[int, JsonObject] | None = None
) -> JsonObject:
    """Return a config as plain tables; arrays are always included, settings only if they differ from the
    default.

    `rows` caches the plain data of each model by the model's `id`. An older config and its edited copy share
    most models, so only the changed models are converted again.
    """
    known = {} if rows is None else rows
    tree: JsonObject = {
        name: [_to_plain_row(each, known) for each in getattr(config, name)]
        for name in ARRAY_SECTIONS
    }
    for name in TABLE_SECTIONS:
        section: Value = getattr(config, name)
        tree[name] = section.to_plain()
    return tree


def _to_plain_row(item: Value, known: dict[int, JsonObject]) -> JsonObject:
    found = known.get(id(item))
    if found is None:
        if isinstance(item, Mode | Profile):
            found = item.model_copy(update={"mappings": ()}).to_plain()
            if item.mappings:
                found["mappings"] = [_to_plain_row(each, known) for each in item.mappings]
        else:
            found = item.to_plain()
        known[id(item)] = found
    return found


def render_row(path: Sequence[str], item: JsonObject) -> str:
    """Render a row of a config as a `[[array]]` block, followed by one block for each of its mappings."""
    own = {key: value for key, value in item.items() if key != "mappings"}
    lines = [f"[[{render_header(path)}]]", *render_pairs(own)]
    blocks = ["\n".join(lines) + "\n"]
    blocks.extend(render_row((*path, "mappings"), mapping) for mapping in item.get("mappings", ()))
    return "\n".join(blocks)


def render_tables(path: Sequence[str], tree: JsonObject, *, empty: bool = False) -> list[str]:
    """Render a `[table]` block, followed by a block for each nested table."""
    own = {key: value for key, value in tree.items() if not isinstance(value, dict)}
    blocks = (
        ["\n".join([f"[{render_header(path)}]", *render_pairs(own)]) + "\n"] if own or empty else []
    )
    for key, value in tree.items():
        if isinstance(value, dict):
            blocks.extend(render_tables((*path, key), value, empty=path == ("llm", "providers")))
    return blocks


def render_pairs(own: JsonObject) -> list[str]:
    """Render the keys of a table as `key = value` lines."""
    return [
        f"{format_key(key)} = {format_value(item)}" for key, item in own.items() if item is not None
    ]


def render_header(path: Sequence[str]) -> str:
    """Return the name of a table for its header, with the keys of the path joined by dots."""
    return ".".join(format_key(step) for step in path)


def format_key(key: str) -> str:
    """Return a key as it is written in TOML, with quotes if it needs them."""
    return key if _BARE_KEY_PATTERN.fullmatch(key) else format_string(key)


def format_string(text: str) -> str:
    """Return a text as a TOML string in double quotes, with escapes where they are needed."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def format_value(item: Any, indent: str = "") -> str:
    """Return a value as it is written in TOML.

    A list of tables that is too long for one line is split into several lines.
    """
    line = _format_line(item)
    if len(line) + len(indent) <= MAX_LINE_WIDTH:
        return line
    if isinstance(item, dict):
        fields = (
            f"{format_key(key)} = {format_value(each, indent)}" for key, each in _order_fields(item)
        )
        return f"{{ {', '.join(fields)} }}"
    if isinstance(item, list) and any(isinstance(each, dict) for each in item):
        inner = indent + "  "
        rows = "".join(f"{inner}{format_value(each, inner)},\n" for each in item)
        return f"[\n{rows}{indent}]"
    return line


def _format_line(item: Any) -> str:
    if isinstance(item, str):
        return format_string(item)
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, dict):
        fields = [
            f"{format_key(key)} = {_format_line(value)}" for key, value in _order_fields(item)
        ]
        return f"{{ {', '.join(fields)} }}" if fields else "{}"
    if isinstance(item, list | tuple):
        return f"[{', '.join(_format_line(each) for each in item)}]"
    return repr(item)


def _order_fields(item: JsonObject) -> list[tuple[str, Any]]:
    """Return the fields of a record in the order in which they are written: the type first, the conditions
    last.
    """
    given = [(key, value) for key, value in item.items() if value is not None]
    return sorted(given, key=lambda field: _FIELD_RANKS.get(field[0], 1))
