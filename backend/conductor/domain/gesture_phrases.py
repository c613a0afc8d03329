"""Describes triggers with the options of their gestures, such as `LongPress 36 (others wait)`."""

from collections.abc import Iterator
from typing import Any

from conductor.domain.phrases import shorten_phrase
from conductor.domain.triggers import Trigger
from conductor.domain.triggers.double_tap import DoubleTapTrigger
from conductor.domain.triggers.gamepad_button_chord import GamepadButtonChordTrigger
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.domain.triggers.note_chord import NoteChordTrigger

_CONTROL_NUMBER_FIELDS = (
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


def describe_trigger(trigger: Trigger) -> str:
    """Return a trigger as a short phrase, such as `Note 36 on pads`."""
    numbers: Any = next(
        (
            item
            for name in _CONTROL_NUMBER_FIELDS
            if (item := getattr(trigger, name, None)) is not None
        ),
        "",
    )
    which = "+".join(str(each) for each in numbers) if isinstance(numbers, tuple) else str(numbers)
    device = f" on {trigger.device}" if trigger.device else ""
    words = f"{trigger.type}{shorten_phrase(f' {which}' if which else '')}"
    return f"{words}{device}{describe_gesture_options(trigger)}"


def describe_gesture_options(trigger: Trigger) -> str:
    """Return the options of a gesture in parentheses after a space, or an empty text if it has none."""
    words = ", ".join(_list_option_phrases(trigger))
    return f" ({words})" if words else ""


def _list_option_phrases(trigger: Trigger) -> Iterator[str]:
    match trigger:
        case LongPressTrigger():
            if trigger.hold_on_other_press:
                yield "at once when another is pressed"
            elif trigger.permissive_hold:
                yield "at once when another is tapped"
            if trigger.quick_tap_ms:
                yield f"not within {trigger.quick_tap_ms} ms of a tap"
        case NoteChordTrigger() | GamepadButtonChordTrigger():
            if trigger.fire_when_complete:
                yield "at once when complete"
        case DoubleTapTrigger():
            pass
        case _:
            return
    if trigger.require_prior_idle_ms:
        yield f"after {trigger.require_prior_idle_ms} ms of quiet"
    if trigger.keep_order:
        yield "others wait"
