"""A session of the RemoteDesktop portal, through which Conductor presses keys with the user's consent.

See https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.RemoteDesktop.html. The desktop
asks the user once and returns a token, with which the next session starts without asking. A token can be used
once; the reply contains the next token.
"""

import itertools
import logging
import os
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from jeepney import (
    DBusAddress,
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
from conductor.errors import ActionFailed
from conductor.system.session_bus import (
    ANSWER_TIMEOUT_S,
    BUS_FAILURES,
    check_reply,
    describe_failure,
    open_bus,
)

_PORTAL_NAME = "org.freedesktop.portal.Desktop"
PORTAL = DBusAddress(
    "/org/freedesktop/portal/desktop",
    bus_name=_PORTAL_NAME,
    interface="org.freedesktop.portal.RemoteDesktop",
)
KEYBOARD, POINTER = 1, 2
WAITING_FOR_CONSENT = (
    "the desktop is asking whether Conductor may press keys: allow it, then press again"
)
CONSENT_REFUSED = (
    "the desktop does not let Conductor press keys, because you did not allow it: "
    "restart Conductor to be asked again"
)
_BUS, _BUS_PATH, _OWNER_CHANGED = (
    "org.freedesktop.DBus",
    "/org/freedesktop/DBus",
    "NameOwnerChanged",
)
_UNTIL_REVOKED = 2
_CONSENT_S = 300.0
_START_S = 30.0
"""The bus may have to start the portal first, which takes several seconds after login."""
_log = logging.getLogger(__name__)
_tokens = itertools.count(1)


class PortalSession:
    """A session of the portal. It is opened in a separate thread, because the user may take minutes to answer.

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
        """Number of times the session was closed. An opening thread discards its session if the number
        changed.
        """
        self._problem: str | None = None
        """Why the portal cannot be used until Conductor is restarted."""

    @property
    def is_lost(self) -> bool:
        """Whether the user or the desktop refused the session."""
        return self._problem is not None

    def why_unavailable(self) -> str | None:
        """Return why the portal cannot be used, or None if it can. Does not ask the user for consent."""
        if self._problem is not None:
            return self._problem
        try:
            with open_bus() as connection:
                types = _read_property(connection, "AvailableDeviceTypes")
        except BUS_FAILURES as problem:
            return f"no RemoteDesktop portal on the session bus ({describe_failure(problem)})"
        if not types & KEYBOARD:
            return "the RemoteDesktop portal of this desktop offers no keyboard"
        return None

    def has_token(self) -> bool:
        """Return whether a token of an earlier consent is stored, so that opening a session does not ask."""
        return self._token_path.exists()

    def open(self) -> None:
        """Start opening the session in a thread, unless it is open or being opened."""
        with self._lock:
            if self._session or self._opener is not None or self._problem is not None:
                return
            self._opener = threading.Thread(
                target=self._open, args=[self._close_count], name="portal consent", daemon=True
            )
            self._opener.start()

    def join(self, timeout_s: float) -> None:
        """Wait until the user has answered the request for consent, or until the timeout."""
        opener = self._opener
        if opener is not None and opener is not threading.current_thread():
            opener.join(timeout_s)

    def notify(self, device: int, method: str, signature: str, *values: int | float) -> None:
        """Send an input event of a device by a portal method such as `NotifyKeyboardKeysym`.

        Raises:
            ActionFailed: The user has refused, has not answered yet, or the desktop ended the session.
        """
        with self._lock:
            self._read_signals()
            if not self._session or self._connection is None:
                self.open()
                raise ActionFailed(self._problem or WAITING_FOR_CONSENT)
            if not self._devices & device:
                raise ActionFailed("you did not allow Conductor to use this device")
            message = new_method_call(
                PORTAL, method, f"oa{{sv}}{signature}", (self._session, {}, *values)
            )
            message.header.flags |= MessageFlag.no_reply_expected
            try:
                self._connection.send(message)
            except OSError as problem:
                self._disconnect()
                raise ActionFailed(f"the session bus was closed ({problem})") from problem

    def close(self) -> None:
        """End the session. The desktop releases held keys and closes a dialog that is still open."""
        with self._lock:
            self._close_count += 1
            self._opener = None
            if self._opening is not None:
                with suppress(OSError):
                    self._opening.sock.shutdown(socket.SHUT_RDWR)
            self._disconnect()

    def _open(self, close_count: int) -> None:
        problem: str | None = None
        try:
            connection = open_bus()
            try:
                with self._lock:
                    self._opening = connection
                started = self._start_session(connection)
            except BaseException:
                connection.close()
                raise
            self._store_session(connection, *started, close_count)
        except PermissionError:
            problem = CONSENT_REFUSED
        except Exception as failure:  # noqa: BLE001 - no failure may leave a key waiting forever
            _log.warning("the RemoteDesktop portal cannot be used: %s", failure)
            problem = f"the RemoteDesktop portal failed ({describe_failure(failure)})"
        with self._lock:
            self._opening = None
            if close_count == self._close_count:
                self._problem, self._opener = problem, None

    def _store_session(
        self, connection: DBusConnection, session: str, devices: int, close_count: int
    ) -> None:
        with self._lock:
            if close_count == self._close_count:
                self._connection, self._session, self._devices = connection, session, devices
            else:
                connection.close()

    def _start_session(self, connection: DBusConnection) -> tuple[str, int]:
        """Request a session with keyboard and pointer. Return its object path and the allowed device types.

        Raises:
            PermissionError: The user refused.
        """
        token = {"session_handle_token": ("s", f"conductor{os.getpid()}_{next(_tokens)}")}
        created = _call_portal(connection, "CreateSession", "a{sv}", (), token, _START_S)
        session = created["session_handle"][1]
        wanted: dict[str, tuple[str, Any]] = {"types": ("u", KEYBOARD | POINTER)}
        if _read_property(connection, "version") >= 2:
            wanted["persist_mode"] = ("u", _UNTIL_REVOKED)
            if self.has_token():
                wanted["restore_token"] = ("s", self._token_path.read_text())
        _call_portal(connection, "SelectDevices", "oa{sv}", (session,), wanted, _START_S)
        started = _call_portal(connection, "Start", "osa{sv}", (session, ""), {}, _CONSENT_S)
        if "restore_token" in started:
            write_atomic(self._token_path, started["restore_token"][1].encode(), OWNER_ONLY_MODE)
        _subscribe(connection, "org.freedesktop.portal.Session", session)
        # A portal that crashes does not close its sessions, and the restarted portal does not know them.
        rule = MatchRule(type="signal", interface=_BUS, member=_OWNER_CHANGED, path=_BUS_PATH)
        rule.add_arg_condition(0, _PORTAL_NAME)
        check_reply(
            connection.send_and_get_reply(
                message_bus.AddMatch(rule.serialise()), timeout=ANSWER_TIMEOUT_S
            )
        )
        return session, started["devices"][1]

    def _read_signals(self) -> None:
        """Read the pending signals. Disconnect if the desktop or the user has ended the session."""
        if self._connection is None:
            return
        try:
            while True:
                message = self._connection.receive(timeout=0)
                if _is_signal(message, "Closed", self._session) or (
                    _is_signal(message, _OWNER_CHANGED, _BUS_PATH)
                    and message.body[0] == _PORTAL_NAME
                ):
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


def _read_property(connection: DBusConnection, name: str) -> int:
    request = Properties(PORTAL).get(name)
    return check_reply(connection.send_and_get_reply(request, timeout=_START_S)).body[0][1]


def _call_portal(
    connection: DBusConnection,
    method: str,
    signature: str,
    args: tuple[Any, ...],
    options: dict[str, tuple[str, Any]],
    timeout_s: float,
) -> dict[str, tuple[str, Any]]:
    """Call a method of the portal, and return the results from the signal that follows.

    Raises:
        PermissionError: The user refused.
    """
    token = f"conductor{os.getpid()}_{next(_tokens)}"
    sender = str(connection.unique_name).removeprefix(":").replace(".", "_")
    path = f"/org/freedesktop/portal/desktop/request/{sender}/{token}"
    rule = _subscribe(connection, "org.freedesktop.portal.Request", path)
    message = new_method_call(
        PORTAL, method, signature, (*args, options | {"handle_token": ("s", token)})
    )
    with connection.filter(rule) as responses:
        check_reply(connection.send_and_get_reply(message, timeout=_START_S))
        response = connection.recv_until_filtered(responses, timeout=timeout_s)
    status, results = response.body
    if status != 0:
        raise PermissionError(f"{method} was refused")
    return results


def _subscribe(connection: DBusConnection, interface: str, path: str) -> MatchRule:
    rule = MatchRule(type="signal", interface=interface, path=path)
    check_reply(
        connection.send_and_get_reply(
            message_bus.AddMatch(rule.serialise()), timeout=ANSWER_TIMEOUT_S
        )
    )
    return rule


def _is_signal(message: Message, member: str, path: str) -> bool:
    fields = message.header.fields
    return (
        message.header.message_type is MessageType.signal
        and fields.get(HeaderFields.member) == member
        and fields.get(HeaderFields.path) == path
    )
