"""Watches the active window on X11 through the server's events, without polling."""

import logging
import os
import select
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from Xlib import X, error
from Xlib.display import Display

from conductor.base.clock import now
from conductor.errors import ActionFailed
from conductor.system.x11_link import LOST, open_display, why_no_display

App = tuple[str, str, str]
"""Executable, bundle id (on X11 the window's class) and title."""

_log = logging.getLogger(__name__)

NO_APP: App = ("", "", "")
_QUIET_S = 0.03
_LONGEST_S = 0.25
_RETRY_S = 2.0
_WATCHED_PROPERTIES = (
    "_NET_ACTIVE_WINDOW",
    "_NET_CLIENT_LIST",  # openbox does not reset the active window when the last one closes
    "_NET_WM_NAME",
    "_NET_WM_PID",
    "WM_CLASS",
    "WM_NAME",
)


def is_wayland() -> bool:
    """Return whether this is a Wayland session, which hides its windows; XWayland's alone would mislead."""
    return (
        bool(os.environ.get("WAYLAND_DISPLAY")) or os.environ.get("XDG_SESSION_TYPE") == "wayland"
    )


def why_unavailable() -> str | None:
    """Return why the app in front cannot be determined now; None when it can.

    A watcher may be started anyway: it uses a display or window manager that appears later.
    """
    if is_wayland():
        return "Wayland does not reveal which app is in front: log in to an X11 (Xorg) session"
    reason = why_no_display()
    if reason:
        return reason
    try:
        display = open_display()
    except ActionFailed as problem:
        return str(problem)
    try:
        if not _has_window_manager(display):
            return "no window manager reports the active window: start one"
        return None
    except LOST as problem:
        return f"the X server closed the connection: {problem}"
    finally:
        _close_display(display)


class X11Watcher:
    """A watcher that calls `on_change` from its own thread when another app or title comes to the front."""

    def __init__(self, on_change: Callable[[str, str, str], None]) -> None:
        self._on_change = on_change
        self._last: App | None = None
        self._wake, self._stop = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="foreground", daemon=True)

    def start(self) -> None:
        """Start watching, or waiting for a display; harmless when already started."""
        if self._thread.ident is None:
            self._thread.start()

    def stop(self) -> None:
        """Stop the thread and wait for it; harmless when it is not running."""
        self._stop.close()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()
        self._wake.close()

    def _run(self) -> None:
        while True:
            try:
                display = self._open_display()
                if display is not None and self._watch_display(display):
                    return
                self._report_app(NO_APP)
            except Exception:  # noqa: BLE001 - one failure must not end the watcher
                _log.exception("watching the foreground app failed; trying again")
                self._last = None
            if self._is_stopped(_RETRY_S):
                return

    def _open_display(self) -> Display | None:
        try:
            return None if is_wayland() else open_display()
        except ActionFailed:
            return None

    def _watch_display(self, display: Display) -> bool:
        """Watch one X connection. Return True when stopped, False when the connection was lost."""
        try:
            display.screen().root.change_attributes(event_mask=X.PropertyChangeMask)
            display.set_error_handler(_ignore_error)  # a window may close while it is read
            while True:
                self._report_app(read_active_app(display))
                if self._wait_for_change(display):
                    return True
        except LOST:
            return False
        finally:
            _close_display(display)

    def _wait_for_change(self, display: Display) -> bool:
        """Wait for a change and then for a short pause, because a switch sends several events.

        Returns True when the watcher must stop.
        """
        changed_at: float | None = None
        while True:
            while display.pending_events():
                event = display.next_event()
                if changed_at is None and _is_relevant(display, event):
                    changed_at = now()
            timeout = None if changed_at is None else min(_QUIET_S, changed_at + _LONGEST_S - now())
            if timeout is not None and timeout <= 0:
                return False
            ready, _, _ = select.select([display, self._wake], [], [], timeout)
            if self._wake in ready:
                return True
            if not ready:
                return False

    def _is_stopped(self, timeout_s: float) -> bool:
        return bool(select.select([self._wake], [], [], timeout_s)[0])

    def _report_app(self, app: App) -> None:
        if app != self._last:
            self._last = app
            self._on_change(*app)


def read_active_app(display: Display) -> App:
    """Return the app of the active window, and subscribe to changes of its title."""
    active = _read_property(display, display.screen().root, "_NET_ACTIVE_WINDOW")
    if not active or not active[0]:
        return NO_APP
    window = display.create_resource_object("window", active[0])
    try:
        window.change_attributes(event_mask=X.PropertyChangeMask)
        instance, window_class = window.get_wm_class() or ("", "")
        pid = _read_property(display, window, "_NET_WM_PID")
        title = _read_property(display, window, "_NET_WM_NAME") or window.get_wm_name() or ""
    except error.XError:  # it has just closed; the next event brings the new active window
        return NO_APP
    return (_find_executable(pid[0]) if pid else "") or instance, window_class, _decode_title(title)


def _is_relevant(display: Display, event: Any) -> bool:
    if event.type != X.PropertyNotify:
        return False
    return event.atom in [display.get_atom(name) for name in _WATCHED_PROPERTIES]


def _has_window_manager(display: Display) -> bool:
    """Return whether a window manager runs; the property of an ended one names a closed window (EWMH)."""
    name = "_NET_SUPPORTING_WM_CHECK"
    on_root = _read_property(display, display.screen().root, name)
    if not on_root:
        return False
    try:
        on_window = _read_property(
            display, display.create_resource_object("window", on_root[0]), name
        )
    except error.BadWindow:
        return False
    return bool(on_window) and on_window[0] == on_root[0]


def _read_property(display: Display, window: Any, name: str) -> Any:
    found = window.get_full_property(display.get_atom(name), X.AnyPropertyType)
    return None if found is None else found.value


def _find_executable(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/exe").readlink().name
    except OSError:  # a process of another user or machine, or one that has ended
        return ""


def _decode_title(title: str | bytes) -> str:
    return title.decode(errors="replace") if isinstance(title, bytes) else title


def _ignore_error(problem: object, request: object) -> None:
    pass


def _close_display(display: Display) -> None:
    try:
        display.close()
    except (*LOST, TypeError, AttributeError):  # a lost connection is closed already
        pass
