"""Compares two configs row by row: added, removed, changed and moved rows."""

import json
from collections.abc import Iterator
from typing import Any

from conductor.base.json_types import JsonObject
from conductor.bridge.models import Row, RowChange
from conductor.bridge.rows import mapping_words, scopes
from conductor.config.difference import KeyEdit, align_rows, find_edits, to_comparison_text
from conductor.config.render import TABLES, to_tree
from conductor.domain.config import Config, Mapping
from conductor.domain.value import Value

WORDS_AT_MOST = 120


def before_after(old: Config, new: Config) -> tuple[RowChange, ...]:
    """Return every difference, mappings first."""
    return (*_mappings(old, new), *_owners(old, new), *_devices(old, new), *_settings(old, new))


def _mappings(old: Config, new: Config) -> Iterator[RowChange]:
    before, after = scopes(old), scopes(new)
    for scope in dict.fromkeys((*after, *before)):
        yield from _rows(scope, before.get(scope, ()), after.get(scope, ()))


def _rows(scope: str, old: tuple[Mapping, ...], new: tuple[Mapping, ...]) -> Iterator[RowChange]:
    if old == new:
        return
    pairs = align_rows([_key(mapping) for mapping in old], [_key(mapping) for mapping in new])
    for pair in pairs:
        after = _row(pair.new, new[pair.new])
        if pair.old is None:
            yield _change("added", scope, None, after)
        elif new[pair.new] != old[pair.old]:
            yield _change("changed", scope, _row(pair.old, old[pair.old]), after)
        elif pair.moved:
            yield _change("moved", scope, _row(pair.old, old[pair.old]), after)
    taken = {pair.old for pair in pairs}
    for index, mapping in enumerate(old):
        if index not in taken:
            yield _change("removed", scope, _row(index, mapping), None)


def _key(mapping: Mapping) -> str:
    return to_comparison_text(mapping.to_plain())


def _row(index: int, mapping: Mapping) -> Row:
    return Row(index=index, mapping=mapping, words=mapping_words(mapping))


def _change(kind: Any, scope: str, before: Row | None, after: Row | None) -> RowChange:
    row = after or before
    assert row is not None
    text = f"{row.words.trigger} -> {row.words.action}"
    if kind == "changed" and before is not None:
        old_text = f"{before.words.trigger} -> {before.words.action}"
        text = f"{old_text} becomes {text}" if old_text != text else f"{text}: details"
    return RowChange(kind=kind, scope=scope, index=row.index, before=before, after=after, text=text)


def _owners(old: Config, new: Config) -> Iterator[RowChange]:
    """Yield the changes of modes and profiles themselves: names, colours and matches."""
    for noun, name in (("mode", "modes"), ("profile", "profiles")):
        yield from _named(noun, _by_name(getattr(old, name)), _by_name(getattr(new, name)))
    before, after = ([mode.name for mode in config.modes] for config in (old, new))
    if before != after and set(before) == set(after):
        yield _plain("moved", "settings", f"Modes in the order {', '.join(after)}")


def _by_name(owners: tuple[Any, ...]) -> dict[str, JsonObject]:
    return {owner.name: _without_rows(owner) for owner in owners}


def _without_rows(owner: Value) -> JsonObject:
    return {key: item for key, item in owner.to_plain().items() if key != "mappings"}


def _devices(old: Config, new: Config) -> Iterator[RowChange]:
    yield from _named(
        "device",
        {device.alias: device.to_plain() for device in old.devices},
        {device.alias: device.to_plain() for device in new.devices},
    )


def _named(
    noun: str, old: dict[str, JsonObject], new: dict[str, JsonObject]
) -> Iterator[RowChange]:
    for name in dict.fromkeys((*new, *old)):
        if name not in old:
            yield _plain("added", f"{noun}:{name}", f"{noun.title()} {name}")
        elif name not in new:
            yield _plain("removed", f"{noun}:{name}", f"{noun.title()} {name}")
        elif old[name] != new[name]:
            ops = "; ".join(_op(op, old[name]) for op in find_edits(old[name], new[name]))
            yield _plain("changed", f"{noun}:{name}", f"{noun.title()} {name}: {ops}")


def _settings(old: Config, new: Config) -> Iterator[RowChange]:
    before, after = to_tree(old), to_tree(new)
    for name in TABLES:
        for op in find_edits({name: before[name]}, {name: after[name]}):
            yield _plain("changed", "settings", _op(op, before))


def _op(op: KeyEdit, old: JsonObject) -> str:
    """Return one changed key as text: `engine.allow_shell: true`."""
    value: Any = old
    for step in op.path:
        value = value.get(step) if isinstance(value, dict) else None
    path = ".".join(str(step) for step in op.path)
    before = "" if value is None else f"{_json(value)} becomes "
    return f"{path}: {before}{'the default' if op.delete else _json(op.value)}"


def _json(item: Any) -> str:
    """Return a value as JSON, cut to a readable length."""
    text = json.dumps(item, ensure_ascii=False)
    return text if len(text) <= WORDS_AT_MOST else f"{text[:WORDS_AT_MOST]}..."


def _plain(kind: Any, scope: str, text: str) -> RowChange:
    return RowChange(kind=kind, scope=scope, index=None, before=None, after=None, text=text)
