"""What a change can affect, in words: its targets, and the line that a plan shows."""

from collections.abc import Iterable, Iterator

from conductor.domain.actions import Action
from conductor.domain.actions.keystroke import KeystrokeAction
from conductor.domain.actions.launch import LaunchAction
from conductor.domain.actions.led import LedAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.mouse import MouseClickAction, MouseMoveAction, MouseScrollAction
from conductor.domain.actions.osc_send import OscSendAction
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.actions.shell import ShellAction
from conductor.domain.actions.text import TextAction
from conductor.domain.actions.volume_control import VolumeControlAction
from conductor.domain.impact import ANY_NUMBER, WITHOUT_ALIAS, Impact, ImpactedControl
from conductor.domain.phrases import note_name
from conductor.engine.impact.rows import Row

LISTED = 8
"""More than a line of a plan can hold."""


def targets_of(rows: Iterable[Row]) -> Iterator[str]:
    """Yield where the effects of rows arrive."""
    for row in rows:
        for part in row.parts:
            target = _target(part)
            if target is not None:
                yield target


def _target(part: Action) -> str | None:
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
        case PluginAction():
            return f"tool {part.tool} of {part.server}"
        case _:
            return None


def summarise(found: Impact, modes: tuple[str, ...]) -> str:
    """Return the line that a plan shows; `modes` may be active instead of one another."""
    gone = set(found.removed_modes)
    # what a mode that goes did is said by its name
    stays = tuple(one for one in found.controls if one.modes is None or set(one.modes) - gone)
    parts = [f"everything in mode {mode}, which goes" for mode in found.removed_modes]
    parts += _control_groups(stays)
    if modes:
        parts.append(f"which mode is active ({_some(modes)})")
    if found.variables:
        word = "variable" if len(found.variables) == 1 else "variables"
        parts.append(f"{word} {_some(found.variables)}")
    if parts:
        return f"Can affect: {'; '.join(parts)}; nothing else."
    if found.settings:
        verb = "changes" if len(found.settings) == 1 else "change"
        return f"Can affect nothing that you play: only {_some(found.settings)} {verb}."
    return "Can affect nothing that you play."


def _control_groups(controls: tuple[ImpactedControl, ...]) -> Iterator[str]:
    """Yield the controls of the same circumstances together: `note 36 (C1), CC 7 in mode Live`."""
    groups: dict[tuple[tuple[str, ...] | None, str | None], list[str]] = {}
    for one in controls:
        groups.setdefault((one.modes, one.profile), []).append(control_words(one))
    for (modes, profile), names in groups.items():
        text = _some(tuple(dict.fromkeys(names)))
        if modes is not None:
            text += f" in {'mode' if len(modes) == 1 else 'modes'} {_some(modes)}"
        yield text if profile is None else f"{text} under profile {profile}"


def control_words(one: ImpactedControl) -> str:
    """Return a control, or all that its pattern stands for, as a short phrase."""
    device = ""
    if one.device is not None:
        device = " on devices without alias" if one.device == WITHOUT_ALIAS else f" on {one.device}"
    channel = f" ch {one.channel}" if one.channel else ""
    return f"{_control(one)}{channel}{device}"


def _control(one: ImpactedControl) -> str:
    number = one.number
    match one.control_class:
        case "note":
            return f"note {number} ({note_name(int(number))})"
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
            return f"{one.control_class.upper()} {number}"
        case "button":
            return f"button {number}"
        case "gamepad_trigger":
            return f"the {number} trigger"
        case "sysex":
            return "SysEx"
        case _:
            return str(number)


def _some(names: tuple[str, ...]) -> str:
    """Return names as a list that fits into a line."""
    if len(names) <= LISTED:
        return ", ".join(names)
    return f"{', '.join(names[:LISTED])} and {len(names) - LISTED} more"
