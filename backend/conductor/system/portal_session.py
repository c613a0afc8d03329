"""A session of the RemoteDesktop portal, through which Conductor presses keys with the user's consent.

See https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.RemoteDesktop.html. The desktop
asks the user once and returns a token, with which the next session starts without asking. A token can be used
once; the reply contains the next token. A token that the desktop does not accept is deleted, and the next key
asks again.
"""

import logging
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from jeepney import DBusErrorResponse, MessageFlag, new_method_call
from jeepney.io.blocking import DBusConnection

from conductor.base.atomic import OWNER_ONLY_MODE, write_atomic
from conductor.base.clock import now
from conductor.errors import ActionFailed
from conductor.system.input_route import HOW_TO_ASK
from conductor.system.portal_calls import (
    OWNER_RULE,
    PORTAL_ADDRESS,
    START_TIMEOUT_S,
    ConsentRefused,
    InvalidAnswer,
    NoAnswer,
    add_match_rule,
    build_handle_token,
    build_match_rule,
    call_portal,
    is_portal_end,
    is_signal,
    read_owner,
    read_property,
)
from conductor.system.session_bus import BUS_FAILURES, describe_bus_failure, open_session_bus

KEYBOARD_DEVICE, POINTER_DEVICE = 1, 2
WAITING_FOR_CONSENT_MESSAGE = (
    "the desktop is asking whether Conductor may press keys: allow it, then press again"
)
KEYBOARD_REFUSED_MESSAGE = (
    "the desktop does not let Conductor press keys, because you did not allow it to use the keyboard: "
    f"to be asked again, {HOW_TO_ASK}, and allow the keyboard"
)
_INVALID_ARGUMENT_ERROR = "org.freedesktop.portal.Error.InvalidArgument"
"""The name of the D-Bus error for a token that is not a UUID, for example because its file was damaged."""
_MAX_TOKEN_LENGTH = 1000
"""The maximum length of a stored token. Portals issue UUIDs, which have 36 characters."""
_PERSIST_UNTIL_REVOKED = 2
_MAX_UNANSWERED_ATTEMPTS = 2
_CONSENT_TIMEOUT_S = 300.0
_FIRST_RETRY_DELAY_S = 5.0
_MAX_RETRY_DELAY_S = 600.0
"""The longest pause in seconds after a failure. Pauses grow, because each attempt may show a dialog."""
_log = logging.getLogger(__name__)


class _PortalFailure(NamedTuple):
    """Why the portal cannot be used, until a time or until another process owns the portal's bus name.

    `owner` is the process that failed: "" if none owned the name, or None if the bus could not be asked.
    """

    reason: str
    retry_at: float
    owner: str | None


class PortalSession:
    """A session of the RemoteDesktop portal, opened in a thread because the user may take minutes to answer.

    Thread-safe.
    """

    def __init__(self, token_path: Path) -> None:
        self._token_path = token_path
        self._lock = threading.RLock()
        self._connection: DBusConnection | None = None
        self._session = ""
        self._devices = 0
        self._opener: threading.Thread | None = None
        self._opening: DBusConnection | None = None
        self._close_count = 0
        """The number of calls of `close`. An opening thread discards its session if the number has changed."""
        self._failure: _PortalFailure | None = None
        self._retry_s = _FIRST_RETRY_DELAY_S
        self._unanswered_count = 0
        """How often the stored token got no answer from the current process of the portal."""

    @property
    def problem(self) -> str | None:
        """Why the portal must not be tried now: the user or the desktop refused the session, or it failed."""
        failure = self._failure
        return None if failure is None or now() >= failure.retry_at else failure.reason

    @property
    def has_failed(self) -> bool:
        """Whether the last attempt to open the session has failed."""
        return self._failure is not None

    @property
    def is_refused(self) -> bool:
        """Whether the user has refused, and is not asked again by a key."""
        failure = self._failure
        return failure is not None and failure.retry_at == float("inf")

    @property
    def is_open(self) -> bool:
        return bool(self._session)

    @property
    def is_opening(self) -> bool:
        """Whether the session is being opened, for example while the user is asked for consent."""
        return self._opener is not None and not self._session

    def get_unavailable_reason(self) -> str | None:
        """Return why this desktop has no portal that offers a keyboard, or None if it has one.

        Does not ask the user for consent. An earlier failure is a `problem`, which is forgotten here if
        another process owns the portal.
        """
        try:
            with open_session_bus() as connection:
                types = read_property(connection, "AvailableDeviceTypes")
                owner = read_owner(connection)
        except BUS_FAILURES as problem:
            return f"no RemoteDesktop portal on the session bus ({describe_bus_failure(problem)})"
        if not types & KEYBOARD_DEVICE:
            return "the RemoteDesktop portal of this desktop offers no keyboard"
        with self._lock:
            if self._failure is not None and self._failure.owner not in (None, owner):
                # Another process of the portal may work, and knows nothing of an earlier refusal.
                self._failure, self._retry_s = None, _FIRST_RETRY_DELAY_S
                self._unanswered_count = 0
        return None

    def has_stored_token(self) -> bool:
        """Return whether a token of an earlier consent is stored, with which a session opens without asking."""
        return bool(self._read_token())

    def start_opening(self) -> None:
        """Start opening the session in a thread, unless it is open or being opened."""
        with self._lock:
            if self._session or self._opener is not None or self.problem is not None:
                return
            self._start_opener(self._open_session)

    def ask_again(self) -> None:
        """Forget a refusal or failure, and open the session now, which asks the user unless there is a valid
        token.
        """
        with self._lock:
            if self._session or self._opener is not None:
                return
            self._failure, self._retry_s = None, _FIRST_RETRY_DELAY_S
            self._start_opener(self._open_or_ask)

    def _start_opener(self, open_session: Callable[[int], None]) -> None:
        self._opener = threading.Thread(
            target=open_session, args=[self._close_count], name="portal consent", daemon=True
        )
        self._opener.start()

    def wait_for_consent(self, timeout_s: float) -> None:
        """Wait until the user has answered the request for consent, or until the timeout."""
        opener = self._opener
        if opener is not None and opener is not threading.current_thread():
            opener.join(timeout_s)

    def send_input_event(
        self, device: int, method: str, signature: str, *values: int | float
    ) -> None:
        """Send an input event to the desktop by a method of the portal, such as `NotifyKeyboardKeysym`.

        Raises:
            ActionFailed: The user has refused, has not answered yet, or the desktop ended the session.
        """
        with self._lock:
            self._read_signals()
            if not self._session or self._connection is None:
                self.start_opening()
                raise ActionFailed(self.problem or WAITING_FOR_CONSENT_MESSAGE)
            if not self._devices & device:
                raise ActionFailed("you did not allow Conductor to use this device")
            message = new_method_call(
                PORTAL_ADDRESS, method, f"oa{{sv}}{signature}", (self._session, {}, *values)
            )
            message.header.flags |= MessageFlag.no_reply_expected
            try:
                self._connection.send(message)
            except OSError as problem:
                self._disconnect()
                raise ActionFailed(f"the session bus was closed ({problem})") from problem

    def close(self) -> None:
        """End the session. The desktop then releases held keys and closes a dialog that is still open."""
        with self._lock:
            self._close_count += 1
            self._opener = None
            if self._opening is not None:
                with suppress(OSError):
                    self._opening.sock.shutdown(socket.SHUT_RDWR)
            self._disconnect()

    def _open_or_ask(self, close_count: int) -> None:
        """Open the session. If the desktop does not accept the token, which is then deleted, ask the user."""
        self._open_session(close_count)
        with self._lock:
            is_done = self._session or self._failure is not None or self._opener is not None
            if is_done or close_count != self._close_count:
                return
            self._opener = threading.current_thread()
        self._open_session(close_count)

    def _open_session(self, close_count: int) -> None:
        failure: _PortalFailure | None = None
        owner: str | None = None
        connection: DBusConnection | None = None
        try:
            connection = open_session_bus()
            try:
                with self._lock:
                    if close_count != self._close_count:
                        # Closed while connecting, when there was no connection yet that could be shut down.
                        connection.close()
                        return
                    self._opening = connection
                # Before the first call, which may fail, and again after it, because it may start the portal.
                owner = read_owner(connection)
                version = read_property(connection, "version")
                owner = read_owner(connection)
                started = self._start_session(connection, version)
            except BaseException:
                connection.close()
                raise
            self._store_session(connection, *started, close_count)
        except _TokenRefused:
            _log.info("the desktop does not accept the stored consent; the next key asks again")
        except ConsentRefused as refusal:
            failure = _PortalFailure(str(refusal), float("inf"), owner)
        except Exception as error:  # noqa: BLE001 - no failure may leave a key waiting forever
            _log.warning("the RemoteDesktop portal cannot be used: %s", error)
            reason = f"the RemoteDesktop portal failed ({describe_bus_failure(error)})"
            failure = _PortalFailure(reason, now() + self._retry_s, owner)
        with self._lock:
            if self._opening is connection:  # a later thread may be opening the session again
                self._opening = None
            if close_count == self._close_count:
                self._failure, self._opener = failure, None
                is_final = failure is None or failure.retry_at == float("inf")
                self._retry_s = (
                    _FIRST_RETRY_DELAY_S if is_final else min(2 * self._retry_s, _MAX_RETRY_DELAY_S)
                )

    def _store_session(
        self, connection: DBusConnection, session: str, devices: int, close_count: int
    ) -> None:
        with self._lock:
            if close_count == self._close_count:
                self._connection, self._session, self._devices = connection, session, devices
            else:
                connection.close()

    def _start_session(self, connection: DBusConnection, version: int) -> tuple[str, int]:
        """Request a session with keyboard and pointer; return its object path and the allowed device types.

        Raises:
            ConsentRefused: The user refused, or did not allow the keyboard.
            _TokenRefused: The desktop did not accept the token of an earlier consent, or accepted it without
                the keyboard. The token has been deleted.
        """
        # A portal that crashes neither answers nor closes its sessions, and the next one does not know them.
        add_match_rule(connection, OWNER_RULE)
        handle = {"session_handle_token": ("s", build_handle_token())}
        created = call_portal(connection, "CreateSession", "a{sv}", (), handle, START_TIMEOUT_S)
        _, session = created.get("session_handle", ("", None))
        if not isinstance(session, str):
            raise InvalidAnswer("CreateSession")
        add_match_rule(connection, build_match_rule("org.freedesktop.portal.Session", session))
        wanted: dict[str, tuple[str, Any]] = {"types": ("u", KEYBOARD_DEVICE | POINTER_DEVICE)}
        token = self._read_token() if version >= 2 else ""
        if version >= 2:
            wanted["persist_mode"] = ("u", _PERSIST_UNTIL_REVOKED)
        if token:
            wanted["restore_token"] = ("s", token)
        try:
            call_portal(connection, "SelectDevices", "oa{sv}", (session,), wanted, START_TIMEOUT_S)
            started = call_portal(
                connection, "Start", "osa{sv}", (session, ""), {}, _CONSENT_TIMEOUT_S
            )
        except (ConsentRefused, NoAnswer, DBusErrorResponse) as refusal:
            if not token or not self._is_token_refused(refusal):
                raise
            self._unanswered_count = 0
            self._token_path.unlink(missing_ok=True)
            raise _TokenRefused from refusal
        self._unanswered_count = 0
        _, devices = started.get("devices", ("", None))
        _, next_token = started.get("restore_token", ("s", ""))
        if type(devices) is not int or not isinstance(next_token, str):
            self._store_token("")
            raise InvalidAnswer("Start")
        if not devices & KEYBOARD_DEVICE:
            # With the token, every later session would also lack the keyboard, and the user would not be asked.
            self._store_token("")
            raise _TokenRefused if token else ConsentRefused(KEYBOARD_REFUSED_MESSAGE)
        self._store_token(next_token)
        return session, devices

    def _store_token(self, token: str) -> None:
        """Store the token for the next session, because the previous token can no longer be used."""
        try:
            if token:
                write_atomic(self._token_path, token.encode(), OWNER_ONLY_MODE)
            else:
                self._token_path.unlink(missing_ok=True)
        except OSError as problem:
            _log.warning("the consent to press keys cannot be stored: %s", problem)

    def _is_token_refused(self, refusal: Exception) -> bool:
        """Return whether the desktop has rejected the token, as it also has after several missing answers."""
        if isinstance(refusal, DBusErrorResponse):
            return refusal.name == _INVALID_ARGUMENT_ERROR
        if isinstance(refusal, ConsentRefused):
            return True
        # A desktop that has just started may leave a valid token without an answer once.
        self._unanswered_count += 1
        return self._unanswered_count >= _MAX_UNANSWERED_ATTEMPTS

    def _read_token(self) -> str:
        """Return the stored token, or an empty string; a file that cannot contain a token is deleted."""
        try:
            with self._token_path.open("rb") as file:
                content = file.read(_MAX_TOKEN_LENGTH + 1)
        except OSError:
            return ""
        if len(content) <= _MAX_TOKEN_LENGTH and content.isascii():
            token = content.decode("ascii")
            if token.isprintable():
                return token
        # The bus disconnects a client that sends a NUL byte, so this token would make the portal unusable.
        _log.warning("the stored consent to press keys is damaged and is deleted")
        with suppress(OSError):
            self._token_path.unlink()
        return ""

    def _read_signals(self) -> None:
        """Process pending D-Bus signals, and disconnect if the desktop or the user has ended the session."""
        if self._connection is None:
            return
        try:
            while True:
                message = self._connection.receive(timeout=0)
                if is_signal(message, "Closed", self._session) or is_portal_end(message):
                    self._disconnect()
                    return
        except TimeoutError:
            return
        except OSError:
            self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection, self._session, self._devices = None, "", 0


class _TokenRefused(Exception):
    """Raised when the desktop does not accept the token of an earlier consent."""
