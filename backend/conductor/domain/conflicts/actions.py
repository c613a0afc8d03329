"""Checks whether an action needs the release of its control, or must be performed without a delay."""

from conductor.domain.actions import Action, walk_actions
from conductor.domain.actions.flow import RepeatAction
from conductor.domain.actions.keystroke import KeystrokeAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.actions.shell import ShellAction


def describe_missing_release(action: Action) -> str | None:
    """Describe how an action behaves if its control's release is not detected.

    Return None if the action does not need the release.
    """
    for part in walk_actions(action):
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


def sends_midi(action: Action) -> bool:
    """Return whether an action sends MIDI, in which case a delay would be audible."""
    return any(
        isinstance(part, SendMidiAction | MidiForwardAction) for part in walk_actions(action)
    )


def sends_midi_or_keys(action: Action) -> bool:
    """Return whether an action sends MIDI or presses keys."""
    kinds = SendMidiAction | MidiForwardAction | KeystrokeAction
    return any(isinstance(part, kinds) for part in walk_actions(action))


def runs_shell_command(action: Action) -> bool:
    return any(isinstance(part, ShellAction) for part in walk_actions(action))
