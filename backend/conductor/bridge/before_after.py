"""Compares two configs row by row, for the review of a plan: added, removed, changed and moved rows."""

import json
from collections.abc import Iterator
from typing import Any

from conductor.base.json_types import JsonObject
from conductor.bridge.models import Row, RowChange
from conductor.bridge.rows import describe_mapping, map_scopes
from conductor.config.difference import KeyEdit, align_mappings, find_edits
from conductor.config.render import TABLE_SECTIONS, convert_config_to_tables
from conductor.domain.config import Config, Mapping
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.value import Value

MAX_SHOWN_VALUE_CHARS = 120


def list_row_changes(
    old: Config, new: Config, names: ControlNames = NO_CONTROL_NAMES
) -> tuple[RowChange, ...]:
    """Return all differences between two configs. The changes of mappings come first."""
    return (
        *_compare_mappings(old, new, names),
        *_compare_modes_and_profiles(old, new),
        *_compare_devices(old, new),
        *_compare_settings(old, new),
    )


def list_rows(config: Config, names: ControlNames = NO_CONTROL_NAMES) -> dict[str, tuple[Row, ...]]:
    """Return all mappings of a config by scope."""
    return {
        scope: tuple(_build_row(index, mapping, names) for index, mapping in enumerate(mappings))
        for scope, mappings in map_scopes(config).items()
    }


def _compare_mappings(old: Config, new: Config, names: ControlNames) -> Iterator[RowChange]:
    before, after = map_scopes(old), map_scopes(new)
    for scope in dict.fromkeys((*after, *before)):
        yield from _compare_rows(scope, before.get(scope, ()), after.get(scope, ()), names)


def _compare_rows(
    scope: str, old: tuple[Mapping, ...], new: tuple[Mapping, ...], names: ControlNames
) -> Iterator[RowChange]:
    if old == new:
        return
    pairs = align_mappings(old, new)
    for pair in pairs:
        after = _build_row(pair.new, new[pair.new], names)
        if pair.old is None:
            yield _build_change("added", scope, None, after)
        elif new[pair.new] != old[pair.old]:
            yield _build_change("changed", scope, _build_row(pair.old, old[pair.old], names), after)
        elif pair.moved:
            yield _build_change("moved", scope, _build_row(pair.old, old[pair.old], names), after)
    matched = {pair.old for pair in pairs}
    for index, mapping in enumerate(old):
        if index not in matched:
            yield _build_change("removed", scope, _build_row(index, mapping, names), None)


def _build_row(index: int, mapping: Mapping, names: ControlNames) -> Row:
    return Row(index=index, mapping=mapping, words=describe_mapping(mapping, names))


def _build_change(kind: Any, scope: str, before: Row | None, after: Row | None) -> RowChange:
    row = after or before
    assert row is not None
    text = f"{row.words.trigger} -> {row.words.action}"
    if kind == "changed" and before is not None:
        old_text = f"{before.words.trigger} -> {before.words.action}"
        text = f"{old_text} becomes {text}" if old_text != text else _describe_details(before, row)
    return RowChange(kind=kind, scope=scope, index=row.index, before=before, after=after, text=text)


def _describe_details(before: Row, after: Row) -> str:
    """Describe the change of a mapping whose trigger and action read as before, such as its new name."""
    old, new = before.mapping, after.mapping
    phrase = f"{after.words.trigger} -> {after.words.action}"
    if old.description == new.description or old != new.model_copy(
        update={"description": old.description}
    ):
        return f"{new.description or phrase} (details changed)"
    if not new.description:
        return f"{phrase} (name {old.description} removed)"
    return (
        f"{new.description} (renamed from {old.description})"
        if old.description
        else f"{new.description} (name added)"
    )


def _compare_modes_and_profiles(old: Config, new: Config) -> Iterator[RowChange]:
    """Yield the modes and profiles that were added, removed or changed. Their mappings are not compared."""
    for noun, name in (("mode", "modes"), ("profile", "profiles")):
        yield from _compare_named_items(
            noun,
            _index_owners_by_name(getattr(old, name)),
            _index_owners_by_name(getattr(new, name)),
        )
    before, after = ([mode.name for mode in config.modes] for config in (old, new))
    if before != after and set(before) == set(after):
        yield _build_text_change("moved", "settings", f"Modes in the order {', '.join(after)}")


def _index_owners_by_name(owners: tuple[Any, ...]) -> dict[str, JsonObject]:
    return {owner.name: _remove_mappings(owner) for owner in owners}


def _remove_mappings(owner: Value) -> JsonObject:
    return {key: item for key, item in owner.to_plain().items() if key != "mappings"}


def _compare_devices(old: Config, new: Config) -> Iterator[RowChange]:
    yield from _compare_named_items(
        "device",
        {device.alias: device.to_plain() for device in old.devices},
        {device.alias: device.to_plain() for device in new.devices},
    )


def _compare_named_items(
    noun: str, old: dict[str, JsonObject], new: dict[str, JsonObject]
) -> Iterator[RowChange]:
    for name in dict.fromkeys((*new, *old)):
        if name not in old:
            yield _build_text_change("added", f"{noun}:{name}", f"{noun.title()} {name}")
        elif name not in new:
            yield _build_text_change("removed", f"{noun}:{name}", f"{noun.title()} {name}")
        elif old[name] != new[name]:
            edits = "; ".join(
                _format_setting_change(edit, old[name]) for edit in find_edits(old[name], new[name])
            )
            yield _build_text_change("changed", f"{noun}:{name}", f"{noun.title()} {name}: {edits}")


def _compare_settings(old: Config, new: Config) -> Iterator[RowChange]:
    before, after = convert_config_to_tables(old), convert_config_to_tables(new)
    for name in TABLE_SECTIONS:
        for edit in find_edits({name: before[name]}, {name: after[name]}):
            yield _build_text_change("changed", "settings", _format_setting_change(edit, before))


def _format_setting_change(edit: KeyEdit, old: JsonObject) -> str:
    """Return a sentence with the old and the new value of a setting, such as `engine.allow_shell: false
    becomes true`.
    """
    value: Any = old
    for step in edit.path:
        value = value.get(step) if isinstance(value, dict) else None
    path = ".".join(str(step) for step in edit.path)
    before = "" if value is None else f"{_format_json(value)} becomes "
    return f"{path}: {before}{'the default' if edit.delete else _format_json(edit.value)}"


def _format_json(item: Any) -> str:
    """Return a value as JSON, cut after 120 characters."""
    text = json.dumps(item, ensure_ascii=False)
    return text if len(text) <= MAX_SHOWN_VALUE_CHARS else f"{text[:MAX_SHOWN_VALUE_CHARS]}..."


def _build_text_change(kind: Any, scope: str, text: str) -> RowChange:
    return RowChange(kind=kind, scope=scope, index=None, before=None, after=None, text=text)
