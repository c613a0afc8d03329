"""Presses keys on macOS and Windows through pynput. Untested: never run on these systems.

On macOS the controller of pynput must be created on the main thread, because it reads the keyboard layout,
which crashes on any other thread.
"""

import sys
import threading
from collections.abc import Sequence
from typing import Any

from conductor.domain.keys import canonicalize_key
from conductor.errors import ActionFailed

_PYNPUT_KEY_NAMES = {
    "cmd": "cmd",
    "super": "cmd",
    "pageup": "page_up",
    "pagedown": "page_down",
    "escape": "esc",
    "capslock": "caps_lock",
    "numlock": "num_lock",
    "scrolllock": "scroll_lock",
    "printscreen": "print_screen",
    "volumeup": "media_volume_up",
    "volumedown": "media_volume_down",
    "mute": "media_volume_mute",
    "playpause": "media_play_pause",
    "play": "media_play_pause",
    "stop": "media_stop",
    "next": "media_next",
    "previous": "media_previous",
}
_CHARACTERS_BY_KEY_NAME = {
    "plus": "+",
    "minus": "-",
    "numadd": "+",
    "numsub": "-",
    "nummul": "*",
    "numdiv": "/",
    "numdecimal": ".",
    **{f"num{digit}": str(digit) for digit in range(10)},
}
_WINDOWS_F13_CODE = 0x7C


class PynputKeyboard:
    """A keyboard that presses the keys of `domain.keys` through pynput."""

    def __init__(self, platform: str = sys.platform) -> None:
        from pynput import keyboard

        self._library: Any = keyboard
        self._platform = platform
        self._controller: Any = keyboard.Controller()
        self._lock = threading.Lock()

    def press_keys(self, keys: Sequence[str]) -> None:
        wanted = [self._resolve_key(key) for key in keys]
        with self._lock:
            for key in wanted:
                self._controller.press(key)

    def release_keys(self, keys: Sequence[str]) -> None:
        wanted = [self._resolve_key(key) for key in reversed(keys)]
        with self._lock:
            for key in wanted:
                self._controller.release(key)

    def type_text(self, text: str) -> None:
        with self._lock:
            self._controller.type(text)

    def close(self) -> None:
        """Do nothing, because pynput has no connection that could be closed."""

    def _resolve_key(self, key: str) -> Any:
        if len(key) == 1 and key.isprintable() and key != " ":
            return self._resolve_character(key)
        try:
            name = canonicalize_key(key)
        except ValueError as problem:
            raise ActionFailed(str(problem)) from problem
        if name in _CHARACTERS_BY_KEY_NAME:
            return self._resolve_character(_CHARACTERS_BY_KEY_NAME[name])
        if name.startswith("f") and name[1:].isdigit() and self._platform == "win32":
            return self._library.KeyCode.from_vk(_WINDOWS_F13_CODE + int(name[1:]) - 13)
        resolved = getattr(self._library.Key, _PYNPUT_KEY_NAMES.get(name, name), None)
        if resolved is None:
            raise ActionFailed(f"the key `{name}` cannot be pressed on this system: choose another")
        return resolved

    def _resolve_character(self, character: str) -> Any:
        """Return the pynput key for a character. Windows needs a virtual key code for chords such as Ctrl+C."""
        if self._platform == "win32" and character.isascii() and character.isalnum():
            return self._library.KeyCode.from_vk(ord(character.upper()))
        return self._library.KeyCode.from_char(character)
