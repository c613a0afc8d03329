"""Presses keys on Windows with SendInput.

Each key has a virtual key code and a scan code: ordinary programs read the first, and games that use
DirectInput or raw input the second. Text is sent as UTF-16, which needs no keyboard layout.
"""

import ctypes
import threading
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from conductor.domain.keys import canonicalize_key
from conductor.errors import ActionFailed
from conductor.system.windows.foreground import find_elevated_app
from conductor.system.windows.libraries import DWORD, LONG, ULONG_PTR, WORD, load_libraries

_KEYBOARD_INPUT = 1
_EXTENDED, _KEY_UP, _UNICODE = 0x1, 0x2, 0x4
_TO_SCAN_CODE = 0
_CHARACTER_MODIFIERS = 0xFF00
"""The bits of VkKeyScan that say which modifiers a character needs. All are set if no key types it."""


class KeyCode(NamedTuple):
    """A virtual key code. Extended keys share the scan code of a numpad key, and are told apart by a flag."""

    virtual: int
    extended: bool = False


_CODES_BY_KEY_NAME: dict[str, KeyCode] = {
    "ctrl": KeyCode(0x11),
    "alt": KeyCode(0x12),
    "shift": KeyCode(0x10),
    "super": KeyCode(0x5B, extended=True),
    "cmd": KeyCode(0x5B, extended=True),
    "enter": KeyCode(0x0D),
    "tab": KeyCode(0x09),
    "escape": KeyCode(0x1B),
    "backspace": KeyCode(0x08),
    "space": KeyCode(0x20),
    "capslock": KeyCode(0x14),
    "numlock": KeyCode(0x90, extended=True),
    "scrolllock": KeyCode(0x91),
    "pause": KeyCode(0x13),
    "printscreen": KeyCode(0x2C, extended=True),
    "menu": KeyCode(0x5D, extended=True),
    "pageup": KeyCode(0x21, extended=True),
    "pagedown": KeyCode(0x22, extended=True),
    "end": KeyCode(0x23, extended=True),
    "home": KeyCode(0x24, extended=True),
    "left": KeyCode(0x25, extended=True),
    "up": KeyCode(0x26, extended=True),
    "right": KeyCode(0x27, extended=True),
    "down": KeyCode(0x28, extended=True),
    "insert": KeyCode(0x2D, extended=True),
    "delete": KeyCode(0x2E, extended=True),
    "plus": KeyCode(0xBB),
    "minus": KeyCode(0xBD),
    "mute": KeyCode(0xAD, extended=True),
    "volumedown": KeyCode(0xAE, extended=True),
    "volumeup": KeyCode(0xAF, extended=True),
    "next": KeyCode(0xB0, extended=True),
    "previous": KeyCode(0xB1, extended=True),
    "stop": KeyCode(0xB2, extended=True),
    "playpause": KeyCode(0xB3, extended=True),
    "play": KeyCode(0xB3, extended=True),
    "nummul": KeyCode(0x6A),
    "numadd": KeyCode(0x6B),
    "numsub": KeyCode(0x6D),
    "numdecimal": KeyCode(0x6E),
    "numdiv": KeyCode(0x6F, extended=True),
    "numenter": KeyCode(0x0D, extended=True),
    **{f"num{digit}": KeyCode(0x60 + digit) for digit in range(10)},
    **{f"f{number}": KeyCode(0x6F + number) for number in range(1, 25)},
}
"""The codes of the key names in `domain.keys`. See
https://learn.microsoft.com/windows/win32/inputdev/virtual-key-codes.
"""


class _KeyboardInput(ctypes.Structure):
    _fields_ = (
        ("virtual", WORD),
        ("scan", WORD),
        ("flags", DWORD),
        ("time", DWORD),
        ("extra", ULONG_PTR),
    )


class _MouseInput(ctypes.Structure):
    """The largest member of the union, which decides its size."""

    _fields_ = (
        ("dx", LONG),
        ("dy", LONG),
        ("data", DWORD),
        ("flags", DWORD),
        ("time", DWORD),
        ("extra", ULONG_PTR),
    )


class _InputUnion(ctypes.Union):
    _fields_ = (("keyboard", _KeyboardInput), ("mouse", _MouseInput))


class Input(ctypes.Structure):
    """The INPUT structure of SendInput."""

    _fields_ = (("type", DWORD), ("union", _InputUnion))


class WindowsKeyboard:
    """A keyboard for the key names of `domain.keys`. Thread-safe."""

    def __init__(self) -> None:
        self._user32 = load_libraries().user32
        self._lock = threading.Lock()

    def press_keys(self, keys: Sequence[str]) -> None:
        """Press keys.

        Raises:
            ActionFailed: A key does not exist, or the app in front runs as administrator.
        """
        codes = [self._find_code(key) for key in keys]
        _require_reachable_app()
        self._send_events(self._build_key_event(code, 0) for code in codes)

    def release_keys(self, keys: Sequence[str]) -> None:
        # Not checked: a key that went down in another app must come up.
        codes = [self._find_code(key) for key in reversed(keys)]
        self._send_events(self._build_key_event(code, _KEY_UP) for code in codes)

    def type_text(self, text: str) -> None:
        """Type a text.

        Raises:
            ActionFailed: The app in front runs as administrator.
        """
        _require_reachable_app()
        events: list[Input] = []
        for character in text.replace("\r\n", "\n"):
            if character in "\n\t":
                code = _CODES_BY_KEY_NAME["enter" if character == "\n" else "tab"]
                events += [self._build_key_event(code, flags) for flags in (0, _KEY_UP)]
                continue
            units = character.encode("utf-16-le")
            for flags in (_UNICODE, _UNICODE | _KEY_UP):
                events += [
                    _build_event(0, int.from_bytes(units[at : at + 2], "little"), flags)
                    for at in range(0, len(units), 2)
                ]
        self._send_events(events)

    def close(self) -> None:
        """Do nothing, because there is no connection to close."""

    def _find_code(self, key: str) -> KeyCode:
        try:
            name = canonicalize_key(key)
        except ValueError as problem:
            raise ActionFailed(str(problem)) from problem
        if name in _CODES_BY_KEY_NAME:
            return _CODES_BY_KEY_NAME[name]
        if len(name) == 1:
            # Letters and digits have the same codes in every layout; other characters are on different keys.
            if name.isascii() and name.isalnum():
                return KeyCode(ord(name.upper()))
            found = self._user32.VkKeyScanW(name)
            if not found & _CHARACTER_MODIFIERS:
                return KeyCode(found & 0xFF)
            raise ActionFailed(
                f"no key of this keyboard layout types `{name}` alone: use a `Text` action"
            )
        raise ActionFailed(f"the key `{name}` cannot be pressed on this system: choose another")

    def _build_key_event(self, code: KeyCode, flags: int) -> Input:
        scan = self._user32.MapVirtualKeyW(code.virtual, _TO_SCAN_CODE)
        return _build_event(code.virtual, scan, flags | (_EXTENDED if code.extended else 0))

    def _send_events(self, events: Iterable[Input]) -> None:
        batch = list(events)
        if not batch:
            return
        inputs = (Input * len(batch))(*batch)
        with self._lock:
            sent = self._user32.SendInput(len(batch), inputs, ctypes.sizeof(Input))
        if sent != len(batch):
            raise ActionFailed(
                "Windows did not accept the keys, because another program blocks input: try again"
            )


def _build_event(virtual: int, scan: int, flags: int) -> Input:
    keyboard = _KeyboardInput(virtual=virtual, scan=scan, flags=flags)
    return Input(type=_KEYBOARD_INPUT, union=_InputUnion(keyboard=keyboard))


def _require_reachable_app() -> None:
    app = find_elevated_app()
    if app is not None:
        raise ActionFailed(
            f"{app} runs as administrator, and Windows discards the keys of ordinary programs for it: start"
            " it without administrator rights, or start Conductor as administrator"
        )
