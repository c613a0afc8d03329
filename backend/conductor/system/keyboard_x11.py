"""Presses keys on X11 through XTEST. Applications cannot distinguish the events from those of a real
keyboard.
"""

from collections.abc import Callable, Sequence
from threading import Event, Lock
from typing import NamedTuple

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from conductor.errors import ActionFailed
from conductor.system.keysyms import list_char_keysyms, list_key_keysyms
from conductor.system.x11_keymap import Stroke, X11Keymap
from conductor.system.x11_link import X11Link, require_answers, send_requests

_TYPING_CHUNK_SIZE = 12
"""The number of characters that are prepared at a time. A layout usually has at least
as many unused keycodes."""


class _ConnectionState(NamedTuple):
    """The keymap and the held keys of one X connection; a new connection starts with a new state."""

    keymap: X11Keymap
    down: dict[str, Stroke]
    """The strokes that are held down, by the key name with which they were pressed."""

    def list_held_keycodes(self) -> set[int]:
        return {stroke.keycode for stroke in self.down.values()}


class X11Keyboard:
    """A keyboard that presses keys by the names of `domain.keys`, and types characters.

    Thread-safe. A release takes effect immediately; if several actions hold the same key,
    the caller must count them.
    """

    def __init__(self, link: X11Link | None = None) -> None:
        self._link = link or X11Link()
        self._state: _ConnectionState | None = None
        self._text_lock = Lock()
        """Held while a text is typed, so that the characters of two texts are not mixed."""
        self._pause = Event()

    def press_keys(self, keys: Sequence[str]) -> None:
        """Press keys in the given order, and hold them down.

        Raises:
            ActionFailed: There is no X display, or a key is unknown. In that case nothing was pressed.
        """
        wanted = [(key, list_key_keysyms(key)) for key in keys]

        def press_strokes(display: Display) -> float:
            state = self._get_state(display)
            wait_s = state.keymap.borrow_missing_keycodes(
                [keysyms for _, keysyms in wanted], state.list_held_keycodes()
            )
            if wait_s:
                return wait_s
            for key, keysyms in wanted:
                stroke = state.keymap.get_stroke(keysyms)
                if stroke.shift:
                    xtest.fake_input(display, X.KeyPress, self._find_shift_keycode(state))
                xtest.fake_input(display, X.KeyPress, stroke.keycode)
                state.down[key] = stroke
            send_requests(display)
            return 0.0

        self._call_until_done(press_strokes)

    def release_keys(self, keys: Sequence[str]) -> None:
        """Release keys in reverse order.

        A key that this process did not press is released too, because a process that died may have held it.
        """
        wanted = [(key, list_key_keysyms(key)) for key in reversed(keys)]

        def release_strokes(display: Display) -> None:
            state = self._get_state(display)
            for key, keysyms in wanted:
                stroke = state.down.pop(key, None) or state.keymap.find_stroke(keysyms)
                if stroke is not None:
                    self._release_stroke(state, stroke)
            send_requests(display)

        self._link.call_with_display(release_strokes)

    def type_text(self, text: str) -> None:
        """Type a text with any keyboard layout. Other threads may press keys between its characters.

        Raises:
            ActionFailed: There is no X display, or the text contains a control character. In that case
                nothing was typed.
        """
        wanted = [list_char_keysyms(char) for char in text.replace("\r\n", "\n")]

        with self._text_lock:
            caps_lock = self._link.call_with_display(self._turn_off_caps_lock)
            start = 0

            def type_chunk(display: Display) -> float:
                nonlocal start
                state = self._get_state(display)
                end = start + max(
                    1,
                    min(
                        _TYPING_CHUNK_SIZE,
                        state.keymap.count_borrowable_keycodes(state.list_held_keycodes()),
                    ),
                )
                wait_s = state.keymap.borrow_missing_keycodes(
                    wanted[start:end], state.list_held_keycodes()
                )
                if not wait_s:
                    self._type_strokes(state, wanted[start:end])
                    start = end
                return wait_s

            while start < len(wanted):
                self._call_until_done(type_chunk)
            if caps_lock is not None:
                self._link.call_with_display(lambda display: self._tap_and_send(display, caps_lock))

    @property
    def is_connected(self) -> bool:
        return self._state is not None and self._link.is_open

    def connect(self) -> None:
        """Connect to the X server and load its keymap, so that the first key is not delayed.

        Raises:
            ActionFailed: There is no X display.
        """
        self._link.call_with_display(self._get_state)

    def close(self) -> None:
        """Release all held keys, return the borrowed keycodes to the layout, and disconnect."""

        def release_all(display: Display) -> None:
            state = self._get_state(display)
            for stroke in reversed(state.down.values()):
                self._release_stroke(state, stroke)
            state.down.clear()
            state.keymap.return_keycodes()

        if self._state is not None and self._link.is_open:
            self._link.call_with_display(release_all)
        self._link.close()

    def _call_until_done(self, send: Callable[[Display], float]) -> None:
        """Call `send` until it returns 0; after any other result, wait for the returned number of seconds.

        The connection is free while waiting, so that a long text does not delay the keys of other threads.
        """
        while wait_s := self._link.call_with_display(send):
            self._pause.wait(wait_s)

    def _get_state(self, display: Display) -> _ConnectionState:
        if self._state is None or self._state.keymap.display is not display:
            self._state = _ConnectionState(X11Keymap(display), {})
        self._state.keymap.reload_if_changed()
        return self._state

    def _find_shift_keycode(self, state: _ConnectionState) -> int:
        shift = state.keymap.find_stroke(list_key_keysyms("shift"))
        if shift is None:
            raise ActionFailed("this keyboard layout has no shift key: choose another layout")
        return shift.keycode

    def _release_stroke(self, state: _ConnectionState, stroke: Stroke) -> None:
        display, down = state.keymap.display, state.down.values()
        xtest.fake_input(display, X.KeyRelease, stroke.keycode)
        if stroke.shift:
            shift = self._find_shift_keycode(state)
            if not any(held.shift or held.keycode == shift for held in down):
                xtest.fake_input(display, X.KeyRelease, shift)

    def _type_strokes(self, state: _ConnectionState, wanted: Sequence[Sequence[int]]) -> None:
        for keysyms in wanted:
            self._tap_stroke(state, state.keymap.get_stroke(keysyms))
        send_requests(state.keymap.display)

    def _tap_and_send(self, display: Display, stroke: Stroke) -> None:
        self._tap_stroke(self._get_state(display), stroke)
        send_requests(display)

    def _turn_off_caps_lock(self, display: Display) -> Stroke | None:
        """Turn Caps Lock off if it is on, and return the stroke that turns it on again, otherwise None."""
        caps_lock = self._find_active_caps_lock(self._get_state(display))
        if caps_lock is not None:
            self._tap_and_send(display, caps_lock)
        return caps_lock

    def _tap_stroke(self, state: _ConnectionState, stroke: Stroke) -> None:
        display = state.keymap.display
        if stroke.shift:
            xtest.fake_input(display, X.KeyPress, self._find_shift_keycode(state))
        xtest.fake_input(display, X.KeyPress, stroke.keycode)
        self._release_stroke(state, stroke)

    def _find_active_caps_lock(self, state: _ConnectionState) -> Stroke | None:
        """Return the stroke of the Caps Lock key if Caps Lock is on, otherwise None."""
        display = state.keymap.display
        with require_answers(display):
            mask: int = display.screen().root.query_pointer().mask
        if not mask & X.LockMask:
            return None
        return state.keymap.find_stroke(list_key_keysyms("capslock"))
