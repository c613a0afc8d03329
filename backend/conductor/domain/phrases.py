"""A trigger or an action in a few words: `Note 36 on pads`, `Keystroke Cmd+C`."""

from typing import Any

from conductor.domain.actions import Action
from conductor.domain.triggers import Trigger
from conductor.domain.value import Value

_TRIGGER_WORDS = (
    "note",
    "notes",
    "cc",
    "button",
    "buttons",
    "axis",
    "trigger",
    "program",
    "address",
)
_ACTION_WORDS = (
    "keys",
    "text",
    "app",
    "argv",
    "operation",
    "mode",
    "message_type",
    "address",
    "name",
)
_SHOWN = 40


def trigger_phrase(trigger: Trigger) -> str:
    """Say which event a trigger waits for."""
    device = f" on {trigger.device}" if trigger.device else ""
    return f"{trigger.type}{_first(trigger, _TRIGGER_WORDS)}{device}"


def action_phrase(action: Action) -> str:
    """Say what an action does."""
    keys = getattr(action, "keys", None)
    if isinstance(keys, tuple):
        return f"{action.type} {'+'.join(str(key).capitalize() for key in keys)}"
    return f"{action.type}{_first(action, _ACTION_WORDS)}"


def _first(value: Value, names: tuple[str, ...]) -> str:
    found: Any = next(
        (item for name in names if (item := getattr(value, name, None)) is not None), None
    )
    if found is None:
        return ""
    words = "+".join(str(each) for each in found) if isinstance(found, tuple) else str(found)
    return f" {words}" if len(words) <= _SHOWN else f" {words[:_SHOWN]}..."
