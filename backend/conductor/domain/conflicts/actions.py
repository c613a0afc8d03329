"""Determines what an action requires of its control: a release, or an immediate response."""

from conductor.domain.actions import Action, parts_of
from conductor.domain.actions.flow import RepeatAction
from conductor.domain.actions.keystroke import KeystrokeAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.actions.shell import ShellAction


def until_release(action: Action) -> str | None:
    """Return what an action that lasts until the release does if the release cannot be detected."""
    for part in parts_of(action):
        match part:
            case KeystrokeAction(hold="while_held"):
                return f"{'+'.join(part.keys)} is tapped instead of held"
            case ModeChangeAction(behaviour="momentary"):
                return f"mode {part.mode} stays instead of lasting while it is held"
            case RepeatAction(until_release=True):
                return "it is done once instead of repeated while it is held"
            case _:
                pass
    return None


def is_played(action: Action) -> bool:
    """Return whether a delay of the action would be audible or noticeable."""
    return any(isinstance(part, SendMidiAction | MidiForwardAction) for part in parts_of(action))


def is_performance(action: Action) -> bool:
    """Return whether an action is part of playing: MIDI or keys."""
    kinds = SendMidiAction | MidiForwardAction | KeystrokeAction
    return any(isinstance(part, kinds) for part in parts_of(action))


def runs_shell(action: Action) -> bool:
    return any(isinstance(part, ShellAction) for part in parts_of(action))
