"""Changes all references to a mode or device in a config, when it gets a new name."""

from collections.abc import Callable
from typing import Any

from conductor.domain.actions.led import LedAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.conditions import ControlHeld, ModeIs
from conductor.domain.config import Config, Profile
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
