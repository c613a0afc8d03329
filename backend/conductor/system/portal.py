"""Presses keys and moves the mouse through the RemoteDesktop portal of GNOME, KDE and COSMIC."""

from collections.abc import Sequence
from pathlib import Path
from threading import Event

from conductor.domain.keys import canonical_key
from conductor.errors import ActionFailed
from conductor.system.evdev_keys import BUTTONS, NAMED_CODES
from conductor.system.keysyms import list_char_keysyms, list_key_keysyms
from conductor.system.portal_session import KEYBOARD, POINTER, PortalSession

_CHUNK = 32
_CHUNK_PAUSE_S = 0.01
"""Like a fast typist: programs that do not keep up lose their connection."""
_VERTICAL, _HORIZONTAL = 0, 1


class PortalKeyboard:
    """A keyboard: named keys by their code, characters by their keysym, for which the desktop finds a key."""

    def __init__(self, cmd_key: str, session: PortalSession) -> None:
        self._cmd_key = cmd_key
        self._session = session
        self._pause = Event()

    def press(self, keys: Sequence[str]) -> None:
        for method, value in [self._find_key(key) for key in keys]:
            self._send(method, value, pressed=True)

    def release(self, keys: Sequence[str]) -> None:
        for method, value in [self._find_key(key) for key in reversed(keys)]:
            self._send(method, value, pressed=False)

    def text(self, text: str) -> None:
        """Type a text.

        Raises:
            ActionFailed: a control character (nothing is typed then), or the user has not allowed it.
        """
        keysyms = [list_char_keysyms(char)[-1] for char in text.replace("\r\n", "\n")]
        for number, keysym in enumerate(keysyms, 1):
            self._send("NotifyKeyboardKeysym", keysym, pressed=True)
            self._send("NotifyKeyboardKeysym", keysym, pressed=False)
            if number % _CHUNK == 0:
                self._pause.wait(_CHUNK_PAUSE_S)

    def _find_key(self, key: str) -> tuple[str, int]:
        keysym = list_key_keysyms(key, self._cmd_key)[-1]
        name = canonical_key(key)
        name = self._cmd_key if name == "cmd" else name
        has_usual_symbol = not (name.startswith("f") and name[1:].isdigit() and int(name[1:]) > 12)
        if name in NAMED_CODES and has_usual_symbol:
            return "NotifyKeyboardKeycode", NAMED_CODES[name]
        return "NotifyKeyboardKeysym", keysym

    def _send(self, method: str, value: int, *, pressed: bool) -> None:
        self._session.notify(KEYBOARD, method, "iu", value, int(pressed))


class PortalMouse:
    """A mouse that clicks, moves by a distance and scrolls."""

    def __init__(self, session: PortalSession) -> None:
        self._session = session

    def click(self, button: str, count: int) -> None:
        code = BUTTONS.get(button)
        if code is None:
            raise ActionFailed(f"no mouse button `{button}`: use left, middle or right")
        for pressed in (1, 0) * count:
            self._session.notify(POINTER, "NotifyPointerButton", "iu", code, pressed)

    def move_to(self, x: int, y: int) -> None:
        raise ActionFailed(
            "the mouse cannot be moved to a place on this desktop, which lets programs move it by a distance "
            "only: use that"
        )

    def move_by(self, dx: int, dy: int) -> None:
        self._session.notify(POINTER, "NotifyPointerMotion", "dd", float(dx), float(dy))

    def scroll(self, dx: int, dy: int) -> None:
        """Scroll by notches: positive `dy` is up, positive `dx` is right."""
        for axis, notches in ((_VERTICAL, -dy), (_HORIZONTAL, dx)):
            if notches:
                self._session.notify(POINTER, "NotifyPointerAxisDiscrete", "ui", axis, notches)


class PortalRoute:
    """Keys and mouse by permission of the desktop."""

    name = "RemoteDesktop portal"
    reaches_all = True
    must_release_for_others = False

    def __init__(self, cmd_key: str, token_path: Path) -> None:
        self._session = PortalSession(token_path)
        self.keyboard = PortalKeyboard(cmd_key, self._session)
        self.mouse = PortalMouse(self._session)

    @property
    def reach(self) -> str:
        consent = "allowed" if self._session.has_token() else "asks you at the first key"
        return f"every program, the mouse by distances only; {consent}"

    @property
    def is_lost(self) -> bool:
        return self._session.is_lost

    def why_unavailable(self) -> str | None:
        return self._session.why_unavailable()

    def connect(self) -> None:
        """Open the session if the user has allowed it before; otherwise the first key asks."""
        if self._session.has_token():
            self._session.open()

    def join(self, timeout_s: float) -> None:
        """Wait until the user has answered, for a limited time."""
        self._session.join(timeout_s)

    def close(self) -> None:
        self._session.close()
