"""Translates SDL's numbers into the fields of an `InputEvent`. Pure; does not import SDL."""

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
"""Names indexed by SDL_GameControllerButton."""

CONTROLLER_AXES = ("left_x", "left_y", "right_x", "right_y")
"""Names indexed by SDL_GameControllerAxis; 4 and 5 are the triggers."""

_TRIGGERS: dict[int, tuple[Literal["left", "right"], str]] = {4: ("left", "l2"), 5: ("right", "r2")}
_HAT = ("dpad_up", "dpad_down", "dpad_left", "dpad_right")
_PULLED = 0.5
_LET_GO = 0.4

Hat = tuple[int, int]


class PadEvent(NamedTuple):
    """A change of one control, before the device and time are known."""

    kind: EventKind
    number: str
    value: float


def scale_axis(raw: int) -> float:
    """Return a 16-bit axis as exactly -1.0 to 1.0, with 0 at 0."""
    return max(-1.0, min(1.0, raw / 32_767))


def read_controller_button(index: int, *, down: bool) -> PadEvent:
    """Return the event of a recognised pad's button; a button unknown to this version is numbered."""
    known = index < len(CONTROLLER_BUTTONS)
    return _build_button_event(CONTROLLER_BUTTONS[index] if known else f"button_{index}", down=down)


def read_joystick_button(index: int, *, down: bool) -> PadEvent:
    """Return the event of a numbered button of an unknown pad."""
    return _build_button_event(f"button_{index}", down=down)


def read_controller_axis(index: int, raw: int, *, pulled: bool) -> Iterator[PadEvent]:
    """Yield the events of a stick axis, with up positive, or of a trigger.

    A trigger is also the button `l2` or `r2`; `pulled` is whether that button is down.
    """
    if index in _TRIGGERS:
        side, button = _TRIGGERS[index]
        pull = max(0.0, scale_axis(raw))
        yield PadEvent("gamepad_trigger", side, pull)
        if pulled != is_pulled(raw, was=pulled):
            yield _build_button_event(button, down=not pulled)
    elif index < len(CONTROLLER_AXES):
        vertical = index in (1, 3)
        yield PadEvent("axis", CONTROLLER_AXES[index], scale_axis(-raw if vertical else raw))


def is_pulled(raw: int, *, was: bool) -> bool:
    """Return whether a trigger counts as a pressed button, with hysteresis against chatter."""
    return scale_axis(raw) > _LET_GO if was else scale_axis(raw) >= _PULLED


def read_joystick_axis(index: int, position: float) -> PadEvent:
    """Return the event of an unknown pad's axis; its direction is not known, so the sign is kept."""
    return PadEvent("axis", f"axis_{index}", scale_axis(round(position * 32_768)))


def read_joystick_hat(hat: int, now: Hat, was: Hat, buttons: int) -> Iterator[PadEvent]:
    """Yield the releases and then the presses of a hat, as d-pad buttons.

    Further hats are numbered after the pad's last button.
    """
    for down, first, second in ((False, was, now), (True, now, was)):
        for direction in sorted(_split_hat(first) - _split_hat(second)):
            number = f"button_{buttons + 4 * (hat - 1) + direction}"
            yield _build_button_event(_HAT[direction] if hat == 0 else number, down=down)


def parse_usb_ids(guid: str) -> tuple[int | None, int | None]:
    """Return the vendor and product ids from SDL's GUID: bytes 4-5 and 8-9, little-endian.

    For a pad without ids SDL puts its name into these bytes; zeros in between show that they are ids.
    """
    raw = bytes.fromhex(guid)
    vendor, gap, product, second_gap = struct.unpack_from("<4H", raw, 4)
    return (vendor, product) if vendor and not gap and not second_gap else (None, None)


def _build_button_event(name: str, *, down: bool) -> PadEvent:
    return PadEvent("button_down" if down else "button_up", name, int(down))


def _split_hat(hat: Hat) -> set[int]:
    x, y = hat
    return {index for index, on in enumerate((y > 0, y < 0, x < 0, x > 0)) if on}
