"""Lists the saved versions of the config and describes their changes."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from conductor.base.invisible_chars import reveal_line
from conductor.base.json_types import JsonObject
from conductor.config.difference import align_mappings, find_edits
from conductor.config.parse import load_config_with_notes
from conductor.config.render import convert_config_to_tables
from conductor.config.window_settings import replace_window_settings
from conductor.domain.config import Config, Mapping
from conductor.domain.row_phrases import format_mapping_action, format_trigger_phrase
from conductor.domain.versions import get_version_kind
from conductor.errors import ConfigError
from conductor.tools.context import ConfigVersion

if TYPE_CHECKING:
    from conductor.storage.history import History

MAX_CHANGE_LINES = 3
MAX_CHANGE_LINE_LENGTH = 160


def list_versions(history: "History", limit: int, before: int | None) -> Sequence[ConfigVersion]:
    """Return at most `limit` saved versions of the config, newest first.

    With `before`, return only versions with a lower number.
    """
    return [
        ConfigVersion(
            id=version.id,
            at=version.at,
            reason=version.reason,
            kind=get_version_kind(version.reason, version.author),
            by=version.author and version.author.describe(),
            current=version.current,
            text=version.text,
        )
        for version in history.list(limit, before)
    ]


@lru_cache(maxsize=256)
def describe_changes(old: str, new: str) -> tuple[str, ...]:
    """Return a few lines that describe how two versions of the config differ."""
    try:
        config = _parse_config_text(new)
        before = replace_window_settings(_parse_config_text(old), config.settings.ui)
        lines = [*_iterate_changes(before, config)]
    except ConfigError:
        return ("this version of Conductor cannot read one of the two configs",)
    if not lines:
        return ("only comments or formatting",)
    more = len(lines) - MAX_CHANGE_LINES
    shown = tuple(reveal_line(line)[:MAX_CHANGE_LINE_LENGTH] for line in lines[:MAX_CHANGE_LINES])
    return (*shown, f"and {more} more") if more > 0 else shown


@lru_cache(maxsize=64)
def _parse_config_text(text: str) -> Config:
    return load_config_with_notes(text).config


def _iterate_changes(old: Config, new: Config) -> Iterator[str]:
    before, after = _list_mappings_by_scope(old), _list_mappings_by_scope(new)
    for scope in dict.fromkeys((*after, *before)):
        yield from _describe_mapping_changes(scope, before.get(scope, ()), after.get(scope, ()))
    for noun, was, now in (
        ("mode", old.modes, new.modes),
        ("profile", old.profiles, new.profiles),
        ("device", old.devices, new.devices),
    ):
        yield from _describe_named_changes(noun, _group_by_name(was), _group_by_name(now))
    old_tree, new_tree = convert_config_to_tables(old), convert_config_to_tables(new)
    for name in ("settings", "llm", "knowledge", "skills"):
        for op in find_edits({name: old_tree[name]}, {name: new_tree[name]}):
            yield f"changed {'.'.join(str(step) for step in op.path)}"


def _list_mappings_by_scope(config: Config) -> dict[str, tuple[Mapping, ...]]:
    return {
        **{f"mode {mode.name}": mode.mappings for mode in config.modes},
        "all modes": config.global_mappings,
        **{f"profile {profile.name}": profile.mappings for profile in config.profiles},
    }


def _describe_mapping_changes(
    scope: str, old: tuple[Mapping, ...], new: tuple[Mapping, ...]
) -> Iterator[str]:
    if old == new:
        return
    pairs = align_mappings(old, new)
    for pair in pairs:
        row = new[pair.new]
        if pair.old is None:
            yield f"added {_describe_mapping(row)} to {scope}"
        elif row != old[pair.old]:
            yield f"changed {_describe_mapping(old[pair.old])} to {_describe_mapping(row)} in {scope}"
        elif pair.moved:
            yield f"moved {_describe_mapping(row)} in {scope}"
    paired = {pair.old for pair in pairs}
    for index, row in enumerate(old):
        if index not in paired:
            yield f"removed {_describe_mapping(row)} from {scope}"


def _describe_mapping(row: Mapping) -> str:
    off = "" if row.enabled else " (off)"
    action = format_mapping_action(row)
    return f"{format_trigger_phrase(row.trigger)} -> {action}{off}"


def _group_by_name(owners: tuple[Any, ...]) -> dict[str, JsonObject]:
    rows = [owner.to_plain() for owner in owners]
    return {
        row.get("name") or row["alias"]: {k: v for k, v in row.items() if k != "mappings"}
        for row in rows
    }


def _describe_named_changes(
    noun: str, old: dict[str, JsonObject], new: dict[str, JsonObject]
) -> Iterator[str]:
    for name in dict.fromkeys((*new, *old)):
        if name not in old:
            yield f"added {noun} {name}"
        elif name not in new:
            yield f"removed {noun} {name}"
        elif old[name] != new[name]:
            yield f"changed {noun} {name}"
