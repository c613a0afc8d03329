"""Two configs row by row: what is added, removed, changed or moved between them."""

import json
from collections.abc import Iterator
from typing import Any

from conductor.bridge.models import Row, RowChange
from conductor.bridge.rows import mapping_words, scopes
from conductor.config.difference import Op, align, differences, spelled
from conductor.config.render import TABLES, tree_of
from conductor.domain.config import Config, Mapping
from conductor.domain.value import Value

WORDS_AT_MOST = 120


def before_after(old: Config, new: Config) -> tuple[RowChange, ...]:
    """Say everything that differs, mappings first."""
    return (*_mappings(old, new), *_places(old, new), *_devices(old, new), *_settings(old, new))


def _mappings(old: Config, new: Config) -> Iterator[RowChange]:
    before, after = scopes(old), scopes(new)
    for scope in dict.fromkeys((*after, *before)):
        yield from _rows(scope, before.get(scope, ()), after.get(scope, ()))


def _rows(scope: str, old: tuple[Mapping, ...], new: tuple[Mapping, ...]) -> Iterator[RowChange]:
    if old == new:
        return
    pairs = align([_key(one) for one in old], [_key(one) for one in new])
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
    return spelled(mapping.to_plain())


def _row(index: int, mapping: Mapping) -> Row:
    return Row(index=index, mapping=mapping, words=mapping_words(mapping))


def _change(kind: Any, scope: str, before: Row | None, after: Row | None) -> RowChange:
    shown = after or before
    assert shown is not None
    says = f"{shown.words.trigger} -> {shown.words.action}"
    if kind == "changed" and before is not None:
        was = f"{before.words.trigger} -> {before.words.action}"
        says = f"{was} becomes {says}" if was != says else f"{says}: details"
    return RowChange(
        kind=kind, scope=scope, index=shown.index, before=before, after=after, text=says
    )


def _places(old: Config, new: Config) -> Iterator[RowChange]:
    """Tell of modes and profiles themselves: their names, colours and matches."""
    for noun, name in (("mode", "modes"), ("profile", "profiles")):
        yield from _named(noun, _by_name(getattr(old, name)), _by_name(getattr(new, name)))
    if [mode.name for mode in old.modes] != (names := [mode.name for mode in new.modes]):
        kept = {mode.name for mode in old.modes}
        if kept == set(names):
            yield _plain("moved", "settings", f"Modes in the order {', '.join(names)}")


def _by_name(owners: tuple[Any, ...]) -> dict[str, dict[str, Any]]:
    return {one.name: _without_rows(one) for one in owners}


def _without_rows(owner: Value) -> dict[str, Any]:
    return {key: item for key, item in owner.to_plain().items() if key != "mappings"}


def _devices(old: Config, new: Config) -> Iterator[RowChange]:
    yield from _named(
        "device",
        {one.alias: one.to_plain() for one in old.devices},
        {one.alias: one.to_plain() for one in new.devices},
    )


def _named(
    noun: str, old: dict[str, dict[str, Any]], new: dict[str, dict[str, Any]]
) -> Iterator[RowChange]:
    for name in dict.fromkeys((*new, *old)):
        if name not in old:
            yield _plain("added", f"{noun}:{name}", f"{noun.title()} {name}")
        elif name not in new:
            yield _plain("removed", f"{noun}:{name}", f"{noun.title()} {name}")
        elif old[name] != new[name]:
            ops = "; ".join(_op(op, old[name]) for op in differences(old[name], new[name]))
            yield _plain("changed", f"{noun}:{name}", f"{noun.title()} {name}: {ops}")


def _settings(old: Config, new: Config) -> Iterator[RowChange]:
    before, after = tree_of(old), tree_of(new)
    for name in TABLES:
        for op in differences({name: before[name]}, {name: after[name]}):
            yield _plain("changed", "settings", _op(op, before))


def _op(op: Op, old: dict[str, Any]) -> str:
    """Say one changed key: `engine.allow_shell: true`."""
    was: Any = old
    for step in op.path:
        was = was.get(step) if isinstance(was, dict) else None
    path = ".".join(str(step) for step in op.path)
    before = "" if was is None else f"{_shown(was)} becomes "
    return f"{path}: {before}{'the default' if op.delete else _shown(op.value)}"


def _shown(item: Any) -> str:
    text = json.dumps(item, ensure_ascii=False)
    return text if len(text) <= WORDS_AT_MOST else f"{text[:WORDS_AT_MOST]}..."


def _plain(kind: Any, scope: str, text: str) -> RowChange:
    return RowChange(kind=kind, scope=scope, index=None, before=None, after=None, text=text)
