"""Determines whether an action needs the release of its control, and whether a delay of it would be noticed."""

from collections.abc import Iterator

from conductor.domain.actions import Action, walk_actions
from conductor.domain.actions.flow import RepeatAction
from conductor.domain.actions.keystroke import KeystrokeAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.actions.push_to_talk import PushToTalkAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.actions.shell import ShellAction


def describe_missing_release(action: Action) -> str | None:
    """Return what an action does if the release of its control is never noticed, or
    None if it needs no release.
    """
    for part in walk_actions(action):
        match part:
            case KeystrokeAction(hold="while_held"):
                return f"{'+'.join(part.keys)} is tapped instead of held"
            case ModeChangeAction(behaviour="momentary"):
                return f"mode {part.mode} stays instead of lasting while it is held"
            case SendMidiAction(holds_note=True):
                return "the note ends at once"
            case PushToTalkAction():
                return "the microphone is not opened, as it would never be closed"
            case RepeatAction(until_release=True):
                return "it is done once instead of repeated while it is held"
            case _:
                pass
    return None


def list_notes(action: Action) -> Iterator[SendMidiAction]:
    """Yield the parts of an action that start or end a note."""
    for part in walk_actions(action):
        if isinstance(part, SendMidiAction) and part.message_type in ("NoteOn", "NoteOff"):
            yield part


def ends_note(part: SendMidiAction) -> bool:
    """Return whether a message can end a note. A note on with velocity 0 is a note off."""
    return (
        part.message_type == "NoteOff" or not isinstance(part.velocity, int) or part.velocity == 0
    )


def sends_midi(action: Action) -> bool:
    """Return whether an action sends MIDI, so that a delay of it could be heard."""
    return any(
        isinstance(part, SendMidiAction | MidiForwardAction) for part in walk_actions(action)
    )


def sends_midi_or_keys(action: Action) -> bool:
    """Return whether an action sends MIDI or presses keys."""
    kinds = SendMidiAction | MidiForwardAction | KeystrokeAction
    return any(isinstance(part, kinds) for part in walk_actions(action))


def runs_shell_command(action: Action) -> bool:
    return any(isinstance(part, ShellAction) for part in walk_actions(action))
