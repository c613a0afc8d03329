"""The X server connection that keyboard and mouse share: opened on first use, and reopened if it is lost."""

import logging
import os
import re
import select
import socket
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from Xlib import error
from Xlib.display import Display

from conductor.errors import ActionFailed
from conductor.system.wayland.connection import is_wayland_session

T = TypeVar("T")
_log = logging.getLogger(__name__)

CONNECTION_ERRORS = (error.ConnectionClosedError, OSError)
"""The errors that python-xlib raises when the server has closed the connection."""

_SEND_TIMEOUT_S = 1.0
_ANSWER_TIMEOUT_S = 2.0
_NOT_RESPONDING_MESSAGE = "the X server does not respond: is the desktop session frozen?"
_CONNECTION_SETUP_REQUEST = b"l\0\x0b\0\0\0\0\0\0\0\0\0"
"""A connection setup without a cookie (X11 protocol, section 8), which every working server answers."""


def send_requests(display: Display) -> None:
    """Send all queued requests. One flush of python-xlib is not enough, because it keeps what a
    busy server does not accept.

    Raises:
        ActionFailed: The server does not accept data within a second.
    """
    display.flush()
    while display.display.data_send:
        if not select.select([], [display], [], _SEND_TIMEOUT_S)[1]:
            raise ActionFailed(_NOT_RESPONDING_MESSAGE)
        display.flush()


@contextmanager
def require_answers(display: Display) -> Generator[None]:
    """Close the connection if the server does not answer within 2 seconds, because
    python-xlib would wait forever.

    Raises:
        ConnectionClosedError: The server did not answer.
    """
    watch = threading.Timer(_ANSWER_TIMEOUT_S, _close_connection, [display])
    watch.daemon = True
    watch.start()
    try:
        yield
    finally:
        watch.cancel()


def _close_connection(display: Display) -> None:
    with suppress(OSError):  # the connection was closed in the meantime
        display.display.socket.shutdown(socket.SHUT_RDWR)


def get_missing_display_reason() -> str | None:
    """Return why this session has no X display, or None if it has one."""
    if os.environ.get("DISPLAY"):
        return None
    if is_wayland_session():
        return "this Wayland session has no XWayland (DISPLAY is not set)"
    return "no X display: start Conductor from a desktop session, or set DISPLAY (for example :0)"


def open_display() -> Display:
    """Connect to the X display of the session.

    Raises:
        ActionFailed: There is no display, or it refused the connection.
    """
    reason = get_missing_display_reason()
    if reason:
        raise ActionFailed(reason)
    name = os.environ["DISPLAY"]
    try:
        _require_answering_display(name)
        display = Display(name)
    except TimeoutError as problem:
        raise ActionFailed(_NOT_RESPONDING_MESSAGE) from problem
    except (error.DisplayError, *CONNECTION_ERRORS) as problem:
        raise ActionFailed(
            f"the X display {name} cannot be reached ({problem}): check that the desktop session "
            "is still running and that DISPLAY and XAUTHORITY belong to it"
        ) from problem
    display.set_error_handler(_log_request_error)
    return display


def _require_answering_display(name: str) -> None:
    """Raise `OSError` if a local X server does not answer, with which python-xlib would wait
    forever or leak a socket.
    """
    assert sys.platform != "win32"
    local = re.match(r"(?:unix)?:(\d+)", name)
    if local is None:
        return
    path = f"/tmp/.X11-unix/X{local[1]}"  # noqa: S108
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_ANSWER_TIMEOUT_S)
        probe.connect(path if Path(path).exists() else f"\0{path}")
        probe.sendall(_CONNECTION_SETUP_REQUEST)
        probe.recv(1)


def _log_request_error(problem: object, request: object) -> None:
    _log.warning("the X server refused a request: %s (%s)", problem, request)


class X11Link:
    """A shared X connection. Only one thread uses it at a time, so that a held key and a click arrive in
    order.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._display: Display | None = None

    def call_with_display(self, work: Callable[[Display], T]) -> T:
        """Call `work` with the display. If the connection is lost, call it again with a new connection.

        Raises:
            ActionFailed: There is no display, or the connection was lost twice.
        """
        with self._lock:
            try:
                return work(self._get_display())
            except CONNECTION_ERRORS:
                self._display = None
            try:
                return work(self._get_display())
            except CONNECTION_ERRORS as problem:
                self._display = None
                raise ActionFailed(f"the X server closed the connection: {problem}") from problem

    def close(self) -> None:
        with self._lock:
            display, self._display = self._display, None
            if display is not None:
                try:
                    with require_answers(display):
                        # If events are unread when the connection is closed, the
                        # server drops pending requests.
                        display.sync()
                    display.close()
                except CONNECTION_ERRORS:
                    pass

    @property
    def is_open(self) -> bool:
        return self._display is not None

    def _get_display(self) -> Display:
        if self._display is None:
            display = open_display()
            if not display.has_extension("XTEST"):
                display.close()
                raise ActionFailed(
                    "this X server has no XTEST extension, so no keys or clicks can be sent: "
                    "enable it or use another server"
                )
            self._display = display
        return self._display
