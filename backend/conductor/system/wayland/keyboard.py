"""Presses keys through a virtual keyboard of the compositor (zwp_virtual_keyboard_v1).

When the connection is closed for any reason, the compositor removes the keyboard and releases its keys.
"""

from collections.abc import Sequence
from threading import Event, Lock

from conductor.base.clock import now
from conductor.system.evdev_keys import LOCK_MASKS, MODIFIER_MASKS, SHIFT_CODE, Stroke
from conductor.system.keysyms import list_char_keysyms, list_key_keysyms
from conductor.system.wayland.connection import encode_int
from conductor.system.wayland.link import VirtualDevices, WaylandLink

_KEY_REQUEST, _MODIFIERS_REQUEST = 1, 2
_TYPING_CHUNK_SIZE = 32
"""The number of characters that are typed at a time; the keymap has far more unused keys."""
_TYPING_CHUNK_PAUSE_S = 0.01
"""Seconds to pause after each chunk of a text. The compositor disconnects a program that has
200 kB of unread events."""

_TEXT_KEY = "character of a text"
"""The name under which a typed character is held down. No key has this name."""

Keysyms = tuple[int, ...]


class WaylandKeyboard:
    """A keyboard for the key names of `domain.keys` and any character, through the compositor. Thread-safe."""

    def __init__(self, link: WaylandLink) -> None:
        self._link = link
        self._text_lock = Lock()
        """Held while a text is typed, so that the characters of two texts are not mixed."""
        self._pause = Event()
        self._state: _KeyState | None = None

    def press_keys(self, keys: Sequence[str]) -> None:
        """Press keys in the given order, and hold them down.

        Raises:
            ActionFailed: There is no compositor, or a key is unknown. In that case nothing was pressed.
        """
        wanted = [(key, list_key_keysyms(key)) for key in keys]

        def press_keys(devices: VirtualDevices) -> float:
            state = self._get_state(devices)
            wait_s = state.assign_keys([keysyms for _, keysyms in wanted])
            if not wait_s:
                for key, keysyms in wanted:
                    state.press_key(key, keysyms)
            return wait_s

        while wait_s := self._link.call_with_devices(press_keys):
            self._pause.wait(wait_s)

    def release_keys(self, keys: Sequence[str]) -> None:
        """Release keys in reverse order.

        A key that this process did not press is released too, because a process that died may have held it.
        """
        wanted = [(key, list_key_keysyms(key)) for key in reversed(keys)]

        def release_keys(devices: VirtualDevices) -> None:
            state = self._get_state(devices)
            for key, keysyms in wanted:
                state.release_key(key, keysyms)

        self._link.call_with_devices(release_keys)

    def type_text(self, text: str) -> None:
        """Type a text with any keyboard layout. Other threads may press keys between its characters.

        Raises:
            ActionFailed: There is no compositor, or the text contains a control character. In that case
                nothing was typed.
        """
        wanted = [list_char_keysyms(char) for char in text.replace("\r\n", "\n")]
        start = 0

        def type_chunk(devices: VirtualDevices) -> float:
            nonlocal start
            state, chunk = self._get_state(devices), wanted[start : start + _TYPING_CHUNK_SIZE]
            wait_s = state.assign_keys(chunk)
            if not wait_s:
                state.tap_keys(chunk)
                devices.connection.wait_until_done()
                start += len(chunk)
                wait_s = _TYPING_CHUNK_PAUSE_S if start < len(wanted) else 0.0
            return wait_s

        with self._text_lock:
            while start < len(wanted):
                self._pause.wait(self._link.call_with_devices(type_chunk))

    def connect(self) -> None:
        """Connect to the compositor, so that the first key is not delayed.

        Raises:
            ActionFailed: There is no compositor, or it does not allow virtual keyboards.
        """
        self._link.call_with_devices(self._get_state)

    def close(self) -> None:
        self._link.close()

    def _get_state(self, devices: VirtualDevices) -> "_KeyState":
        if self._state is None or self._state.devices is not devices:
            self._state = _KeyState(devices)
        return self._state


class _KeyState:
    """The held and the locked keys of one connection; closing the connection releases them."""

    def __init__(self, devices: VirtualDevices) -> None:
        self.devices = devices
        self._down: dict[str, Stroke] = {}
        """The strokes that are held down, by the key name with which they were pressed."""
        self._locked = 0

    def assign_keys(self, wanted: Sequence[Keysyms]) -> float:
        """Assign a key to each keysym.

        Returns 0, or the seconds to wait before calling again because no key is free yet.
        """
        held = {stroke.code for stroke in self._down.values()}
        changed, wait_s = self.devices.keymap.assign_keys(wanted, held)
        if changed:
            self.devices.send_keymap()
            if self._down or self._locked:
                # Programs reset their modifiers with each keymap, and wlroots sends
                # only modifiers that change.
                self._send_masks(0, 0)
                self._send_modifiers()
        return wait_s

    def press_key(self, key: str, keysyms: Keysyms) -> None:
        stroke = self.devices.keymap.find_stroke(keysyms)
        assert stroke is not None, "prepare has assigned a key"
        self._down[key] = stroke
        if stroke.shift:
            self._send_key(SHIFT_CODE, pressed=True)
        else:
            self._locked ^= LOCK_MASKS.get(stroke.code, 0)
        self._send_key(stroke.code, pressed=True)

    def release_key(self, key: str, keysyms: Keysyms) -> None:
        stroke = self._down.pop(key, None) or self.devices.keymap.find_stroke(keysyms)
        if stroke is not None:
            self._send_key(stroke.code, pressed=False)
            if stroke.shift and not self._is_shift_held():
                self._send_key(SHIFT_CODE, pressed=False)

    def tap_keys(self, wanted: Sequence[Keysyms]) -> None:
        """Press and release keys one after the other; Caps Lock is turned off meanwhile."""
        locked, self._locked = self._locked, 0
        if locked:
            self._send_modifiers()
        for keysyms in wanted:
            self.press_key(_TEXT_KEY, keysyms)
            self.release_key(_TEXT_KEY, keysyms)
        self._locked = locked
        if locked:
            self._send_modifiers()

    def _is_shift_held(self) -> bool:
        return any(stroke.shift or stroke.code == SHIFT_CODE for stroke in self._down.values())

    def _send_key(self, code: int, *, pressed: bool) -> None:
        time_ms = encode_int(int(now() * 1000) & 0xFFFFFFFF)
        connection, keyboard = self.devices.connection, self.devices.keyboard
        connection.send_request(
            keyboard, _KEY_REQUEST, time_ms, encode_int(code), encode_int(int(pressed))
        )
        if code in MODIFIER_MASKS or code in LOCK_MASKS:
            self._send_modifiers()

    def _send_modifiers(self) -> None:
        """Send the held modifiers, because the compositor does not derive them from the held keys."""
        depressed = 0
        for stroke in self._down.values():
            depressed |= MODIFIER_MASKS.get(stroke.code, 0) | (1 if stroke.shift else 0)
        self._send_masks(depressed, self._locked)

    def _send_masks(self, depressed: int, locked: int) -> None:
        masks = [encode_int(mask) for mask in (depressed, 0, locked, 0)]
        self.devices.connection.send_request(self.devices.keyboard, _MODIFIERS_REQUEST, *masks)
