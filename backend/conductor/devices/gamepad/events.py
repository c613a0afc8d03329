"""From SDL's numbers to the fields of an `InputEvent`. Pure; knows no SDL."""

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
"""By SDL_GameControllerButton."""

CONTROLLER_AXES = ("left_x", "left_y", "right_x", "right_y")
"""By SDL_GameControllerAxis; 4 and 5 are the triggers."""

_TRIGGERS: dict[int, tuple[Literal["left", "right"], str]] = {4: ("left", "l2"), 5: ("right", "r2")}
_HAT = ("dpad_up", "dpad_down", "dpad_left", "dpad_right")
_PULLED = 0.5
_LET_GO = 0.4

Hat = tuple[int, int]


class Said(NamedTuple):
    """What one control said, before the device and time are known."""

    kind: EventKind
    number: str
    value: float


def unit(raw: int) -> float:
    """Return a 16-bit axis as exactly -1.0 to 1.0, with 0 at 0."""
    return max(-1.0, min(1.0, raw / 32_767))


def controller_button(index: int, *, down: bool) -> Said:
    """Name a button of a recognised pad; SDL may know more than we do."""
    known = index < len(CONTROLLER_BUTTONS)
    return _button(CONTROLLER_BUTTONS[index] if known else f"button_{index}", down=down)


def joystick_button(index: int, *, down: bool) -> Said:
    """Number a button of an unknown pad."""
    return _button(f"button_{index}", down=down)


def controller_axis(index: int, raw: int, *, pulled: bool) -> Iterator[Said]:
    """Return a stick with up positive, or a trigger.

    A trigger is also the button `l2` or `r2`: `pulled` says whether that is down.
    """
    if index in _TRIGGERS:
        side, button = _TRIGGERS[index]
        pull = max(0.0, unit(raw))
        yield Said("gamepad_trigger", side, pull)
        if pulled != is_pulled(raw, was=pulled):
            yield _button(button, down=not pulled)
    elif index < len(CONTROLLER_AXES):
        vertical = index in (1, 3)
        yield Said("axis", CONTROLLER_AXES[index], unit(-raw if vertical else raw))


def is_pulled(raw: int, *, was: bool) -> bool:
    """Return whether a trigger counts as a button that is down, with some play against chatter."""
    return unit(raw) > _LET_GO if was else unit(raw) >= _PULLED


def joystick_axis(index: int, position: float) -> Said:
    """Number an axis of an unknown pad; which way is up is not known, so it stays as it is."""
    return Said("axis", f"axis_{index}", unit(round(position * 32_768)))


def joystick_hat(hat: int, now: Hat, was: Hat, buttons: int) -> Iterator[Said]:
    """Return what a hat let go and what it pressed, as d-pad buttons.

    Further hats are numbered after the pad's last button.
    """
    for down, first, second in ((False, was, now), (True, now, was)):
        for direction in sorted(_directions(first) - _directions(second)):
            number = f"button_{buttons + 4 * (hat - 1) + direction}"
            yield _button(_HAT[direction] if hat == 0 else number, down=down)


def usb_ids(guid: str) -> tuple[int | None, int | None]:
    """Return vendor and product from SDL's GUID: bytes 4-5 and 8-9, low byte first.

    Without them SDL fills the same bytes with the pad's name; the zeros between tell which it is.
    """
    raw = bytes.fromhex(guid)
    vendor, gap, product, second_gap = struct.unpack_from("<4H", raw, 4)
    return (vendor, product) if vendor and not gap and not second_gap else (None, None)


def _button(name: str, *, down: bool) -> Said:
    return Said("button_down" if down else "button_up", name, int(down))


def _directions(hat: Hat) -> set[int]:
    x, y = hat
    return {index for index, on in enumerate((y > 0, y < 0, x < 0, x > 0)) if on}
