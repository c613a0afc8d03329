"""Converts the button and axis numbers of SDL to gamepad events, without importing SDL."""

import struct
from collections.abc import Iterator
from typing import Literal, NamedTuple

from conductor.domain.events import EventKind

CONTROLLER_BUTTONS = (
    "south",
    "east",
    "west",
    "north",
    "select",
    "guide",
    "start",
    "l3",
    "r3",
    "l1",
    "r1",
    "dpad_up",
    "dpad_down",
    "dpad_left",
    "dpad_right",
    "misc1",
    "paddle1",
    "paddle2",
    "paddle3",
    "paddle4",
    "touchpad",
)
"""The button names, indexed by SDL_GameControllerButton."""

CONTROLLER_AXES = ("left_x", "left_y", "right_x", "right_y")
"""The names of the stick axes, indexed by SDL_GameControllerAxis; axes 4 and 5 are the triggers."""

_ANALOG_TRIGGERS_BY_AXIS: dict[int, tuple[Literal["left", "right"], str]] = {
    4: ("left", "l2"),
    5: ("right", "r2"),
}
_HAT_DIRECTIONS = ("dpad_up", "dpad_down", "dpad_left", "dpad_right")
_PRESS_THRESHOLD = 0.5
_RELEASE_THRESHOLD = 0.4

HatPosition = tuple[int, int]


class GamepadEvent(NamedTuple):
    """A change of one control of a gamepad; the caller adds the device and the time."""

    kind: EventKind
    number: str
    value: float


def scale_axis(raw: int) -> float:
    """Scale a 16-bit axis position to the range from exactly -1.0 to 1.0; 0 stays 0."""
    return max(-1.0, min(1.0, raw / 32_767))


def convert_controller_button(index: int, *, down: bool) -> GamepadEvent:
    """Convert a button of a recognised gamepad to an event.

    A button without a name is called `button_<index>`.
    """
    known = index < len(CONTROLLER_BUTTONS)
    return _build_button_event(CONTROLLER_BUTTONS[index] if known else f"button_{index}", down=down)


def convert_joystick_button(index: int, *, down: bool) -> GamepadEvent:
    """Convert a button of an unknown gamepad, which only has a number, to an event named `button_<index>`."""
    return _build_button_event(f"button_{index}", down=down)


def convert_controller_axis(index: int, raw: int, *, pulled: bool) -> Iterator[GamepadEvent]:
    """Yield the events for a new position of a stick axis or analog trigger of a recognised gamepad.

    Stick positions are positive upwards. A trigger also acts as the button `l2` or `r2`; `pulled` is true if
    this button is currently down.
    """
    if index in _ANALOG_TRIGGERS_BY_AXIS:
        side, button = _ANALOG_TRIGGERS_BY_AXIS[index]
        pull = max(0.0, scale_axis(raw))
        yield GamepadEvent("gamepad_trigger", side, pull)
        if pulled != is_trigger_pulled(raw, was=pulled):
            yield _build_button_event(button, down=not pulled)
    elif index < len(CONTROLLER_AXES):
        vertical = index in (1, 3)
        yield GamepadEvent("axis", CONTROLLER_AXES[index], scale_axis(-raw if vertical else raw))


def is_trigger_pulled(raw: int, *, was: bool) -> bool:
    """Return whether an analog trigger is pulled far enough to count as a pressed button.

    The threshold is lower while the button is pressed (`was`), so that it does not chatter.
    """
    return scale_axis(raw) > _RELEASE_THRESHOLD if was else scale_axis(raw) >= _PRESS_THRESHOLD


def convert_joystick_axis(index: int, position: float) -> GamepadEvent:
    """Convert an axis of an unknown gamepad to an event; the sign stays, because which end is up is unknown."""
    return GamepadEvent("axis", f"axis_{index}", scale_axis(round(position * 32_768)))


def convert_joystick_hat(
    hat: int, now: HatPosition, was: HatPosition, buttons: int
) -> Iterator[GamepadEvent]:
    """Yield the button events for a new position of a hat: first the releases, then the presses."""
    for down, first, second in ((False, was, now), (True, now, was)):
        for direction in sorted(_get_hat_directions(first) - _get_hat_directions(second)):
            number = f"button_{buttons + 4 * (hat - 1) + direction}"
            yield _build_button_event(_HAT_DIRECTIONS[direction] if hat == 0 else number, down=down)


def parse_usb_ids(guid: str) -> tuple[int | None, int | None]:
    """Return the USB vendor and product ids from SDL's GUID of a gamepad, or None for each if it has no ids.

    They are bytes 4-5 and 8-9, little-endian. For a pad without ids, SDL stores the name of the pad in these
    bytes; zeros between the ids distinguish the two cases.
    """
    raw = bytes.fromhex(guid)
    vendor, gap, product, second_gap = struct.unpack_from("<4H", raw, 4)
    return (vendor, product) if vendor and not gap and not second_gap else (None, None)


def _build_button_event(name: str, *, down: bool) -> GamepadEvent:
    return GamepadEvent("button_down" if down else "button_up", name, int(down))


def _get_hat_directions(hat: HatPosition) -> set[int]:
    x, y = hat
    return {index for index, on in enumerate((y > 0, y < 0, x < 0, x > 0)) if on}
