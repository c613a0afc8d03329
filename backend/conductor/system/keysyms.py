"""Maps characters and the key names of `domain.keys` to X11 keysyms."""

from Xlib import XK

from conductor.domain.keys import canonicalize_key
from conductor.errors import ActionFailed

XK.load_keysym_group("xf86")

_KEYSYM_NAMES = {
    "ctrl": "Control_L",
    "alt": "Alt_L",
    "shift": "Shift_L",
    "super": "Super_L",
    "cmd": "Super_L",
    "enter": "Return",
    "tab": "Tab",
    "escape": "Escape",
    "backspace": "BackSpace",
    "delete": "Delete",
    "insert": "Insert",
    "home": "Home",
    "end": "End",
    "pageup": "Prior",
    "pagedown": "Next",
    "up": "Up",
    "down": "Down",
    "left": "Left",
    "right": "Right",
    "capslock": "Caps_Lock",
    "numlock": "Num_Lock",
    "scrolllock": "Scroll_Lock",
    "printscreen": "Print",
    "pause": "Pause",
    "menu": "Menu",
    "space": "space",
    "plus": "plus",
    "minus": "minus",
    "volumeup": "XF86_AudioRaiseVolume",
    "volumedown": "XF86_AudioLowerVolume",
    "mute": "XF86_AudioMute",
    "playpause": "XF86_AudioPlay",
    "play": "XF86_AudioPlay",
    "stop": "XF86_AudioStop",
    "next": "XF86_AudioNext",
    "previous": "XF86_AudioPrev",
    "brightnessup": "XF86_MonBrightnessUp",
    "brightnessdown": "XF86_MonBrightnessDown",
    "numadd": "KP_Add",
    "numsub": "KP_Subtract",
    "nummul": "KP_Multiply",
    "numdiv": "KP_Divide",
    "numdecimal": "KP_Decimal",
    "numenter": "KP_Enter",
    **{f"num{digit}": f"KP_{digit}" for digit in range(10)},
    **{f"f{number}": f"F{number}" for number in range(1, 25)},
}

_LEGACY_CHARSETS = (
    # the high byte, the first low byte, and the character set whose upper half has the same order
    (0x1, 0xA1, "iso8859-2"),
    (0x2, 0xA1, "iso8859-3"),
    (0x3, 0xA1, "iso8859-4"),
    (0x6, 0xC0, "koi8-r"),
    (0x7, 0xC1, "iso8859-7"),
    (0xC, 0xE0, "iso8859-8"),
    (0xD, 0xA1, "tis-620"),
)


def _load_legacy_keysyms() -> dict[str, int]:
    """Return the legacy keysyms by character.

    Keymaps use them instead of keysyms made of the Unicode code point.
    """
    keysyms = {"€": 0x20AC, "ё": 0x6A3, "Ё": 0x6B3, "Σ": 0x7D2, "ς": 0x7F3}
    keysyms[chr(0x3C3)] = 0x7F2  # the Greek small sigma
    for page, first, charset in _LEGACY_CHARSETS:
        for low in range(first, 0x100):
            character = bytes([low]).decode(charset, errors="ignore")
            if character and ord(character) > 0xFF:
                keysyms.setdefault(character, page << 8 | low)
    return keysyms


_LEGACY_KEYSYMS = _load_legacy_keysyms()


def list_char_keysyms(char: str) -> tuple[int, ...]:
    """Return the keysyms that type a character. The last one is used when a keycode must be borrowed.

    Raises:
        ActionFailed: The character is a control character.
    """
    code = ord(char)
    if char == "\n":
        return (XK.XK_Return,)
    if char == "\t":
        return (XK.XK_Tab,)
    if code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000:
        raise ActionFailed(f"the character U+{code:04X} cannot be typed: remove it from the text")
    if code <= 0xFF:
        return (code,)
    legacy = _LEGACY_KEYSYMS.get(char)
    unicode = 0x01000000 | code
    return (unicode,) if legacy is None else (legacy, unicode)


def list_key_keysyms(key: str) -> tuple[int, ...]:
    """Return the keysyms for a key name of `domain.keys` or a single character.

    Raises:
        ActionFailed: The key does not exist, or X11 does not have it.
    """
    if len(key) == 1 and key.isprintable():
        return list_char_keysyms(key)
    try:
        name = canonicalize_key(key)
    except ValueError as problem:
        raise ActionFailed(str(problem)) from problem
    if name == "fn":
        raise ActionFailed("`fn` works inside the keyboard itself and cannot be sent: remove it")
    return (XK.string_to_keysym(_KEYSYM_NAMES[name]),)
