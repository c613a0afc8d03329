"""Edits single keys in a short TOML text with tomlkit, which keeps all unchanged text byte for byte."""

import tomllib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tomlkit
from tomlkit.items import InlineTable, Item

from conductor.base.json_types import JsonObject
from conductor.config.difference import KeyEdit, find_edits, has_same_text
from conductor.config.lines import KeyPath
from conductor.config.render import format_key, format_value


def edit_row_text(
    text: str,
    names: Sequence[str],
    old: JsonObject,
    new: JsonObject,
    is_correct: Callable[[JsonObject], bool],
) -> str | None:
    """Return the text of a `[[row]]` after an edit that changes its data from `old` to `new`.

    Nested keys are edited first. If `is_correct` rejects the result, whole top-level keys are replaced.
    Returns None if `is_correct` rejects that result too.
    """
    path: KeyPath = (*names, 0)
    fine = list(find_edits(old, new))
    coarse = [
        *(
            KeyEdit((key,), value)
            for key, value in new.items()
            if not has_same_text(old.get(key), value)
        ),
        *(KeyEdit((key,), delete=True) for key in old if key not in new),
    ]
    for ops in (fine, coarse):
        try:
            result = edit_toml_text(text, [op._replace(path=(*path, *op.path)) for op in ops])
            if is_correct(_find_value(tomllib.loads(result), path)):
                return result
        except (ValueError, LookupError, TypeError, AttributeError):
            continue
    return None


def edit_toml_text(text: str, ops: Iterable[KeyEdit]) -> str:
    """Apply the key edits `ops` to a TOML text and return the new text; comments and spacing are kept.

    Raises:
        LookupError: A key to change or delete does not exist.
    """
    document = tomlkit.parse(text)
    for op in ops:
        table = _find_table(document, op.path[:-1])
        key: Any = op.path[-1]
        if op.known and isinstance(table, dict) and key not in table:
            raise LookupError(f"{key} is written under another name")
        if op.delete:
            del table[key]
        elif isinstance(table, InlineTable) and len(table) and key not in table:
            _find_table(document, op.path[:-2])[op.path[-2]] = _append_field(
                table, str(key), op.value
            )
        else:
            table[key] = tomlkit.value(format_value(op.value))
    return tomlkit.dumps(document)


def _append_field(table: InlineTable, key: str, value: Any) -> Item:
    """Return a copy of an inline table with one more field at its end, spaced like the other fields."""
    written = table.as_string().rstrip().removesuffix("}").rstrip()
    return tomlkit.value(f"{written}, {format_key(key)} = {format_value(value)} }}")


def _find_table(document: Any, path: KeyPath) -> Any:
    item = document
    for step in path:
        if isinstance(item, dict) and step not in item:
            item[step] = tomlkit.inline_table()
        item = item[step]
    return item


def _find_value(raw: Any, path: KeyPath) -> Any:
    for step in path:
        raw = raw[step]
    return raw
