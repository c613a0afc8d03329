"""Defines the Linux key codes of a US keyboard (linux/input-event-codes.h), by key name and by character."""

from typing import NamedTuple

from conductor.errors import ActionFailed

SHIFT_CODE, CTRL_CODE, ALT_CODE, SUPER_CODE = 42, 29, 56, 125

CODES_BY_KEY_NAME: dict[str, int] = {
    "ctrl": CTRL_CODE,
    "alt": ALT_CODE,
    "shift": SHIFT_CODE,
    "super": SUPER_CODE,
    "cmd": SUPER_CODE,
    "enter": 28,
    "tab": 15,
    "escape": 1,
    "backspace": 14,
    "delete": 111,
    "insert": 110,
    "home": 102,
    "end": 107,
    "pageup": 104,
    "pagedown": 109,
    "up": 103,
    "down": 108,
    "left": 105,
    "right": 106,
    "capslock": 58,
    "numlock": 69,
    "scrolllock": 70,
    "printscreen": 99,
    "pause": 119,
    "menu": 127,
    "space": 57,
    "volumeup": 115,
    "volumedown": 114,
    "mute": 113,
    "playpause": 164,
    "play": 164,
    "stop": 166,
    "next": 163,
    "previous": 165,
    "brightnessup": 225,
    "brightnessdown": 224,
    "num0": 82,
    "num1": 79,
    "num2": 80,
    "num3": 81,
    "num4": 75,
    "num5": 76,
    "num6": 77,
    "num7": 71,
    "num8": 72,
    "num9": 73,
    "numadd": 78,
    "numsub": 74,
    "nummul": 55,
    "numdiv": 98,
    "numdecimal": 83,
    "numenter": 96,
    **{f"f{number}": 58 + number for number in range(1, 11)},
    "f11": 87,
    "f12": 88,
    **{f"f{number}": 170 + number for number in range(13, 25)},
}
"""The key codes by the key names of `domain.keys`. `cmd` is missing, because it
always stands for another key."""

_KEYBOARD_ROWS = (
    (2, "1234567890-=", "!@#$%^&*()_+"),
    (16, "qwertyuiop[]", "QWERTYUIOP{}"),
    (30, "asdfghjkl;'`", 'ASDFGHJKL:"~'),
    (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"),
    (57, " ", " "),
)


class Stroke(NamedTuple):
    """A key code of the kernel, and whether Shift must be held with it."""

    code: int
    shift: bool


def _build_character_strokes() -> dict[str, Stroke]:
    strokes = {"\n": Stroke(28, shift=False), "\t": Stroke(15, shift=False)}
    for first, plain, shifted in _KEYBOARD_ROWS:
        for code, (low, high) in enumerate(zip(plain, shifted, strict=True), first):
            strokes[high] = Stroke(code, shift=True)
            strokes[low] = Stroke(code, shift=False)
    return strokes


STROKES_BY_CHARACTER: dict[str, Stroke] = _build_character_strokes()
"""The stroke that types each character on a US keyboard."""

MODIFIER_MASKS = {SHIFT_CODE: 1, CTRL_CODE: 4, ALT_CODE: 8, SUPER_CODE: 64}
"""The xkb modifier bits (Shift, Control, Mod1, Mod4) of the modifier keys, by key code."""
LOCK_MASKS = {58: 2, 69: 16}
"""The xkb modifier bits of Caps Lock and Num Lock (Mod2) by key code."""

MOUSE_BUTTON_CODES = {"left": 0x110, "right": 0x111, "middle": 0x112}
"""The event codes of the mouse buttons."""


def find_mouse_button_code(button: str) -> int:
    """Return the event code of a mouse button.

    Raises:
        ActionFailed: The button does not exist.
    """
    code = MOUSE_BUTTON_CODES.get(button)
    if code is None:
        raise ActionFailed(f"no mouse button `{button}`: use left, middle or right")
    return code
