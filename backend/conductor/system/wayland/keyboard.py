"""Presses keys through a virtual keyboard of the compositor (zwp_virtual_keyboard_v1).

When the connection closes, for whatever reason, the compositor removes the keyboard and releases its keys.
"""

from collections.abc import Sequence
from threading import Event, Lock

from conductor.base.clock import now
from conductor.system.evdev_keys import LOCK_MASKS, MODIFIER_MASKS, SHIFT, Stroke
from conductor.system.keysyms import list_char_keysyms, list_key_keysyms
from conductor.system.wayland.connection import encode_int
from conductor.system.wayland.link import VirtualDevices, WaylandLink

_KEY, _MODIFIERS = 1, 2
_CHUNK = 32
"""Characters typed at a time, far fewer than the keymap has unused keys."""
_CHUNK_PAUSE_S = 0.01
"""The compositor disconnects a program that leaves 200 kB of events unread; no keyboard types so fast."""

_TYPED = "character of a text"
"""The name under which a typed character is down; no key has it."""

Keysyms = tuple[int, ...]


class WaylandKeyboard:
    """A keyboard for key names of `domain.keys` and characters; safe to call from any thread."""

    def __init__(self, cmd_key: str, link: WaylandLink) -> None:
        self._cmd_key = cmd_key
        self._link = link
        self._texts = Lock()
        """Held while a text is typed, so that two texts do not mix."""
        self._pause = Event()
        self._state: _KeyState | None = None

    def press(self, keys: Sequence[str]) -> None:
        """Press keys in order and keep them down.

        Raises:
            ActionFailed: an unknown key (nothing is pressed then), or no compositor.
        """
        wanted = [(key, list_key_keysyms(key, self._cmd_key)) for key in keys]

        def work(devices: VirtualDevices) -> float:
            state = self._get_state(devices)
            wait_s = state.prepare([keysyms for _, keysyms in wanted])
            if not wait_s:
                for key, keysyms in wanted:
                    state.press(key, keysyms)
            return wait_s

        while wait_s := self._link.call(work):
            self._pause.wait(wait_s)

    def release(self, keys: Sequence[str]) -> None:
        """Release keys, the last one first.

        A key that this process never pressed is released as well: an earlier process may have died holding it.
        """
        wanted = [(key, list_key_keysyms(key, self._cmd_key)) for key in reversed(keys)]

        def work(devices: VirtualDevices) -> None:
            state = self._get_state(devices)
            for key, keysyms in wanted:
                state.release(key, keysyms)

        self._link.call(work)

    def text(self, text: str) -> None:
        """Type any text, whatever the layout; other threads may press keys between its parts.

        Raises:
            ActionFailed: a control character (nothing is typed then), or no compositor.
        """
        wanted = [list_char_keysyms(char) for char in text.replace("\r\n", "\n")]
        at = 0

        def work(devices: VirtualDevices) -> float:
            nonlocal at
            state, part = self._get_state(devices), wanted[at : at + _CHUNK]
            wait_s = state.prepare(part)
            if not wait_s:
                state.type(part)
                devices.connection.wait_until_done()
                at += len(part)
                wait_s = _CHUNK_PAUSE_S if at < len(wanted) else 0.0
            return wait_s

        with self._texts:
            while at < len(wanted):
                self._pause.wait(self._link.call(work))

    def connect(self) -> None:
        """Connect ahead of the first key.

        Raises:
            ActionFailed: there is no compositor, or it does not allow virtual keyboards.
        """
        self._link.call(self._get_state)

    def close(self) -> None:
        self._link.close()

    def _get_state(self, devices: VirtualDevices) -> "_KeyState":
        if self._state is None or self._state.devices is not devices:
            self._state = _KeyState(devices)
        return self._state


class _KeyState:
    """The keys that are down on one connection, which are lost with it."""

    def __init__(self, devices: VirtualDevices) -> None:
        self.devices = devices
        self._down: dict[str, Stroke] = {}
        """The keys that are down, by the name they were pressed with."""
        self._locked = 0

    def prepare(self, wanted: Sequence[Keysyms]) -> float:
        """Assign a key to every keysym; return the seconds after which to call again, or 0."""
        held = {stroke.code for stroke in self._down.values()}
        changed, wait_s = self.devices.keymap.assign(wanted, held)
        if changed:
            self.devices.send_keymap()
            if self._down or self._locked:
                # Programs forget the modifiers with the old keymap, and wlroots sends only changes.
                self._send_masks(0, 0)
                self._send_modifiers()
        return wait_s

    def press(self, key: str, keysyms: Keysyms) -> None:
        stroke = self.devices.keymap.find(keysyms)
        assert stroke is not None, "prepare has given it a key"
        self._down[key] = stroke
        if stroke.shift:
            self._send_key(SHIFT, pressed=True)
        else:
            self._locked ^= LOCK_MASKS.get(stroke.code, 0)
        self._send_key(stroke.code, pressed=True)

    def release(self, key: str, keysyms: Keysyms) -> None:
        stroke = self._down.pop(key, None) or self.devices.keymap.find(keysyms)
        if stroke is not None:
            self._send_key(stroke.code, pressed=False)
            if stroke.shift and not self._is_shift_held():
                self._send_key(SHIFT, pressed=False)

    def type(self, wanted: Sequence[Keysyms]) -> None:
        """Tap keys with Caps Lock off."""
        locked, self._locked = self._locked, 0
        if locked:
            self._send_modifiers()
        for keysyms in wanted:
            self.press(_TYPED, keysyms)
            self.release(_TYPED, keysyms)
        self._locked = locked
        if locked:
            self._send_modifiers()

    def _is_shift_held(self) -> bool:
        return any(stroke.shift or stroke.code == SHIFT for stroke in self._down.values())

    def _send_key(self, code: int, *, pressed: bool) -> None:
        time_ms = encode_int(int(now() * 1000) & 0xFFFFFFFF)
        connection, keyboard = self.devices.connection, self.devices.keyboard
        connection.send(keyboard, _KEY, time_ms, encode_int(code), encode_int(int(pressed)))
        if code in MODIFIER_MASKS or code in LOCK_MASKS:
            self._send_modifiers()

    def _send_modifiers(self) -> None:
        """Send the modifiers that are down: the compositor does not derive them from the keys."""
        depressed = 0
        for stroke in self._down.values():
            depressed |= MODIFIER_MASKS.get(stroke.code, 0) | (1 if stroke.shift else 0)
        self._send_masks(depressed, self._locked)

    def _send_masks(self, depressed: int, locked: int) -> None:
        masks = [encode_int(mask) for mask in (depressed, 0, locked, 0)]
        self.devices.connection.send(self.devices.keyboard, _MODIFIERS, *masks)
