"""Defines the union of all action kinds, and walks actions that are nested in others.

To add a kind, create a module in this package and add the class to the union.
"""

from collections.abc import Iterator
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BeforeValidator, Field
from typing_extensions import TypeAliasType

from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.actions.flow import (
    ConditionalAction,
    DelayAction,
    RepeatAction,
    SequenceAction,
)
from conductor.domain.actions.keystroke import KeystrokeAction
from conductor.domain.actions.launch import LaunchAction
from conductor.domain.actions.led import LedAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.actions.mouse import MouseClickAction, MouseMoveAction, MouseScrollAction
from conductor.domain.actions.osc_send import OscSendAction
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.actions.push_to_talk import PushToTalkAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.actions.set_variable import SetVariableAction
from conductor.domain.actions.shell import ShellAction
from conductor.domain.actions.text import TextAction
from conductor.domain.actions.volume_control import VolumeControlAction

__all__ = ["ACTION_KINDS", "Action", "ActionBase", "Fire", "walk_actions"]

MAX_NESTING_DEPTH = 8
MAX_ACTION_STEPS = 10_000
_OLDER_KIND_NAMES = {
    "SendMIDI": "SendMidi",
    "MIDIForward": "MidiForward",
    "ShellCommand": "Shell",
    "LaunchApp": "Launch",
    "OSCSend": "OscSend",
    "SendOsc": "OscSend",
    "LED": "Led",
    "Key": "Keystroke",
}


def canonicalize_action(raw: Any) -> Any:
    """Return raw action data in which an outdated name of the action's kind is replaced by the current name."""
    if not isinstance(raw, dict):
        return raw
    return {**raw, "type": _OLDER_KIND_NAMES.get(str(raw.get("type")), raw.get("type"))}


Action = TypeAliasType(
    "Action",
    Annotated[
        KeystrokeAction
        | TextAction
        | LaunchAction
        | ShellAction
        | VolumeControlAction
        | ModeChangeAction
        | SendMidiAction
        | MidiForwardAction
        | OscSendAction
        | MouseClickAction
        | MouseMoveAction
        | MouseScrollAction
        | SequenceAction
        | DelayAction
        | RepeatAction
        | ConditionalAction
        | SetVariableAction
        | LedAction
        | PluginAction
        | PushToTalkAction,
        Field(discriminator="type"),
        BeforeValidator(canonicalize_action),
    ],
)

ACTION_KINDS: dict[str, type[ActionBase]] = {
    kind.model_fields["type"].default: kind for kind in get_args(get_args(Action.__value__)[0])
}
"""The class of each kind of action, keyed by the tag in its field `type`."""

for _recursive in (SequenceAction, RepeatAction, ConditionalAction):
    _recursive.model_rebuild(_types_namespace={"Action": Action})


_NESTING_ACTIONS = frozenset((SequenceAction, RepeatAction, ConditionalAction))


def list_nested_actions(action: ActionBase) -> tuple[Action, ...]:
    """Return the actions directly inside an action, for example the steps of a
    `Sequence`; empty for most actions.
    """
    # a fast path for walks over whole configs, because `isinstance` is slow for pydantic classes
    if type(action) not in _NESTING_ACTIONS:
        return ()
    match action:
        case SequenceAction():
            return action.actions
        case RepeatAction():
            return (action.action,)
        case ConditionalAction():
            return (action.then,) if action.otherwise is None else (action.then, action.otherwise)
        case _:
            return ()


def walk_actions(action: Action) -> Iterator[Action]:
    """Yield an action and all actions nested inside it, outermost first."""
    return iter((action,)) if type(action) not in _NESTING_ACTIONS else _walk_action(action)


def _walk_action(action: Action) -> Iterator[Action]:
    yield action
    for child in list_nested_actions(action):
        yield from walk_actions(child)


def measure_nesting_depth(action: ActionBase) -> int:
    """Return the nesting depth of an action: 1 if no other action is inside it."""
    return 1 + max(
        (measure_nesting_depth(child) for child in list_nested_actions(action)), default=0
    )


def count_action_steps(action: ActionBase) -> int:
    """Return the maximum number of plain actions that an action can perform.

    A repetition until release counts as one.
    """
    inner = sum(count_action_steps(child) for child in list_nested_actions(action))
    if isinstance(action, RepeatAction):
        return inner * (action.count or 1)
    return inner or 1


def _require_reasonable_size(action: Any) -> Any:
    if measure_nesting_depth(action) > MAX_NESTING_DEPTH:
        raise ValueError(f"actions are nested more than {MAX_NESTING_DEPTH} deep")
    if count_action_steps(action) > MAX_ACTION_STEPS:
        raise ValueError(
            f"this makes {count_action_steps(action)} single actions; the limit is {MAX_ACTION_STEPS}"
        )
    return action


TopLevelAction = Annotated[Action, AfterValidator(_require_reasonable_size)]
"""The action of a mapping, with limits on the depth and the number of actions inside it."""
