"""Compares two versions of a config as plain data, and lists the keys to set or delete and the rows that
moved.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from conductor.base.json_types import JsonObject
from conductor.config.lines import KeyPath
from conductor.config.render import TABLE_SECTIONS
from conductor.domain.config import Mapping

_SECTION_PATHS = tuple((name,) for name in TABLE_SECTIONS)


class KeyEdit(NamedTuple):
    """An instruction to set one key of a TOML file to a value, or to delete the key."""

    path: KeyPath
    value: Any = None
    delete: bool = False
    known: bool = False
    """True if the old data has the key, so that the text must contain it, perhaps under an older name."""


class RowPair(NamedTuple):
    """The index of a row in the new list with the index of its counterpart in the old list, or None for a
    new row.
    """

    new: int
    old: int | None
    moved: bool = False


def to_comparison_text(item: Any) -> str:
    """Return a value as JSON text, in which the values 1, 1.0 and true differ although they are equal in
    Python.
    """
    return json.dumps(item, sort_keys=True)


def has_same_text(first: Any, second: Any) -> bool:
    """Return whether two trees of plain data are equal, with 1, 1.0 and true as different values.

    Objects that both trees share are skipped.
    """
    if first is second:
        return True
    if isinstance(first, dict) and isinstance(second, dict):
        tables: tuple[JsonObject, JsonObject] = first, second
        return tables[0].keys() == tables[1].keys() and all(
            has_same_text(item, tables[1][key]) for key, item in tables[0].items()
        )
    if isinstance(first, list) and isinstance(second, list):
        lists: tuple[list[Any], list[Any]] = first, second
        return len(lists[0]) == len(lists[1]) and all(map(has_same_text, *lists))
    if isinstance(first, str) and isinstance(second, str):
        return first == second
    return to_comparison_text(first) == to_comparison_text(second)


def find_edits(old: JsonObject, new: JsonObject, path: KeyPath = ()) -> Iterator[KeyEdit]:
    """Yield the edits of single keys that turn the old data into the new data."""
    for key, item in new.items():
        yield from _find_key_edits(old.get(key), item, (*path, key), known=key in old)
    for key, before in old.items():
        if key in new:
            continue
        if (
            isinstance(before, dict)
            and path[:1] in _SECTION_PATHS
            and not _is_user_named_table((*path, key))
        ):
            yield from find_edits(before, {}, (*path, key))
        else:
            yield KeyEdit((*path, key), delete=True, known=True)


def _find_key_edits(before: Any, item: Any, path: KeyPath, *, known: bool) -> Iterator[KeyEdit]:
    if known and has_same_text(before, item):
        return
    if isinstance(item, dict) and not _needs_full_rewrite(before, item):
        if not item and not known and _is_user_named_table(path):
            yield KeyEdit(path, {})
        yield from find_edits(before if isinstance(before, dict) else {}, item, path)
    elif _has_same_rows(before, item):
        for index, (old_row, new_row) in enumerate(zip(before, item, strict=True)):
            yield from _find_key_edits(old_row, new_row, (*path, index), known=True)
    else:
        yield KeyEdit(path, item, known=known)


def _is_user_named_table(path: KeyPath) -> bool:
    """Return whether the user chose the name of the table at a path; such a table is written even if it is
    empty.
    """
    return len(path) == 3 and path[:2] == ("llm", "providers")


def _needs_full_rewrite(before: Any, item: JsonObject) -> bool:
    """Return whether a record is new or has another `type`, so that all of its keys must be written."""
    if "type" not in item and "from" not in item:
        return False
    return not isinstance(before, dict) or before.get("type") != item.get("type")


def _has_same_rows(before: Any, item: Any) -> bool:
    return (
        isinstance(before, list)
        and isinstance(item, list)
        and len(before) == len(item)
        and all(isinstance(each, dict) for each in (*before, *item))
    )


def align_mappings(old: Sequence[Mapping], new: Sequence[Mapping]) -> list[RowPair]:
    """Find the counterpart of each new mapping among the old ones.

    Equal mappings are paired first, then those that differ in the name alone, then those with the same
    trigger, and then those in the same position.
    """
    rows = [[mapping.to_plain() for mapping in mappings] for mappings in (old, new)]
    keys = [[to_comparison_text(row) for row in side] for side in rows]
    aligned = align_rows(*keys)
    pairs = {pair.new: pair for pair in aligned if pair.old is None or _is_equal_pair(pair, *keys)}
    free = dict.fromkeys(range(len(old)))

    def take(pair: RowPair) -> None:
        if pair.old is not None and pair.old in free:
            del free[pair.old]
            pairs[pair.new] = pair

    for pair in tuple(pairs.values()):
        take(pair)
    for compared in (("trigger", "action", "enabled"), ("trigger",)):
        left: dict[str, list[int]] = defaultdict(list)
        old_keys, new_keys = (
            [to_comparison_text([row.get(name) for name in compared]) for row in side]
            for side in rows
        )
        for index in free:
            left[old_keys[index]].append(index)
        for index, key in enumerate(new_keys):
            if pairs.get(index, RowPair(index, None)).old is None and left.get(key):
                take(RowPair(index, left[key].pop(0)))
    for pair in aligned:
        if pair.new not in pairs:
            pairs[pair.new] = RowPair(pair.new, None)
            take(pair)
    return [pairs[index] for index in range(len(new))]


def _is_equal_pair(pair: RowPair, old: Sequence[str], new: Sequence[str]) -> bool:
    return pair.old is not None and old[pair.old] == new[pair.new]


def align_rows(old: Sequence[str], new: Sequence[str]) -> list[RowPair]:
    """Find the counterpart of each new row among the old rows.

    Equal rows are paired first, then replaced rows in the same position, then equal rows that moved.
    """
    pairs: dict[int, RowPair] = {}
    opcodes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for tag, i1, i2, j1, j2 in opcodes:
        if tag == "equal" or (tag == "replace" and i2 - i1 == j2 - j1):
            pairs.update(
                {j: RowPair(j, i) for i, j in zip(range(i1, i2), range(j1, j2), strict=True)}
            )
    # A copy is inserted below its original, so the last one of equal rows is the new one.
    for tag, _, _, first, end in opcodes:
        if tag != "insert":
            continue
        for added, row in zip(range(first, len(new)), range(end, len(new)), strict=False):
            if row not in pairs or not _is_equal_pair(pairs[row]._replace(new=added), old, new):
                break
            pairs[added] = pairs.pop(row)._replace(new=added)
    left: dict[str, list[int]] = defaultdict(list)
    taken = {pair.old for pair in pairs.values()}
    for index, key in enumerate(old):
        if index not in taken:
            left[key].append(index)
    for index, key in enumerate(new):
        if index not in pairs:
            rest = left.get(key)
            pairs[index] = RowPair(index, rest.pop(0), moved=True) if rest else RowPair(index, None)
    return [pairs[index] for index in range(len(new))]
