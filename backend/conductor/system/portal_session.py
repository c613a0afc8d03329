"""A session of the RemoteDesktop portal, through which Conductor presses keys with the user's consent.

See https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.RemoteDesktop.html. The desktop
asks the user once and returns a token, with which the next session starts without asking. A token can be used
once; the reply contains the next token. A token that the desktop does not accept is deleted, and the next key
asks again.
"""

import itertools
import logging
import os
import socket
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from jeepney import (
    DBusAddress,
    DBusErrorResponse,
    HeaderFields,
    MatchRule,
    Message,
    MessageFlag,
    MessageType,
    Properties,
    message_bus,
    new_method_call,
)
from jeepney.io.blocking import DBusConnection

from conductor.base.atomic import OWNER_ONLY_MODE, write_atomic
from conductor.base.clock import now
from conductor.errors import ActionFailed
from conductor.system.session_bus import (
    ANSWER_TIMEOUT_S,
    BUS_FAILURES,
    describe_bus_failure,
    open_session_bus,
    require_successful_reply,
)

_PORTAL_NAME = "org.freedesktop.portal.Desktop"
PORTAL_ADDRESS = DBusAddress(
    "/org/freedesktop/portal/desktop",
    bus_name=_PORTAL_NAME,
    interface="org.freedesktop.portal.RemoteDesktop",
)
KEYBOARD_DEVICE, POINTER_DEVICE = 1, 2
WAITING_FOR_CONSENT_MESSAGE = (
    "the desktop is asking whether Conductor may press keys: allow it, then press again"
)
CONSENT_REFUSED_MESSAGE = (
    "the desktop does not let Conductor press keys, because you did not allow it: "
    "restart Conductor to be asked again"
)
KEYBOARD_REFUSED_MESSAGE = (
    "the desktop does not let Conductor press keys, because you did not allow it to use the keyboard: "
    "restart Conductor to be asked again, and allow the keyboard"
)
_BUS_NAME, _BUS_PATH, _OWNER_CHANGED_SIGNAL = (
    "org.freedesktop.DBus",
    "/org/freedesktop/DBus",
    "NameOwnerChanged",
)
_INVALID_ARGUMENT_ERROR = "org.freedesktop.portal.Error.InvalidArgument"
"""The name of the D-Bus error for a token that is not a UUID, for example because its file was damaged."""
_NO_OWNER_ERROR = "org.freedesktop.DBus.Error.NameHasNoOwner"
_MAX_TOKEN_LENGTH = 1000
"""The maximum length of a stored token. Portals issue UUIDs, which have 36 characters."""
_PERSIST_UNTIL_REVOKED = 2
_REFUSED_RESPONSE = 1
_MAX_UNANSWERED_ATTEMPTS = 2
_CONSENT_TIMEOUT_S = 300.0
_START_TIMEOUT_S = 30.0
"""Seconds to wait for the portal, which the bus may have to start; that takes long after login."""
_FIRST_RETRY_DELAY_S = 5.0
_MAX_RETRY_DELAY_S = 600.0
"""The longest pause in seconds after a failure. Pauses grow, because each attempt may show a dialog."""
_log = logging.getLogger(__name__)
_handle_token_numbers = itertools.count(1)


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
                types = _read_property(connection, "AvailableDeviceTypes")
                owner = _read_owner(connection)
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
            self._opener = threading.Thread(
                target=self._open_session,
                args=[self._close_count],
                name="portal consent",
                daemon=True,
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
                owner = _read_owner(connection)
                version = _read_property(connection, "version")
                owner = _read_owner(connection)
                started = self._start_session(connection, version)
            except BaseException:
                connection.close()
                raise
            self._store_session(connection, *started, close_count)
        except _TokenRefused:
            _log.info("the desktop does not accept the stored consent; the next key asks again")
        except _ConsentRefused as refusal:
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
            _ConsentRefused: The user refused, or did not allow the keyboard.
            _TokenRefused: The desktop did not accept the token of an earlier consent, or accepted it without
                the keyboard. The token has been deleted.
        """
        # A portal that crashes neither answers nor closes its sessions, and the next one does not know them.
        _add_match_rule(connection, _OWNER_RULE)
        handle = {
            "session_handle_token": ("s", f"conductor{os.getpid()}_{next(_handle_token_numbers)}")
        }
        created = _call_portal(connection, "CreateSession", "a{sv}", (), handle, _START_TIMEOUT_S)
        _, session = created.get("session_handle", ("", None))
        if not isinstance(session, str):
            raise _InvalidAnswer("CreateSession")
        _add_match_rule(connection, _build_match_rule("org.freedesktop.portal.Session", session))
        wanted: dict[str, tuple[str, Any]] = {"types": ("u", KEYBOARD_DEVICE | POINTER_DEVICE)}
        token = self._read_token() if version >= 2 else ""
        if version >= 2:
            wanted["persist_mode"] = ("u", _PERSIST_UNTIL_REVOKED)
        if token:
            wanted["restore_token"] = ("s", token)
        try:
            _call_portal(
                connection, "SelectDevices", "oa{sv}", (session,), wanted, _START_TIMEOUT_S
            )
            started = _call_portal(
                connection, "Start", "osa{sv}", (session, ""), {}, _CONSENT_TIMEOUT_S
            )
        except (_ConsentRefused, _NoAnswer, DBusErrorResponse) as refusal:
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
            raise _InvalidAnswer("Start")
        if not devices & KEYBOARD_DEVICE:
            # With the token, every later session would also lack the keyboard, and the user would not be asked.
            self._store_token("")
            raise _TokenRefused if token else _ConsentRefused(KEYBOARD_REFUSED_MESSAGE)
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
        if isinstance(refusal, _ConsentRefused):
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
                if _is_signal(message, "Closed", self._session) or _is_portal_end(message):
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


class _ConsentRefused(Exception):
    """Raised when the user does not allow Conductor to press keys."""


class _TokenRefused(Exception):
    """Raised when the desktop does not accept the token of an earlier consent."""


class _NoAnswer(Exception):
    """Raised when a request ends without the user's answer, because it failed or its dialog was closed."""


class _InvalidAnswer(ValueError):
    """Raised when an answer of the portal has other types than its specification requires."""

    def __init__(self, call: str) -> None:
        super().__init__(f"its answer to {call} is invalid")


def _read_owner(connection: DBusConnection) -> str:
    """Return the unique name of the process that owns the bus name of the portal, or an empty string."""
    request = message_bus.GetNameOwner(_PORTAL_NAME)
    reply = connection.send_and_get_reply(request, timeout=ANSWER_TIMEOUT_S)
    try:
        return require_successful_reply(reply).body[0]
    except DBusErrorResponse as problem:
        if problem.name == _NO_OWNER_ERROR:
            return ""
        raise


def _read_property(connection: DBusConnection, name: str) -> int:
    request = Properties(PORTAL_ADDRESS).get(name)
    reply = require_successful_reply(
        connection.send_and_get_reply(request, timeout=_START_TIMEOUT_S)
    )
    if not _has_signature(reply, "v") or type(value := reply.body[0][1]) is not int:
        raise _InvalidAnswer(name)
    return value


def _call_portal(
    connection: DBusConnection,
    method: str,
    signature: str,
    args: tuple[Any, ...],
    options: dict[str, tuple[str, Any]],
    timeout_s: float,
) -> dict[str, tuple[str, Any]]:
    """Call a method of the portal, wait for the signal with its results, and return the results.

    Raises:
        _ConsentRefused: The user refused.
        _NoAnswer: The request ended in another way.
        ConnectionError: The portal's process has ended.
        _InvalidAnswer: The signal does not have the types of the specification.
    """
    token = f"conductor{os.getpid()}_{next(_handle_token_numbers)}"
    sender = str(connection.unique_name).removeprefix(":").replace(".", "_")
    path = f"/org/freedesktop/portal/desktop/request/{sender}/{token}"
    rule = _build_match_rule("org.freedesktop.portal.Request", path)
    _add_match_rule(connection, rule)
    message = new_method_call(
        PORTAL_ADDRESS, method, signature, (*args, options | {"handle_token": ("s", token)})
    )
    signals: deque[Message] = deque()
    with (
        connection.filter(rule, queue=signals),
        connection.filter(_OWNER_RULE, queue=signals),
    ):
        require_successful_reply(connection.send_and_get_reply(message, timeout=_START_TIMEOUT_S))
        deadline = now() + timeout_s
        while True:
            signal = connection.recv_until_filtered(signals, timeout=max(0.0, deadline - now()))
            if _is_portal_end(signal):
                raise ConnectionError("it ended before it answered")
            if _is_signal(signal, "Response", path):
                break
    if not _has_signature(signal, "ua{sv}"):
        raise _InvalidAnswer(method)
    status, results = signal.body
    if status == 0:
        return results
    if status == _REFUSED_RESPONSE and method == "Start":
        raise _ConsentRefused(CONSENT_REFUSED_MESSAGE)
    raise _NoAnswer(f"{method} ended without an answer")


def _build_match_rule(interface: str, path: str) -> MatchRule:
    return MatchRule(type="signal", interface=interface, path=path)


def _add_match_rule(connection: DBusConnection, rule: MatchRule) -> None:
    request = message_bus.AddMatch(rule.serialise())
    require_successful_reply(connection.send_and_get_reply(request, timeout=ANSWER_TIMEOUT_S))


def _build_owner_rule() -> MatchRule:
    """Return the D-Bus match rule for changes of the process that owns the portal's bus name."""
    rule = MatchRule(
        type="signal", interface=_BUS_NAME, member=_OWNER_CHANGED_SIGNAL, path=_BUS_PATH
    )
    rule.add_arg_condition(0, _PORTAL_NAME)
    return rule


_OWNER_RULE = _build_owner_rule()


def _is_portal_end(message: Message) -> bool:
    """Return whether a D-Bus message says that the portal's process has ended."""
    if not _is_signal(message, _OWNER_CHANGED_SIGNAL, _BUS_PATH):
        return False
    name, old_owner, _ = message.body
    return name == _PORTAL_NAME and bool(old_owner)


def _is_signal(message: Message, member: str, path: str) -> bool:
    fields = message.header.fields
    return (
        message.header.message_type is MessageType.signal
        and fields.get(HeaderFields.member) == member
        and fields.get(HeaderFields.path) == path
    )


def _has_signature(message: Message, signature: str) -> bool:
    return message.header.fields.get(HeaderFields.signature) == signature
