"""Describes for the user what a change can affect, as the targets of actions and as the summary of a plan."""

from collections.abc import Iterable, Iterator

from conductor.domain.actions import Action
from conductor.domain.actions.keystroke import KeystrokeAction
from conductor.domain.actions.launch import LaunchAction
from conductor.domain.actions.led import LedAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.mouse import MouseClickAction, MouseMoveAction, MouseScrollAction
from conductor.domain.actions.osc_send import OscSendAction
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.actions.push_to_talk import PushToTalkAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.actions.shell import ShellAction
from conductor.domain.actions.text import TextAction
from conductor.domain.actions.volume_control import VolumeControlAction
from conductor.domain.control_names import format_name_with_numbers
from conductor.domain.impact import ANY_NUMBER, DEVICES_WITHOUT_ALIAS, Impact, ImpactedControl
from conductor.domain.phrases import format_note_name
from conductor.engine.impact.rows import ImpactRow

MAX_LISTED_NAMES = 8
"""The number of names that are listed before "and n more"; this fills about one line of a plan."""


def list_action_targets(rows: Iterable[ImpactRow]) -> Iterator[str]:
    """Yield what the actions of mappings act on, such as `keys cmd+c` or `MIDI to Synth`."""
    for row in rows:
        for part in row.parts:
            target = _describe_target(part)
            if target is not None:
                yield target


def _describe_target(part: Action) -> str | None:
    match part:
        case KeystrokeAction():
            return f"keys {'+'.join(part.keys)}"
        case TextAction():
            return "typed text"
        case LaunchAction():
            return f"program {part.app}"
        case ShellAction():
            return f"program {part.argv[0]}"
        case VolumeControlAction():
            return "the volume"
        case SendMidiAction() | MidiForwardAction():
            return f"MIDI to {part.port}"
        case OscSendAction():
            return f"OSC to {part.host}:{part.port}{part.address}"
        case MouseClickAction() | MouseMoveAction() | MouseScrollAction():
            return "the mouse"
        case LedAction():
            return f"lights of {part.device}"
        case PushToTalkAction():
            return "the microphone"
        case PluginAction():
            return f"tool {part.tool} of {part.server}"
        case _:
            return None


def summarize_impact(found: Impact, modes: tuple[str, ...]) -> str:
    """Return the line that summarizes the impact in a plan.

    `modes` are the modes that may be active in place of each other.
    """
    gone = set(found.removed_modes)
    # The controls of a removed mode are covered by the name of the mode.
    remaining = tuple(
        control for control in found.controls if control.modes is None or set(control.modes) - gone
    )
    parts = [f"everything in mode {mode}, which is removed" for mode in found.removed_modes]
    parts += _group_controls(remaining)
    if modes:
        parts.append(f"which mode is active ({_join_listed_names(modes)})")
    if found.variables:
        word = "variable" if len(found.variables) == 1 else "variables"
        parts.append(f"{word} {_join_listed_names(found.variables)}")
    if parts:
        return f"May change: {'; '.join(parts)}. Everything else stays the same."
    if found.settings:
        return f"Changes nothing that you play, only {_join_listed_names(found.settings)}."
    return "Changes nothing that you play."


def _group_controls(controls: tuple[ImpactedControl, ...]) -> Iterator[str]:
    """Yield the affected controls, grouped by modes and profile: `note 36 (C1), CC 7 in mode Live`."""
    groups: dict[tuple[tuple[str, ...] | None, str | None], list[str]] = {}
    for control in controls:
        groups.setdefault((control.modes, control.profile), []).append(
            describe_impacted_control(control)
        )
    for (modes, profile), names in groups.items():
        text = _join_listed_names(tuple(dict.fromkeys(names)))
        if modes is not None:
            text += f" in {'mode' if len(modes) == 1 else 'modes'} {_join_listed_names(modes)}"
        yield text if profile is None else f"{text} under profile {profile}"


def describe_impacted_control(control: ImpactedControl) -> str:
    """Return an affected control or pattern of controls as text.

    For example: `note 36 (C1) ch 10 on pads`, or with its name `Pad 1 (note 36 ch 10) on pads`.
    """
    device = ""
    if control.device is not None:
        device = (
            " on devices without alias"
            if control.device == DEVICES_WITHOUT_ALIAS
            else f" on {control.device}"
        )
    channel = f" ch {control.channel}" if control.channel else ""
    return (
        f"{format_name_with_numbers(control.name, f'{_format_control(control)}{channel}')}{device}"
    )


def _format_control(control: ImpactedControl) -> str:
    number = control.number
    match control.control_class:
        case "note":
            note_name = "" if control.name else f" ({format_note_name(int(number))})"
            return f"note {number}{note_name}"
        case "cc":
            return f"CC {number}"
        case "poly_pressure" if number == ANY_NUMBER:
            return "the pressure of any note"
        case "poly_pressure":
            return f"the pressure of note {number}"
        case "channel_pressure":
            return "the pressure"
        case "pitch_bend":
            return "the pitch bend"
        case "program_change":
            return f"program {number}"
        case "nrpn" | "rpn":
            return f"{control.control_class.upper()} {number}"
        case "button":
            return f"button {number}"
        case "gamepad_trigger":
            return f"the {number} trigger"
        case "sysex":
            return "SysEx"
        case _:
            return str(number)


def _join_listed_names(names: tuple[str, ...]) -> str:
    """Return a list of names as text that fits on one line."""
    if len(names) <= MAX_LISTED_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[:MAX_LISTED_NAMES])} and {len(names) - MAX_LISTED_NAMES} more"
