"""The keyboard on X11, through XTEST: to applications these keys are a keyboard's."""

from collections.abc import Callable, Sequence
from threading import Event, Lock
from typing import NamedTuple

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from conductor.errors import ActionFailed
from conductor.system.keysyms import keysyms_of_char, keysyms_of_key
from conductor.system.x11_keymap import Keymap, Stroke
from conductor.system.x11_link import X11Link, answered, send

_CHUNK = 12
"""Characters prepared at a time: no more than a layout has empty keycodes."""

CMD_KEYS = ("ctrl", "alt", "super")


class _Typist(NamedTuple):
    """What belongs to one connection, and is gone with it."""

    keymap: Keymap
    down: dict[str, Stroke]
    """The keys that were pressed and not let go yet, by the name they were pressed by."""

    def held(self) -> set[int]:
        return {stroke.keycode for stroke in self.down.values()}


class X11Keyboard:
    """Presses keys by the names of `domain.keys`, or by character; safe to call from any thread.

    Counting who holds a key is the caller's part: a release lets go at once.
    """

    def __init__(self, cmd_key: str = "ctrl", link: X11Link | None = None) -> None:
        if cmd_key not in CMD_KEYS:
            raise ValueError(f"cmd_key is one of {', '.join(CMD_KEYS)}, not `{cmd_key}`")
        self._cmd_key = cmd_key
        self._link = link or X11Link()
        self._state: _Typist | None = None
        self._texts = Lock()
        """Keeps one text in one piece, as seen by other texts."""
        self._pause = Event()

    def press(self, keys: Sequence[str]) -> None:
        """Press the keys in order and keep them down.

        Raises:
            ActionFailed: an unknown key (nothing is pressed then), or no X display.
        """
        wanted = [(key, keysyms_of_key(key, self._cmd_key)) for key in keys]

        def work(display: Display) -> float:
            typist = self._typist(display)
            wait_s = typist.keymap.prepare([keysyms for _, keysyms in wanted], typist.held())
            if wait_s:
                return wait_s
            for key, keysyms in wanted:
                stroke = typist.keymap.stroke(keysyms)
                if stroke.shift:
                    xtest.fake_input(display, X.KeyPress, self._shift(typist))
                xtest.fake_input(display, X.KeyPress, stroke.keycode)
                typist.down[key] = stroke
            send(display)
            return 0.0

        self._in_turns(work)

    def release(self, keys: Sequence[str]) -> None:
        """Let the keys go, last one first; a key that is not down stays so.

        A key this process never pressed is let go as well: an earlier one may have died on it.
        """
        wanted = [(key, keysyms_of_key(key, self._cmd_key)) for key in reversed(keys)]

        def work(display: Display) -> None:
            typist = self._typist(display)
            for key, keysyms in wanted:
                stroke = typist.down.pop(key, None) or typist.keymap.find(keysyms)
                if stroke is not None:
                    self._let_go(typist, stroke)
            send(display)

        self._link.call(work)

    def text(self, text: str) -> None:
        """Type any text, whatever the layout; keys from other threads go between its characters.

        Raises:
            ActionFailed: a control character (nothing is typed then), or no X display.
        """
        wanted = [keysyms_of_char(char) for char in text.replace("\r\n", "\n")]

        with self._texts:
            caps = self._link.call(self._without_caps_lock)
            at = 0

            def work(display: Display) -> float:
                nonlocal at
                typist = self._typist(display)
                end = at + max(1, min(_CHUNK, typist.keymap.capacity(typist.held())))
                wait_s = typist.keymap.prepare(wanted[at:end], typist.held())
                if not wait_s:
                    self._type(typist, wanted[at:end])
                    at = end
                return wait_s

            while at < len(wanted):
                self._in_turns(work)
            if caps is not None:
                self._link.call(lambda display: self._tap_alone(display, caps))

    @property
    def is_connected(self) -> bool:
        return self._state is not None and self._link.is_open

    def connect(self) -> None:
        """Connect and learn the layout ahead of the first key.

        Raises:
            ActionFailed: there is no X display.
        """
        self._link.call(self._typist)

    def close(self) -> None:
        """Let go of everything, give the borrowed keycodes back and disconnect."""

        def work(display: Display) -> None:
            typist = self._typist(display)
            for stroke in reversed(typist.down.values()):
                self._let_go(typist, stroke)
            typist.down.clear()
            typist.keymap.give_back()

        if self._state is not None and self._link.is_open:
            self._link.call(work)
        self._link.close()

    def _in_turns(self, work: Callable[[Display], float]) -> None:
        """Do `work` again after each wait it asks for; others use the display in the meantime."""
        while wait_s := self._link.call(work):
            self._pause.wait(wait_s)

    def _typist(self, display: Display) -> _Typist:
        if self._state is None or self._state.keymap.display is not display:
            self._state = _Typist(Keymap(display), {})
        self._state.keymap.refresh()
        return self._state

    def _shift(self, typist: _Typist) -> int:
        shift = typist.keymap.find(keysyms_of_key("shift", self._cmd_key))
        if shift is None:
            raise ActionFailed("this keyboard layout has no shift key: choose another layout")
        return shift.keycode

    def _let_go(self, typist: _Typist, stroke: Stroke) -> None:
        display, down = typist.keymap.display, typist.down.values()
        xtest.fake_input(display, X.KeyRelease, stroke.keycode)
        if stroke.shift:
            shift = self._shift(typist)
            if not any(other.shift or other.keycode == shift for other in down):
                xtest.fake_input(display, X.KeyRelease, shift)

    def _type(self, typist: _Typist, wanted: Sequence[Sequence[int]]) -> None:
        for keysyms in wanted:
            self._tap(typist, typist.keymap.stroke(keysyms))
        send(typist.keymap.display)

    def _tap_alone(self, display: Display, stroke: Stroke) -> None:
        self._tap(self._typist(display), stroke)
        send(display)

    def _without_caps_lock(self, display: Display) -> Stroke | None:
        """Turn Caps Lock off; give the key that turns it on again."""
        caps = self._caps_lock(self._typist(display))
        if caps is not None:
            self._tap_alone(display, caps)
        return caps

    def _tap(self, typist: _Typist, stroke: Stroke) -> None:
        display = typist.keymap.display
        if stroke.shift:
            xtest.fake_input(display, X.KeyPress, self._shift(typist))
        xtest.fake_input(display, X.KeyPress, stroke.keycode)
        self._let_go(typist, stroke)

    def _caps_lock(self, typist: _Typist) -> Stroke | None:
        """Return the key to tap around a text when Caps Lock, which changes every case, is on."""
        display = typist.keymap.display
        with answered(display):
            state: int = display.screen().root.query_pointer().mask
        if not state & X.LockMask:
            return None
        return typist.keymap.find(keysyms_of_key("capslock", self._cmd_key))
