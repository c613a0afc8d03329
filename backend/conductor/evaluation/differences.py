"""Finds config items, such as modes and mappings, that a model removed or changed without being asked."""

import fnmatch
from collections import Counter
from collections.abc import Iterator
from typing import Any

from conductor.base.json_types import JsonObject
from conductor.domain.config import Config, Mapping
from conductor.domain.gesture_phrases import describe_trigger
from conductor.domain.scopes import parse_scope


def find_lost_items(before: Config, after: Config, allowed: tuple[str, ...]) -> list[str]:
    """Return the names of the config items that were removed or changed and are not in `allowed`."""
    gone = [*_find_lost_mappings(before, after), *_list_changed_items(before, after)]
    return [name for name in gone if not any(fnmatch.fnmatchcase(name, one) for one in allowed)]


def list_items(config: Config) -> dict[str, JsonObject]:
    """Return the items of a config by name: modes, devices, profiles, single settings and mappings."""
    found: dict[str, JsonObject] = {
        **{f"mode {mode.name}": {"color": mode.color} for mode in config.modes},
        **{f"device {device.alias}": device.model_dump(mode="json") for device in config.devices},
        **{
            f"profile {one.name}": _remove_mappings(one.model_dump(mode="json"))
            for one in config.profiles
        },
    }
    for path, value in _list_leaves(config):
        found[path] = {"value": value}
    for name, mapping in list_named_mappings(config):
        found[name] = mapping.model_dump(mode="json")
    return found


def list_named_mappings(config: Config) -> Iterator[tuple[str, Mapping]]:
    """Yield each mapping with a name made of its scope and trigger, such as `Default: Note 36`."""
    for scope, _, mapping in config.list_all_mappings():
        kind, name = parse_scope(scope)
        place = name if kind == "mode" else (f"profile {name}" if name else "everywhere")
        yield f"{place}: {describe_trigger(mapping.trigger)}", mapping


def _remove_mappings(plain: JsonObject) -> JsonObject:
    return {key: item for key, item in plain.items() if key != "mappings"}


def _find_lost_mappings(before: Config, after: Config) -> Iterator[str]:
    """Yield the names of mappings that were removed or changed; a new order is not a change."""
    left = Counter(_build_key(name, mapping) for name, mapping in list_named_mappings(after))
    for name, mapping in list_named_mappings(before):
        key = _build_key(name, mapping)
        if left[key]:
            left[key] -= 1
        else:
            yield name


def _build_key(name: str, mapping: Mapping) -> str:
    return f"{name} {mapping.model_dump_json()}"


def _list_changed_items(before: Config, after: Config) -> Iterator[str]:
    now, mappings = list_items(after), {name for name, _ in list_named_mappings(before)}
    for name, was in list_items(before).items():
        if name not in mappings and now.get(name) != was:
            yield name


def _list_leaves(config: Config) -> Iterator[tuple[str, Any]]:
    for section in ("settings", "llm", "knowledge", "skills"):
        yield from _iterate_leaves(section, getattr(config, section).model_dump(mode="json"))


def _iterate_leaves(path: str, item: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(item, dict) and item:
        for key, each in item.items():
            yield from _iterate_leaves(f"{path}.{key}", each)
    else:
        yield path, item
