"""Presses keys on macOS through pynput. Tested against a stand-in of pynput only; nobody has run it on a Mac.

The controller of pynput must be created on the main thread, because it reads the keyboard layout, which crashes
on any other thread.
"""

import threading
from collections.abc import Sequence
from typing import Any

from conductor.domain.keys import canonicalize_key
from conductor.errors import ActionFailed
from conductor.system.macos.permission import require_trust

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


class PynputKeyboard:
    """A keyboard that presses the keys of `domain.keys` through pynput."""

    def __init__(self) -> None:
        from pynput import keyboard

        self._library: Any = keyboard
        self._controller: Any = keyboard.Controller()
        self._lock = threading.Lock()

    def press_keys(self, keys: Sequence[str]) -> None:
        """Press keys.

        Raises:
            ActionFailed: A key does not exist, or macOS does not let Conductor press keys.
        """
        wanted = [self._resolve_key(key) for key in keys]
        require_trust()
        with self._lock:
            for key in wanted:
                self._controller.press(key)

    def release_keys(self, keys: Sequence[str]) -> None:
        wanted = [self._resolve_key(key) for key in reversed(keys)]
        with self._lock:
            for key in wanted:
                self._controller.release(key)

    def type_text(self, text: str) -> None:
        require_trust()
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
        resolved = getattr(self._library.Key, _PYNPUT_KEY_NAMES.get(name, name), None)
        if resolved is None:
            raise ActionFailed(f"the key `{name}` cannot be pressed on this system: choose another")
        return resolved

    def _resolve_character(self, character: str) -> Any:
        return self._library.KeyCode.from_char(character)
