"""Connects to the D-Bus session bus; every wait for an answer has a timeout."""

import os
import socket
import threading
from collections.abc import Callable

from jeepney import DBusErrorResponse, Message, MessageType
from jeepney.bus import get_bus
from jeepney.io.blocking import DBusConnection, prep_socket

from conductor.errors import ActionFailed

ANSWER_TIMEOUT_S = 3.0
BUS_FAILURES = (OSError, DBusErrorResponse, ValueError, KeyError, RuntimeError)
"""The exceptions of jeepney if the bus or a service is missing or ends. A timeout is an `OSError`."""


def open_session_bus() -> DBusConnection:
    """Return a new connection to the D-Bus session bus.

    Raises:
        OSError, KeyError: There is no session bus, or the bus does not answer.
    """
    address = os.environ.get("DBUS_SESSION_BUS_ADDRESS")
    if not address:
        address = f"unix:path={os.environ.get('XDG_RUNTIME_DIR', '')}/bus"
    channel = prep_socket(get_bus(address), timeout=ANSWER_TIMEOUT_S)
    # jeepney waits for the bus's answer to its greeting without a timeout.
    watch = threading.Timer(ANSWER_TIMEOUT_S, channel.shutdown, [socket.SHUT_RDWR])
    watch.daemon = True
    watch.start()
    try:
        connection = DBusConnection(channel)
    except BaseException:
        channel.close()
        raise
    finally:
        watch.cancel()
    channel.settimeout(ANSWER_TIMEOUT_S)
    return connection


def find_bus_problem(check: Callable[[DBusConnection], object]) -> str | None:
    """Return why a check on a new connection to the session bus fails, or None if it succeeds.

    `check` raises `ActionFailed` with the reason.
    """
    try:
        with open_session_bus() as connection:
            check(connection)
    except ActionFailed as problem:
        return str(problem)
    except BUS_FAILURES as problem:
        return f"no session bus ({describe_bus_failure(problem)})"
    return None


def require_successful_reply(reply: Message) -> Message:
    if reply.header.message_type is MessageType.error:
        raise DBusErrorResponse(reply)
    return reply


def describe_bus_failure(problem: Exception) -> str:
    if isinstance(problem, DBusErrorResponse):
        return str(problem.name)
    return str(problem) or type(problem).__name__
