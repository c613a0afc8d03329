"""Defines the names of keys and gamepad controls, and the aliases that are accepted for them."""

import difflib
import sys

MODIFIER_KEYS = ("cmd", "ctrl", "alt", "shift", "super")

_NAMED_KEYS = [
    "space",
    "enter",
    "tab",
    "escape",
    "backspace",
    "delete",
    "insert",
    "home",
    "end",
    "pageup",
    "pagedown",
    "up",
    "down",
    "left",
    "right",
    "capslock",
    "numlock",
    "scrolllock",
    "printscreen",
    "pause",
    "menu",
    "plus",
    "minus",
    "volumeup",
    "volumedown",
    "mute",
    "playpause",
    "play",
    "stop",
    "next",
    "previous",
    "brightnessup",
    "brightnessdown",
    "num0",
    "num1",
    "num2",
    "num3",
    "num4",
    "num5",
    "num6",
    "num7",
    "num8",
    "num9",
    "numadd",
    "numsub",
    "nummul",
    "numdiv",
    "numdecimal",
    "numenter",
]

KEY_NAMES: frozenset[str] = frozenset(
    [*MODIFIER_KEYS, "fn", *_NAMED_KEYS, *(f"f{number}" for number in range(1, 25))]
)

_KEY_ALIASES = {
    "command": "cmd",
    "meta": "cmd",
    "control": "ctrl",
    "option": "alt",
    "opt": "alt",
    "altgr": "alt",
    "win": "super",
    "windows": "super",
    "return": "enter",
    "esc": "escape",
    "del": "delete",
    "ins": "insert",
    "pgup": "pageup",
    "page_up": "pageup",
    "pgdn": "pagedown",
    "page_down": "pagedown",
    "uparrow": "up",
    "downarrow": "down",
    "leftarrow": "left",
    "rightarrow": "right",
    "arrowup": "up",
    "arrowdown": "down",
    "arrowleft": "left",
    "arrowright": "right",
    "caps": "capslock",
    "caps_lock": "capslock",
    "numlk": "numlock",
    "scrlk": "scrolllock",
    "prtsc": "printscreen",
    "print_screen": "printscreen",
    "volup": "volumeup",
    "volume_up": "volumeup",
    "voldown": "volumedown",
    "volume_down": "volumedown",
    "play_pause": "playpause",
    "nexttrack": "next",
    "next_track": "next",
    "previoustrack": "previous",
    "previous_track": "previous",
    "prev": "previous",
    "spacebar": "space",
    # As on German keyboards, and in the window in German.
    "strg": "ctrl",
    "umschalt": "shift",
    "eingabe": "enter",
    "leertaste": "space",
    "rück": "backspace",
    "entf": "delete",
    "einfg": "insert",
    "pos1": "home",
    "ende": "end",
    "+": "plus",
    "-": "minus",
}


def canonicalize_key(name: str) -> str:
    """Return the standard name of a key that is given by its name or an alias.

    Raises:
        ValueError: the key does not exist; the message suggests a similar name.
    """
    stripped = name.strip() or name
    if len(stripped) == 1:
        lowered = _KEY_ALIASES.get(stripped, stripped.lower())
        if stripped == " ":
            return "space"
        if stripped.isprintable():
            return lowered
    lowered = stripped.lower()
    key = _KEY_ALIASES.get(lowered, lowered)
    if key in KEY_NAMES:
        return key
    known = [*KEY_NAMES, *_KEY_ALIASES]
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.6)
    if not near:  # the name `media_next` contains `next`, which is the name of another key
        near = [part for part in key.replace("-", "_").split("_") if part in known]
    hint = f" - did you mean `{near[0]}`?" if near else ""
    raise ValueError(f"unknown key `{name}`{hint}")


def split_keys(text: str) -> list[str]:
    """Return the names of the keys in a text such as `cmd+shift+c`.

    A `+` alone or at the end is the plus key.
    """
    if text.strip() == "+":
        return ["plus"]
    text = text.strip()
    trailing = text.endswith("++")
    parts = [part for part in (text[:-2] if trailing else text).split("+") if part.strip()]
    return [*parts, "plus"] if trailing else parts


BUTTON_NAMES = (
    "south",
    "east",
    "west",
    "north",
    "dpad_up",
    "dpad_down",
    "dpad_left",
    "dpad_right",
    "l1",
    "r1",
    "l3",
    "r3",
    "start",
    "select",
    "guide",
    "l2",
    "r2",
    "misc1",
    "paddle1",
    "paddle2",
    "paddle3",
    "paddle4",
    "touchpad",
)
"""The names of gamepad buttons, by their position in SDL; older configs use the index plus 128."""

_BUTTON_ALIASES = {
    "a": "south",
    "b": "east",
    "x": "west",
    "y": "north",
    "cross": "south",
    "circle": "east",
    "square": "west",
    "triangle": "north",
    "lb": "l1",
    "rb": "r1",
    "leftshoulder": "l1",
    "rightshoulder": "r1",
    "lt": "l2",
    "rt": "r2",
    "leftstick": "l3",
    "rightstick": "r3",
    "back": "select",
    "share": "select",
    "view": "select",
    "options": "start",
    "menu": "start",
    "home": "guide",
    "ps": "guide",
    "up": "dpad_up",
    "down": "dpad_down",
    "left": "dpad_left",
    "right": "dpad_right",
}


def canonicalize_button(name: int | str) -> str:
    """Return the standard name of a gamepad button: its SDL position, or
    `button_<index>` on an unknown gamepad.
    """
    if isinstance(name, bool):
        raise ValueError("a button is a name such as `south`, or a number from 128")  # noqa: TRY004
    if isinstance(name, int):
        if 128 <= name < 128 + len(BUTTON_NAMES):
            return BUTTON_NAMES[name - 128]
        if 128 + len(BUTTON_NAMES) <= name <= 255:
            return f"button_{name - 128}"
        raise ValueError(f"button number {name} is outside 128-255")
    lowered = name.strip().lower()
    button = _BUTTON_ALIASES.get(lowered, lowered)
    if button in BUTTON_NAMES or (button.startswith("button_") and button[7:].isdigit()):
        return button
    near = difflib.get_close_matches(button, [*BUTTON_NAMES, *_BUTTON_ALIASES], n=1)
    hint = f" - did you mean `{near[0]}`?" if near else f"; buttons are {', '.join(BUTTON_NAMES)}"
    raise ValueError(f"unknown gamepad button `{name}`{hint}")


AXIS_NAMES = ("left_x", "left_y", "right_x", "right_y")
"""The names of stick axes, in the order of SDL; older configs use the index plus 128."""

_AXIS_ALIASES = {
    "leftx": "left_x",
    "lefty": "left_y",
    "rightx": "right_x",
    "righty": "right_y",
    "left_stick_x": "left_x",
    "left_stick_y": "left_y",
    "right_stick_x": "right_x",
    "right_stick_y": "right_y",
}


def canonicalize_axis(name: int | str) -> str:
    """Return the standard name of a stick axis, or `axis_<index>` on an unknown gamepad."""
    if isinstance(name, int):
        if 128 <= name <= 131:
            return AXIS_NAMES[name - 128]
        raise ValueError(f"axis number {name} is outside 128-131")
    lowered = name.strip().lower()
    axis = _AXIS_ALIASES.get(lowered, lowered)
    if axis in AXIS_NAMES or (axis.startswith("axis_") and axis[5:].isdigit()):
        return axis
    raise ValueError(f"unknown stick axis `{name}`; axes are {', '.join(AXIS_NAMES)}")


def canonicalize_analog_trigger(name: int | str) -> str:
    """Return the standard name of an analog trigger: `left` or `right`."""
    known = {132: "left", 133: "right", "l2": "left", "r2": "right", "lt": "left", "rt": "right"}
    key = name if isinstance(name, int) else name.strip().lower()
    if key in ("left", "right"):
        return str(key)
    if key in known:
        return known[key]
    raise ValueError(f"unknown gamepad trigger `{name}`; it is `left` or `right`")


def resolve_cmd_key(setting: str, platform: str = sys.platform) -> str:
    """Return the key that the name `cmd` stands for under a setting.

    Outside of macOS, the Command key is called `super`.
    """
    if setting == "auto":
        return "cmd" if platform == "darwin" else "ctrl"
    if setting == "cmd" and platform != "darwin":
        return "super"
    return setting
