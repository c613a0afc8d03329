"""Calls methods of the desktop portal over D-Bus, and waits for their answers, which follow as signals.

See https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.Request.html.
"""

import itertools
import os
from collections import deque
from typing import Any

from jeepney import (
    DBusAddress,
    DBusErrorResponse,
    HeaderFields,
    MatchRule,
    Message,
    MessageType,
    Properties,
    message_bus,
    new_method_call,
)
from jeepney.io.blocking import DBusConnection

from conductor.base.clock import now
from conductor.system.input_route import HOW_TO_ASK
from conductor.system.session_bus import ANSWER_TIMEOUT_S, require_successful_reply

_PORTAL_NAME = "org.freedesktop.portal.Desktop"
PORTAL_ADDRESS = DBusAddress(
    "/org/freedesktop/portal/desktop",
    bus_name=_PORTAL_NAME,
    interface="org.freedesktop.portal.RemoteDesktop",
)
CONSENT_REFUSED_MESSAGE = (
    "the desktop does not let Conductor press keys, because you did not allow it: "
    f"to be asked again, {HOW_TO_ASK}"
)
START_TIMEOUT_S = 30.0
"""Seconds to wait for the portal, which the bus may have to start; that takes long after login."""
_BUS_NAME, _BUS_PATH, _OWNER_CHANGED_SIGNAL = (
    "org.freedesktop.DBus",
    "/org/freedesktop/DBus",
    "NameOwnerChanged",
)
_NO_OWNER_ERROR = "org.freedesktop.DBus.Error.NameHasNoOwner"
_REFUSED_RESPONSE = 1
_handle_token_numbers = itertools.count(1)


def build_handle_token() -> str:
    """Return a name for a request or session that is unique in this process."""
    return f"conductor{os.getpid()}_{next(_handle_token_numbers)}"


class ConsentRefused(Exception):
    """Raised when the user does not allow Conductor to press keys."""


class NoAnswer(Exception):
    """Raised when a request ends without the user's answer, because it failed or its dialog was closed."""


class InvalidAnswer(ValueError):
    """Raised when an answer of the portal has other types than its specification requires."""

    def __init__(self, call: str) -> None:
        super().__init__(f"its answer to {call} is invalid")


def read_owner(connection: DBusConnection) -> str:
    """Return the unique name of the process that owns the bus name of the portal, or an empty string."""
    request = message_bus.GetNameOwner(_PORTAL_NAME)
    reply = connection.send_and_get_reply(request, timeout=ANSWER_TIMEOUT_S)
    try:
        return require_successful_reply(reply).body[0]
    except DBusErrorResponse as problem:
        if problem.name == _NO_OWNER_ERROR:
            return ""
        raise


def read_property(connection: DBusConnection, name: str) -> int:
    request = Properties(PORTAL_ADDRESS).get(name)
    reply = require_successful_reply(
        connection.send_and_get_reply(request, timeout=START_TIMEOUT_S)
    )
    if not _has_signature(reply, "v") or type(value := reply.body[0][1]) is not int:
        raise InvalidAnswer(name)
    return value


def call_portal(
    connection: DBusConnection,
    method: str,
    signature: str,
    args: tuple[Any, ...],
    options: dict[str, tuple[str, Any]],
    timeout_s: float,
) -> dict[str, tuple[str, Any]]:
    """Call a method of the portal, wait for the signal with its results, and return the results.

    Raises:
        ConsentRefused: The user refused.
        NoAnswer: The request ended in another way.
        ConnectionError: The portal's process has ended.
        InvalidAnswer: The signal does not have the types of the specification.
    """
    token = build_handle_token()
    sender = str(connection.unique_name).removeprefix(":").replace(".", "_")
    path = f"/org/freedesktop/portal/desktop/request/{sender}/{token}"
    rule = build_match_rule("org.freedesktop.portal.Request", path)
    add_match_rule(connection, rule)
    message = new_method_call(
        PORTAL_ADDRESS, method, signature, (*args, options | {"handle_token": ("s", token)})
    )
    signals: deque[Message] = deque()
    with (
        connection.filter(rule, queue=signals),
        connection.filter(OWNER_RULE, queue=signals),
    ):
        require_successful_reply(connection.send_and_get_reply(message, timeout=START_TIMEOUT_S))
        deadline = now() + timeout_s
        while True:
            signal = connection.recv_until_filtered(signals, timeout=max(0.0, deadline - now()))
            if is_portal_end(signal):
                raise ConnectionError("it ended before it answered")
            if is_signal(signal, "Response", path):
                break
    if not _has_signature(signal, "ua{sv}"):
        raise InvalidAnswer(method)
    status, results = signal.body
    if status == 0:
        return results
    if status == _REFUSED_RESPONSE and method == "Start":
        raise ConsentRefused(CONSENT_REFUSED_MESSAGE)
    raise NoAnswer(f"{method} ended without an answer")


def build_match_rule(interface: str, path: str) -> MatchRule:
    return MatchRule(type="signal", interface=interface, path=path)


def add_match_rule(connection: DBusConnection, rule: MatchRule) -> None:
    request = message_bus.AddMatch(rule.serialise())
    require_successful_reply(connection.send_and_get_reply(request, timeout=ANSWER_TIMEOUT_S))


def _build_owner_rule() -> MatchRule:
    """Return the D-Bus match rule for changes of the process that owns the portal's bus name."""
    rule = MatchRule(
        type="signal", interface=_BUS_NAME, member=_OWNER_CHANGED_SIGNAL, path=_BUS_PATH
    )
    rule.add_arg_condition(0, _PORTAL_NAME)
    return rule


OWNER_RULE = _build_owner_rule()


def is_portal_end(message: Message) -> bool:
    """Return whether a D-Bus message says that the portal's process has ended."""
    if not is_signal(message, _OWNER_CHANGED_SIGNAL, _BUS_PATH):
        return False
    name, old_owner, _ = message.body
    return name == _PORTAL_NAME and bool(old_owner)


def is_signal(message: Message, member: str, path: str) -> bool:
    fields = message.header.fields
    return (
        message.header.message_type is MessageType.signal
        and fields.get(HeaderFields.member) == member
        and fields.get(HeaderFields.path) == path
    )


def _has_signature(message: Message, signature: str) -> bool:
    return message.header.fields.get(HeaderFields.signature) == signature
