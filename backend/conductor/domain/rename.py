"""Changes all references to a mode or device in a config, when it gets a new name."""

from collections.abc import Callable
from typing import Any

from conductor.domain.actions.led import LedAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.conditions import ControlHeld, ModeIs
from conductor.domain.config import Config, Profile
from conductor.domain.devices import DeviceIdentity, PortInfo, format_raw_device_id
from conductor.domain.settings import EngineSettings, Settings
from conductor.domain.triggers import TriggerBase
from conductor.domain.value import Value


def rename_mode(config: Config, old: str, new: str) -> Config:
    """Return a config in which all references to a mode have its new name; the mode itself is not renamed."""

    def apply_rename(value: Value) -> Value:
        match value:
            case ModeChangeAction() | ModeIs() | Profile() if value.mode == old:
                return value.model_copy(update={"mode": new})
            case EngineSettings() if value.start_mode == old:
                return value.model_copy(update={"start_mode": new})
            case _:
                return value

    return _rewrite_records(config, apply_rename)


def rename_device(config: Config, old: str, new: str) -> Config:
    """Return a config in which all references to a device have its new alias; the
    device itself is not renamed.
    """

    def apply_rename(value: Value) -> Value:
        match value:
            case TriggerBase() | ControlHeld() | LedAction() if value.device == old:
                return value.model_copy(update={"device": new})
            case SendMidiAction() | MidiForwardAction() if value.port == old:
                return value.model_copy(update={"port": new})
            case Settings() if old in value.names:
                names = {new if name == old else name: each for name, each in value.names.items()}
                return value.model_copy(update={"names": names})
            case _:
                return value

    return _rewrite_records(config, apply_rename)


def move_control_names(config: Config, device: DeviceIdentity) -> Config:
    """Return a config in which the names that the user gave to the controls of a device before it had an
    alias are those of its alias.
    """
    settings = config.settings
    raw = next((name for name in settings.names if _is_raw_id_of(name, device)), None)
    if raw is None:
        return config
    names = {name: each for name, each in settings.names.items() if name != raw}
    names[device.alias] = settings.names[raw]
    moved = settings.model_copy(update={"names": names})
    return config.model_copy(update={"settings": moved})


def _is_raw_id_of(device_id: str, device: DeviceIdentity) -> bool:
    """Return whether the id of a port without an alias is that of a device."""
    prefix = format_raw_device_id(PortInfo(name=""))
    name, _, unit = device_id.removeprefix(prefix).partition(" #")
    port = PortInfo(name=name, occurrence=int(unit) if unit.isdecimal() else 1)
    is_raw = format_raw_device_id(port) == device_id
    return is_raw and device.get_match_specificity(port) > 0


def _rewrite_records(item: Any, change: Callable[[Value], Value]) -> Any:
    """Apply `change` to each record inside a value, and return the result.

    Parts that do not change stay the same objects.
    """
    if isinstance(item, tuple):
        parts = tuple(_rewrite_records(each, change) for each in item)
        return item if all(a is b for a, b in zip(parts, item, strict=True)) else parts
    if not isinstance(item, Value):
        return item
    fields = {
        name: new
        for name in type(item).model_fields
        if (new := _rewrite_records(getattr(item, name), change)) is not getattr(item, name)
    }
    return change(item.model_copy(update=fields) if fields else item)
