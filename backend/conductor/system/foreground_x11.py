"""Watches the active window on X11 through the server's events, without polling."""

import select
import socket
from typing import Any

from Xlib import X, error
from Xlib.display import Display

from conductor.base.clock import now
from conductor.errors import ActionFailed
from conductor.system.foreground_watch import NO_APP, AppNames, ReportApp, find_executable
from conductor.system.wayland.connection import is_wayland_session
from conductor.system.x11_link import CONNECTION_ERRORS, open_display

_QUIET_TIME_S = 0.03
_MAX_CHANGE_WAIT_S = 0.25
_WATCHED_PROPERTIES = (
    "_NET_ACTIVE_WINDOW",
    "_NET_CLIENT_LIST",  # openbox keeps the last active window when no window is left
    "_NET_WM_NAME",
    "_NET_WM_PID",
    "WM_CLASS",
    "WM_NAME",
)


class X11Source:
    """Reads the active window from the window manager of an X server."""

    name = "X11 window manager"

    def get_unavailable_reason(self) -> str | None:
        """Return why the active window cannot be read from the X server, or None if it can."""
        try:
            display = _open_display()
        except ActionFailed as problem:
            return str(problem)
        try:
            if not _has_window_manager(display):
                return "no window manager reports the active window: start one"
            return None
        except CONNECTION_ERRORS as problem:
            return f"the X server closed the connection: {problem}"
        finally:
            _close_display(display)

    def watch_foreground_app(self, report: ReportApp, wake: socket.socket) -> bool:
        """Report the active window and each change of it, until stopped or disconnected.

        Returns True if the watcher was stopped, and False if the X connection was lost.

        Raises:
            ActionFailed: There is no X display, or the display does not show all windows.
        """
        display = _open_display()
        try:
            display.screen().root.change_attributes(event_mask=X.PropertyChangeMask)
            # a window may be closed while its properties are read
            display.set_error_handler(_ignore_error)
            while True:
                report(read_active_app(display))
                if _wait_for_change(display, wake):
                    return True
        except CONNECTION_ERRORS:
            return False
        finally:
            _close_display(display)


def _open_display() -> Display:
    if is_wayland_session():
        raise ActionFailed("XWayland shows X11 windows only")
    return open_display()


def _wait_for_change(display: Display, wake: socket.socket) -> bool:
    """Wait for a change and then until 30 ms pass without another one; return True if the watcher must stop.

    Switching windows causes several changes in a row.
    """
    changed_at: float | None = None
    while True:
        while display.pending_events():
            event = display.next_event()
            if changed_at is None and _is_app_change(display, event):
                changed_at = now()
        timeout = (
            None
            if changed_at is None
            else min(_QUIET_TIME_S, changed_at + _MAX_CHANGE_WAIT_S - now())
        )
        if timeout is not None and timeout <= 0:
            return False
        ready, _, _ = select.select([display, wake], [], [], timeout)
        if wake in ready:
            return True
        if not ready:
            return False


def read_active_app(display: Display) -> AppNames:
    """Return the app that owns the active window, and subscribe to changes of the window's title."""
    active = _read_property(display, display.screen().root, "_NET_ACTIVE_WINDOW")
    if not active or not active[0]:
        return NO_APP
    window = display.create_resource_object("window", active[0])
    try:
        window.change_attributes(event_mask=X.PropertyChangeMask)
        instance, window_class = window.get_wm_class() or ("", "")
        pid = _read_property(display, window, "_NET_WM_PID")
        title = _read_property(display, window, "_NET_WM_NAME") or window.get_wm_name() or ""
    except error.XError:  # the window has just closed; the next event reports the new active window
        return NO_APP
    return (find_executable(pid[0]) if pid else "") or instance, window_class, _decode_title(title)


def _is_app_change(display: Display, event: Any) -> bool:
    if event.type != X.PropertyNotify:
        return False
    return event.atom in [display.get_atom(name) for name in _WATCHED_PROPERTIES]


def _has_window_manager(display: Display) -> bool:
    """Return whether a window manager is running.

    After its exit, the EWMH property still names a closed window, which is recognised here.
    """
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


def _decode_title(title: str | bytes) -> str:
    return title.decode(errors="replace") if isinstance(title, bytes) else title


def _ignore_error(problem: object, request: object) -> None:
    pass


def _close_display(display: Display) -> None:
    try:
        display.close()
    except (*CONNECTION_ERRORS, TypeError, AttributeError):  # a lost connection is already closed
        pass
