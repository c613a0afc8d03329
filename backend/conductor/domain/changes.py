"""Applies changes to a config, and describes each change in a sentence."""

from typing import Any, assert_never

from pydantic import ValidationError

from conductor.base.json_types import JsonObject
from conductor.base.suggestions import format_suggestion
from conductor.domain.change_kinds import (
    Change,
    CreateDevice,
    CreateMapping,
    CreateMode,
    CreateProfile,
    DeleteDevice,
    DeleteMapping,
    DeleteMode,
    DeleteProfile,
    MappingChange,
    MoveMapping,
    ReplaceConfig,
    UpdateDevice,
    UpdateMapping,
    UpdateMode,
    UpdateProfile,
    UpdateSettings,
)
from conductor.domain.config import Config, Mapping, Mode, Profile
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.devices import DeviceIdentity
from conductor.domain.mapping_names import (
    format_place_name,
    format_trigger_name,
)
from conductor.domain.rename import move_control_names, rename_device, rename_mode
from conductor.domain.row_phrases import (
    format_action_phrase,
    format_trigger_phrase,
    get_trigger_control_name,
)
from conductor.domain.scopes import format_mode_scope, format_profile_scope, parse_scope
from conductor.domain.triggers import Trigger
from conductor.domain.value import reword_message
from conductor.errors import ConfigError, UnknownDevice, UnknownMode

TOP_LEVEL_SETTINGS_SECTIONS = ("llm", "knowledge", "skills")


def apply_change(config: Config, change: Change) -> Config:
    """Return the config that results from a change; the given config is not modified.

    Raises:
        UnknownMode, UnknownDevice: the change names a mode or device that does not exist.
        ConfigError: the change is not possible; the message says what to do.
    """
    try:
        return _apply_change(config, change)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        raise ConfigError(f"{where}: {reword_message(first['msg'])}") from None


def _apply_change(config: Config, change: Change) -> Config:  # noqa: C901 - one arm for each kind
    match change:
        case CreateMapping():
            rows = _list_mappings_at(config, change)
            at = len(rows) if change.index is None else min(change.index, len(rows))
            return _replace_mappings_at(config, change, (*rows[:at], change.mapping, *rows[at:]))
        case UpdateMapping():
            return _update_mapping(config, change)
        case DeleteMapping():
            rows = _list_mappings_at(config, change)
            _get_mapping_row(rows, change.index, change)
            return _replace_mappings_at(
                config, change, rows[: change.index] + rows[change.index + 1 :]
            )
        case MoveMapping():
            return _move_mapping(config, change)
        case CreateMode():
            _require_unused_name(change.name, [mode.name for mode in config.modes], "mode")
            mode = Mode(name=change.name, color=change.color, mappings=change.mappings)
            at = len(config.modes) if change.index is None else change.index
            return _copy_with_fields(config, modes=(*config.modes[:at], mode, *config.modes[at:]))
        case UpdateMode():
            return _update_mode(config, change)
        case DeleteMode():
            _find_mode(config, change.name)
            rest = tuple(mode for mode in config.modes if mode.name != change.name)
            if not rest:
                raise ConfigError("the last mode cannot be deleted; create another one first")
            return _copy_with_fields(config, modes=rest)
        case CreateDevice():
            _require_unused_name(
                change.device.alias, [device.alias for device in config.devices], "device"
            )
            added: Config = _copy_with_fields(config, devices=(*config.devices, change.device))
            return move_control_names(added, change.device)
        case UpdateDevice():
            return _update_device(config, change)
        case DeleteDevice():
            _find_device(config, change.alias)
            rest = tuple(device for device in config.devices if device.alias != change.alias)
            return _copy_with_fields(config, devices=rest)
        case CreateProfile():
            _require_unused_name(
                change.profile.name, [profile.name for profile in config.profiles], "profile"
            )
            return _copy_with_fields(config, profiles=(*config.profiles, change.profile))
        case UpdateProfile():
            return _update_profile(config, change)
        case DeleteProfile():
            _find_profile(config, change.name)
            rest = tuple(profile for profile in config.profiles if profile.name != change.name)
            return _copy_with_fields(config, profiles=rest)
        case UpdateSettings():
            return _update_settings(config, change.settings)
        case ReplaceConfig():
            return change.config
        case _:
            assert_never(change)


def find_changed_part(config: Config, change: Change) -> object:
    """Return the part of a config that a change replaces, moves or deletes; None if it only adds something.

    Raises:
        ConfigError: the config has no such part.
    """
    match change:
        case UpdateMapping() | DeleteMapping() | MoveMapping():
            return _get_mapping_row(_list_mappings_at(config, change), change.index, change)
        case UpdateMode() | DeleteMode():
            return _find_mode(config, change.name)
        case UpdateDevice() | DeleteDevice():
            return _find_device(config, change.alias)
        case UpdateProfile() | DeleteProfile():
            return _find_profile(config, change.name)
        case UpdateSettings():
            plain, sections = config.to_plain(), config.settings.to_plain()
            is_whole = (*TOP_LEVEL_SETTINGS_SECTIONS, "settings")
            return [(plain if name in is_whole else sections).get(name) for name in change.settings]
        case ReplaceConfig():
            return config
        case CreateMapping() | CreateMode() | CreateDevice() | CreateProfile():
            return None
        case _:
            assert_never(change)


def _copy_with_fields(value: Any, **fields: Any) -> Any:
    """Return a copy of a record with some fields replaced, after validating the result."""
    return type(value).model_validate(
        {**{k: getattr(value, k) for k in value.model_fields_set}, **fields}
    )


def _find_mode(config: Config, name: str) -> Mode:
    mode = config.find_mode(name)
    if mode is None:
        hint = format_suggestion(name, [mode.name for mode in config.modes])
        raise UnknownMode(f"Invalid mode: '{name}' does not exist{hint}")
    return mode


def _find_device(config: Config, alias: str) -> DeviceIdentity:
    found = next((device for device in config.devices if device.alias == alias), None)
    if found is None:
        hint = format_suggestion(alias, [device.alias for device in config.devices])
        raise UnknownDevice(f"no device is called `{alias}`{hint}")
    return found


def _find_profile(config: Config, name: str) -> Profile:
    found = next((profile for profile in config.profiles if profile.name == name), None)
    if found is None:
        hint = format_suggestion(name, [profile.name for profile in config.profiles])
        raise ConfigError(f"no profile is called `{name}`{hint}")
    return found


def _require_unused_name(name: str, taken: list[str], noun: str) -> None:
    if name in taken:
        raise ConfigError(
            f"{noun} `{name}` already exists; choose another name or update that {noun}"
        )


def _list_mappings_at(config: Config, place: MappingChange) -> tuple[Mapping, ...]:
    if place.mode is not None:
        return _find_mode(config, place.mode).mappings
    if place.profile is not None:
        return _find_profile(config, place.profile).mappings
    return config.global_mappings


def _replace_mappings_at(config: Config, place: MappingChange, rows: tuple[Mapping, ...]) -> Config:
    if place.mode is not None:
        return _copy_with_fields(
            config,
            modes=_replace_by_name(config.modes, _find_mode(config, place.mode), mappings=rows),
        )
    if place.profile is not None:
        owner = _find_profile(config, place.profile)
        return _copy_with_fields(
            config, profiles=_replace_by_name(config.profiles, owner, mappings=rows)
        )
    return _copy_with_fields(config, global_mappings=rows)


def _replace_by_name(owners: tuple[Any, ...], owner: Any, **fields: Any) -> tuple[Any, ...]:
    return tuple(_copy_with_fields(item, **fields) if item is owner else item for item in owners)


def _get_mapping_row(rows: tuple[Mapping, ...], index: int, place: MappingChange) -> Mapping:
    if index < len(rows):
        return rows[index]
    have = f"there are {len(rows)}, numbered from 0" if rows else "there are none"
    raise ConfigError(f"{place.describe_scope()} has no mapping {index}; {have}")


def _update_mapping(config: Config, change: UpdateMapping) -> Config:
    rows = _list_mappings_at(config, change)
    old = _get_mapping_row(rows, change.index, change)
    names = ("trigger", "action", "description", "enabled")
    fields = {name: getattr(change, name) for name in names if getattr(change, name) is not None}
    new = _copy_with_fields(old, **_clear_optional_fields(fields, "description"))
    return _replace_mappings_at(
        config, change, (*rows[: change.index], new, *rows[change.index + 1 :])
    )


def _clear_optional_fields(fields: JsonObject, name: str) -> JsonObject:
    return {**fields, name: None} if fields.get(name) == "" else fields


def _move_mapping(config: Config, change: MoveMapping) -> Config:
    mapping = _get_mapping_row(_list_mappings_at(config, change), change.index, change)
    here = DeleteMapping(mode=change.mode, profile=change.profile, index=change.index)
    elsewhere = change.to_global or change.to_mode is not None or change.to_profile is not None
    there = CreateMapping(
        mode=change.to_mode if elsewhere else change.mode,
        profile=change.to_profile if elsewhere else change.profile,
        index=change.to_index,
        mapping=mapping,
    )
    return _apply_change(_apply_change(config, here), there)


def _update_mode(config: Config, change: UpdateMode) -> Config:
    mode = _find_mode(config, change.name)
    fields: JsonObject = {} if change.color is None else {"color": change.color or None}
    new_name = change.new_name
    if new_name is not None and new_name != mode.name:
        _require_unused_name(new_name, [mode.name for mode in config.modes], "mode")
        fields["name"] = new_name
    changed: Config = _copy_with_fields(
        config, modes=_replace_by_name(config.modes, mode, **fields)
    )
    return rename_mode(changed, mode.name, new_name) if "name" in fields and new_name else changed


def _update_device(config: Config, change: UpdateDevice) -> Config:
    device = _find_device(config, change.alias)
    names = ("matchers", "description", "enabled")
    fields = {name: getattr(change, name) for name in names if getattr(change, name) is not None}
    fields = _clear_optional_fields(fields, "description")
    new_alias = change.new_alias
    if new_alias is not None and new_alias != device.alias:
        _require_unused_name(new_alias, [device.alias for device in config.devices], "device")
        fields["alias"] = new_alias
    changed: Config = _copy_with_fields(
        config, devices=_replace_by_name(config.devices, device, **fields)
    )
    return (
        rename_device(changed, device.alias, new_alias)
        if "alias" in fields and new_alias
        else changed
    )


def _update_profile(config: Config, change: UpdateProfile) -> Config:
    profile = _find_profile(config, change.name)
    fields = {
        name: getattr(change, name)
        for name in ("match", "mode", "enabled")
        if getattr(change, name) is not None
    }
    fields = _clear_optional_fields(fields, "mode")
    if change.new_name is not None and change.new_name != profile.name:
        _require_unused_name(
            change.new_name, [profile.name for profile in config.profiles], "profile"
        )
        fields["name"] = change.new_name
    return _copy_with_fields(config, profiles=_replace_by_name(config.profiles, profile, **fields))


def _update_settings(config: Config, wanted: JsonObject) -> Config:
    sections: dict[str, JsonObject] = {
        name: wanted[name]
        for name in (*TOP_LEVEL_SETTINGS_SECTIONS, "settings")
        if isinstance(wanted.get(name), dict)
    }
    inner = {key: item for key, item in wanted.items() if key not in sections}
    if inner:
        sections["settings"] = {**sections.get("settings", {}), **inner}
    fields = {
        name: type(getattr(config, name)).model_validate(
            _merge_settings(getattr(config, name).to_plain(), part)
        )
        for name, part in sections.items()
    }
    return _copy_with_fields(config, **fields)


def _merge_settings(old: JsonObject, new: JsonObject) -> JsonObject:
    result = dict(old)
    for key, item in new.items():
        if item is None:
            result.pop(key, None)
        elif isinstance(item, dict):
            before = result.get(key)
            result[key] = _merge_settings(before if isinstance(before, dict) else {}, item)
        else:
            result[key] = item
    return result


def describe_change(  # noqa: C901 - one arm for each kind
    change: Change,
    cmd: str = "cmd",
    names: ControlNames = NO_CONTROL_NAMES,
    config: Config | None = None,
) -> str:
    """Return a sentence about a change, such as `Hold Pad 1 600 ms -> Cmd+C, in mode Default`.

    `cmd` is the key that the name `cmd` stands for, if known. `names` are the names of the controls.
    `config`, the config before the change, has the name of a mapping that is given only by its place.
    """
    match change:
        case CreateMapping(mapping=mapping):
            action = format_action_phrase(mapping.action, cmd, mapping.trigger.channel)
            trigger = _format_trigger(mapping.trigger, names)
            return f"{trigger} -> {action}, in {change.describe_scope()}"
        case UpdateMapping():
            place = _format_place(change, names, config)
            return f"Change {place}{_describe_changed_parts(change, cmd, names)}"
        case DeleteMapping():
            return f"Delete {_format_place(change, names, config)}"
        case MoveMapping():
            place = _format_place(change, names, config)
            return f"Move {place} to {_describe_move_target(change)}"
        case CreateMode():
            rows = f" with {len(change.mappings)} mappings" if change.mappings else ""
            return f"Create mode {change.name}{rows}"
        case UpdateMode():
            renamed = f"Rename mode {change.name} to {change.new_name}"
            return renamed if change.new_name else f"Change the color of mode {change.name}"
        case DeleteMode():
            return f"Delete mode {change.name}"
        case CreateDevice():
            return f"Name a device {change.device.alias}"
        case UpdateDevice():
            renamed = f"Rename device {change.alias} to {change.new_alias}"
            return renamed if change.new_alias else f"Change device {change.alias}"
        case DeleteDevice():
            return f"Delete device {change.alias}"
        case CreateProfile():
            return f"Create profile {change.profile.name}"
        case UpdateProfile():
            renamed = f"Rename profile {change.name} to {change.new_name}"
            return renamed if change.new_name else f"Change profile {change.name}"
        case DeleteProfile():
            return f"Delete profile {change.name}"
        case UpdateSettings():
            return f"Set {', '.join(_list_changed_settings(change.settings))}"
        case ReplaceConfig():
            return "Replace the whole config"
        case _:
            assert_never(change)


def _format_place(
    change: UpdateMapping | DeleteMapping | MoveMapping, names: ControlNames, config: Config | None
) -> str:
    """Return the name and the mode or profile of the mapping that a change refers to.

    Its place in the list is added if another mapping there has the same name.
    """
    scope = "global" if change.profile is None else format_profile_scope(change.profile)
    scope = scope if change.mode is None else format_mode_scope(change.mode)
    if config is None:
        return format_place_name(scope, change.index)
    mappings = [_format_name(mapping, names) for mapping in _list_mappings_at(config, change)]
    name = mappings[change.index]
    if mappings.count(name) > 1:
        return f"{name}, {format_place_name(scope, change.index)}"
    kind, owner = parse_scope(scope)
    return f"{name} in {f'{kind} {owner}' if owner else 'all modes'}"


def _format_name(mapping: Mapping, names: ControlNames) -> str:
    return (
        f"“{mapping.description}”"
        if mapping.description
        else _format_trigger(mapping.trigger, names)
    )


def _format_trigger(trigger: Trigger, names: ControlNames) -> str:
    """Return a trigger with the name of its control as it is printed, or with its number and device."""
    if get_trigger_control_name(trigger, names) is None:
        return format_trigger_name(trigger, names)
    return format_trigger_phrase(trigger, names)


def _describe_changed_parts(change: UpdateMapping, cmd: str, names: ControlNames) -> str:
    parts: list[str] = []
    if change.trigger is not None:
        parts.append(f"fire on {_format_trigger(change.trigger, names)}")
    if change.action is not None:
        phrase = format_action_phrase(change.action, cmd)
        is_alone = (change.trigger, change.enabled, change.description) == (None, None, None)
        parts.append(phrase if is_alone else f"do {phrase}")
    if change.enabled is not None:
        parts.append("switch it on" if change.enabled else "switch it off")
    if change.description is not None:
        parts.append(f"name it “{change.description}”" if change.description else "remove its name")
    return f": {', '.join(parts)}" if parts else ""


def _describe_move_target(change: MoveMapping) -> str:
    index = "the end" if change.to_index is None else f"place {change.to_index + 1}"
    if change.to_mode is not None:
        return f"{index} of mode {change.to_mode}"
    if change.to_profile is not None:
        return f"{index} of profile {change.to_profile}"
    return f"{index} of all modes" if change.to_global else index


def _list_changed_settings(tree: JsonObject, prefix: str = "") -> list[str]:
    words: list[str] = []
    for key, item in tree.items():
        if isinstance(item, dict):
            words.extend(_list_changed_settings(item, f"{prefix}{key}."))
        else:
            words.append(f"{prefix}{key} to {'its default' if item is None else item}")
    return words
