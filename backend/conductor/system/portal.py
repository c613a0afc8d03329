"""Presses keys and moves the mouse through the RemoteDesktop portal of GNOME, KDE and COSMIC."""

from collections.abc import Sequence
from pathlib import Path
from threading import Event

from conductor.domain.engine_replies import InputConsent
from conductor.domain.keys import canonicalize_key
from conductor.errors import ActionFailed
from conductor.system.evdev_keys import CODES_BY_KEY_NAME, find_mouse_button_code
from conductor.system.input_route import HOW_TO_ASK
from conductor.system.keysyms import list_char_keysyms, list_key_keysyms
from conductor.system.portal_session import (
    KEYBOARD_DEVICE,
    POINTER_DEVICE,
    WAITING_FOR_CONSENT_MESSAGE,
    PortalSession,
)

_TYPING_CHUNK_SIZE = 32
_TYPING_CHUNK_PAUSE_S = 0.01
"""Seconds to pause after each chunk of a text. The compositor disconnects programs that do not read
their events fast enough."""
_SESSION_OPEN_TIMEOUT_S = 5.0
"""Seconds to wait until a session is open that does not need the user's consent."""
_HOW_TO_ALLOW = f"asks you at the first key, or {HOW_TO_ASK}"
_VERTICAL, _HORIZONTAL = 0, 1


class PortalKeyboard:
    """A keyboard that sends named keys as key codes and characters as keysyms; the
    desktop finds a key for each.
    """

    def __init__(self, session: PortalSession) -> None:
        self._session = session
        self._pause = Event()

    def press_keys(self, keys: Sequence[str]) -> None:
        for method, value in [self._find_key_event(key) for key in keys]:
            self._send_key_event(method, value, pressed=True)

    def release_keys(self, keys: Sequence[str]) -> None:
        for method, value in [self._find_key_event(key) for key in reversed(keys)]:
            self._send_key_event(method, value, pressed=False)

    def type_text(self, text: str) -> None:
        """Type a text with any keyboard layout.

        Raises:
            ActionFailed: The user has not given consent, or the text contains a control character. In that case
                nothing was typed.
        """
        keysyms = [list_char_keysyms(char)[-1] for char in text.replace("\r\n", "\n")]
        for number, keysym in enumerate(keysyms, 1):
            self._send_key_event("NotifyKeyboardKeysym", keysym, pressed=True)
            self._send_key_event("NotifyKeyboardKeysym", keysym, pressed=False)
            if number % _TYPING_CHUNK_SIZE == 0:
                self._pause.wait(_TYPING_CHUNK_PAUSE_S)

    def _find_key_event(self, key: str) -> tuple[str, int]:
        keysym = list_key_keysyms(key)[-1]
        name = canonicalize_key(key)
        has_usual_symbol = not (name.startswith("f") and name[1:].isdigit() and int(name[1:]) > 12)
        if name in CODES_BY_KEY_NAME and has_usual_symbol:
            return "NotifyKeyboardKeycode", CODES_BY_KEY_NAME[name]
        return "NotifyKeyboardKeysym", keysym

    def _send_key_event(self, method: str, value: int, *, pressed: bool) -> None:
        self._session.send_input_event(KEYBOARD_DEVICE, method, "iu", value, int(pressed))


class PortalMouse:
    """A mouse that clicks, scrolls and moves by a distance. The portal cannot move it to a position."""

    def __init__(self, session: PortalSession) -> None:
        self._session = session

    def click(self, button: str, count: int) -> None:
        code = find_mouse_button_code(button)
        for pressed in (1, 0) * count:
            self._session.send_input_event(
                POINTER_DEVICE, "NotifyPointerButton", "iu", code, pressed
            )

    def move_to(self, x: int, y: int) -> None:
        raise ActionFailed(
            "the mouse cannot be moved to a position on this desktop, which lets programs move it only by a "
            "distance: use a relative move"
        )

    def move_by(self, dx: int, dy: int) -> None:
        self._session.send_input_event(
            POINTER_DEVICE, "NotifyPointerMotion", "dd", float(dx), float(dy)
        )

    def scroll(self, dx: int, dy: int) -> None:
        """Scroll by a number of wheel notches; positive `dy` scrolls up, positive `dx` scrolls right."""
        for axis, notches in ((_VERTICAL, -dy), (_HORIZONTAL, dx)):
            if notches:
                self._session.send_input_event(
                    POINTER_DEVICE, "NotifyPointerAxisDiscrete", "ui", axis, notches
                )


class PortalRoute:
    """The input route through the RemoteDesktop portal, which requires the user's consent."""

    name = "RemoteDesktop portal"
    reaches_all = True
    keys_outlive_process = False

    def __init__(self, token_path: Path) -> None:
        self._session = PortalSession(token_path)
        self.keyboard = PortalKeyboard(self._session)
        self.mouse = PortalMouse(self._session)

    @property
    def reach_description(self) -> str:
        consent = "allowed" if self._session.has_stored_token() else _HOW_TO_ALLOW
        return f"every program, the mouse only by distances; {consent}"

    @property
    def needs_consent(self) -> bool:
        return not (self._session.is_open or self._session.has_stored_token())

    @property
    def consent(self) -> InputConsent:
        if self._session.is_open:
            return "allowed"
        if self._session.is_opening:
            return "asking"
        if self._session.is_refused:
            return "refused"
        return "allowed" if self._session.has_stored_token() else "needed"

    def ask_for_consent(self) -> None:
        self._session.ask_again()

    @property
    def is_lost(self) -> bool:
        # While the desktop asks again after a failure, another route can press the keys.
        is_asking_again = self._session.has_failed and self._session.is_opening
        return is_asking_again or self._session.problem is not None

    def get_unavailable_reason(self) -> str | None:
        return self._session.get_unavailable_reason()

    def connect(self) -> None:
        """Open the session if the user has given consent before; otherwise the first key asks for consent.

        Raises:
            ActionFailed: The session could not be opened, or is still being opened, for example because the
                desktop asks although the user has given consent before.
        """
        if self._session.has_stored_token() and not self._session.is_opening:
            self._session.start_opening()
            self._session.wait_for_consent(_SESSION_OPEN_TIMEOUT_S)
        if (problem := self._session.problem) is not None:
            raise ActionFailed(problem)
        if self._session.is_opening:
            raise ActionFailed(WAITING_FOR_CONSENT_MESSAGE)

    def wait_for_consent(self, timeout_s: float) -> None:
        """Wait until the user has answered the request for consent, or until the timeout."""
        self._session.wait_for_consent(timeout_s)

    def close(self) -> None:
        self._session.close()
