"""Presses keys on X11 through XTEST, which applications cannot distinguish from a real keyboard."""

from collections.abc import Callable, Sequence
from threading import Event, Lock
from typing import NamedTuple

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from conductor.errors import ActionFailed
from conductor.system.keysyms import list_char_keysyms, list_key_keysyms
from conductor.system.x11_keymap import Keymap, Stroke
from conductor.system.x11_link import X11Link, require_answers, send_requests

_CHUNK = 12
"""Characters prepared at a time; not more than a layout usually has unused keycodes."""

CMD_KEYS = ("ctrl", "alt", "super")


class _Typist(NamedTuple):
    """The state of one connection, which is lost with it."""

    keymap: Keymap
    down: dict[str, Stroke]
    """The keys that are down, by the name they were pressed with."""

    def held(self) -> set[int]:
        return {stroke.keycode for stroke in self.down.values()}


class X11Keyboard:
    """A keyboard for key names of `domain.keys` and characters; safe to call from any thread.

    A release takes effect at once; counting several holders of a key is up to the caller.
    """

    def __init__(self, cmd_key: str = "ctrl", link: X11Link | None = None) -> None:
        if cmd_key not in CMD_KEYS:
            raise ValueError(f"cmd_key must be one of {', '.join(CMD_KEYS)}, not `{cmd_key}`")
        self._cmd_key = cmd_key
        self._link = link or X11Link()
        self._state: _Typist | None = None
        self._texts = Lock()
        """Held while a text is typed, so that two texts do not mix."""
        self._pause = Event()

    def press(self, keys: Sequence[str]) -> None:
        """Press keys in order and keep them down.

        Raises:
            ActionFailed: an unknown key (nothing is pressed then), or no X display.
        """
        wanted = [(key, list_key_keysyms(key, self._cmd_key)) for key in keys]

        def work(display: Display) -> float:
            typist = self._get_typist(display)
            wait_s = typist.keymap.prepare([keysyms for _, keysyms in wanted], typist.held())
            if wait_s:
                return wait_s
            for key, keysyms in wanted:
                stroke = typist.keymap.stroke(keysyms)
                if stroke.shift:
                    xtest.fake_input(display, X.KeyPress, self._shift(typist))
                xtest.fake_input(display, X.KeyPress, stroke.keycode)
                typist.down[key] = stroke
            send_requests(display)
            return 0.0

        self._call_repeatedly(work)

    def release(self, keys: Sequence[str]) -> None:
        """Release keys, the last one first; keys that are not down are ignored.

        A key that this process never pressed is released as well: an earlier process may have died holding it.
        """
        wanted = [(key, list_key_keysyms(key, self._cmd_key)) for key in reversed(keys)]

        def work(display: Display) -> None:
            typist = self._get_typist(display)
            for key, keysyms in wanted:
                stroke = typist.down.pop(key, None) or typist.keymap.find(keysyms)
                if stroke is not None:
                    self._release_stroke(typist, stroke)
            send_requests(display)

        self._link.call(work)

    def text(self, text: str) -> None:
        """Type any text, whatever the layout; other threads may press keys between its characters.

        Raises:
            ActionFailed: a control character (nothing is typed then), or no X display.
        """
        wanted = [list_char_keysyms(char) for char in text.replace("\r\n", "\n")]

        with self._texts:
            caps = self._link.call(self._turn_off_caps_lock)
            at = 0

            def work(display: Display) -> float:
                nonlocal at
                typist = self._get_typist(display)
                end = at + max(1, min(_CHUNK, typist.keymap.capacity(typist.held())))
                wait_s = typist.keymap.prepare(wanted[at:end], typist.held())
                if not wait_s:
                    self._type_strokes(typist, wanted[at:end])
                    at = end
                return wait_s

            while at < len(wanted):
                self._call_repeatedly(work)
            if caps is not None:
                self._link.call(lambda display: self._tap_alone(display, caps))

    @property
    def is_connected(self) -> bool:
        return self._state is not None and self._link.is_open

    def connect(self) -> None:
        """Connect and load the keymap ahead of the first key.

        Raises:
            ActionFailed: there is no X display.
        """
        self._link.call(self._get_typist)

    def close(self) -> None:
        """Release all keys, return the borrowed keycodes and disconnect."""

        def work(display: Display) -> None:
            typist = self._get_typist(display)
            for stroke in reversed(typist.down.values()):
                self._release_stroke(typist, stroke)
            typist.down.clear()
            typist.keymap.return_keycodes()

        if self._state is not None and self._link.is_open:
            self._link.call(work)
        self._link.close()

    def _call_repeatedly(self, work: Callable[[Display], float]) -> None:
        """Call `work` until it returns 0, waiting the returned seconds in between.

        The connection is free during a wait, so that a key from another thread need not wait for a long text.
        """
        while wait_s := self._link.call(work):
            self._pause.wait(wait_s)

    def _get_typist(self, display: Display) -> _Typist:
        if self._state is None or self._state.keymap.display is not display:
            self._state = _Typist(Keymap(display), {})
        self._state.keymap.refresh()
        return self._state

    def _shift(self, typist: _Typist) -> int:
        shift = typist.keymap.find(list_key_keysyms("shift", self._cmd_key))
        if shift is None:
            raise ActionFailed("this keyboard layout has no shift key: choose another layout")
        return shift.keycode

    def _release_stroke(self, typist: _Typist, stroke: Stroke) -> None:
        display, down = typist.keymap.display, typist.down.values()
        xtest.fake_input(display, X.KeyRelease, stroke.keycode)
        if stroke.shift:
            shift = self._shift(typist)
            if not any(other.shift or other.keycode == shift for other in down):
                xtest.fake_input(display, X.KeyRelease, shift)

    def _type_strokes(self, typist: _Typist, wanted: Sequence[Sequence[int]]) -> None:
        for keysyms in wanted:
            self._tap_stroke(typist, typist.keymap.stroke(keysyms))
        send_requests(typist.keymap.display)

    def _tap_alone(self, display: Display, stroke: Stroke) -> None:
        self._tap_stroke(self._get_typist(display), stroke)
        send_requests(display)

    def _turn_off_caps_lock(self, display: Display) -> Stroke | None:
        """Turn Caps Lock off, if it is on; return the stroke that turns it on again."""
        caps = self._find_caps_lock(self._get_typist(display))
        if caps is not None:
            self._tap_alone(display, caps)
        return caps

    def _tap_stroke(self, typist: _Typist, stroke: Stroke) -> None:
        display = typist.keymap.display
        if stroke.shift:
            xtest.fake_input(display, X.KeyPress, self._shift(typist))
        xtest.fake_input(display, X.KeyPress, stroke.keycode)
        self._release_stroke(typist, stroke)

    def _find_caps_lock(self, typist: _Typist) -> Stroke | None:
        """Return the stroke of Caps Lock if it is on: it must be off while a text is typed."""
        display = typist.keymap.display
        with require_answers(display):
            state: int = display.screen().root.query_pointer().mask
        if not state & X.LockMask:
            return None
        return typist.keymap.find(list_key_keysyms("capslock", self._cmd_key))
