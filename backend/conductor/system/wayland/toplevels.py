"""Reads the foreground app from the window list of a compositor (wlr-foreign-toplevel-management)."""

import select
import socket
import struct
from dataclasses import dataclass

from conductor.errors import ActionFailed
from conductor.system.foreground_watch import NO_APP, AppNames, ReportApp
from conductor.system.wayland.connection import (
    CONNECTION_ERRORS,
    EventReader,
    WaylandConnection,
    WaylandProtocolError,
    connect_to_compositor,
)

TOPLEVEL_MANAGER = "zwlr_foreign_toplevel_manager_v1"
_NEW_TOPLEVEL, _FINISHED = 0, 1
_TITLE, _APP_ID, _STATE, _DONE, _CLOSED = 0, 1, 4, 5, 6
_DESTROY = 7
_ACTIVATED = 2


class ToplevelSource:
    """Reports the activated window in the compositor's list of windows as the foreground app.

    The list does not contain the process of a window, so the app id is also reported as the executable.
    """

    name = TOPLEVEL_MANAGER

    def get_unavailable_reason(self) -> str | None:
        try:
            connect_to_compositor(TOPLEVEL_MANAGER).close()
        except ActionFailed as problem:
            return str(problem)
        return None

    def watch_foreground_app(self, report: ReportApp, wake: socket.socket) -> bool:
        """Report the activated window and each change of it, until stopped or disconnected.

        Returns True if the watcher was stopped, and False if the compositor has ended.

        Raises:
            ActionFailed: The compositor does not offer a window list.
        """
        connection = connect_to_compositor(TOPLEVEL_MANAGER)
        try:
            windows = _WindowList(connection)
            connection.wait_until_done()
            while True:
                report(windows.find_active_app())
                if wake in select.select([connection, wake], [], [])[0]:
                    return True
                connection.dispatch_events()
        except (WaylandProtocolError, *CONNECTION_ERRORS):
            return False
        finally:
            connection.close()


@dataclass
class _Window:
    title: str = ""
    app_id: str = ""
    active: bool = False


class _WindowList:
    """The windows of one connection.

    The active app is updated when the compositor has described a window completely.
    """

    def __init__(self, connection: WaylandConnection) -> None:
        self._connection = connection
        self._windows: dict[int, _Window] = {}
        self._app: AppNames = NO_APP
        connection.bind_first_global(TOPLEVEL_MANAGER, 3, self._on_manager_event)

    def find_active_app(self) -> AppNames:
        return self._app

    def _on_manager_event(self, opcode: int, event: EventReader) -> None:
        if opcode == _NEW_TOPLEVEL:
            handle = event.read_uint()
            self._windows[handle] = _Window()
            self._connection.set_handler(
                handle, lambda opcode, event: self._on_window_event(handle, opcode, event)
            )
        elif opcode == _FINISHED:
            raise EOFError("the compositor ended the list of windows")

    def _on_window_event(self, handle: int, opcode: int, event: EventReader) -> None:
        window = self._windows[handle]
        if opcode == _TITLE:
            window.title = event.read_string()
        elif opcode == _APP_ID:
            window.app_id = event.read_string()
        elif opcode == _STATE:
            states = event.read_array()
            window.active = _ACTIVATED in struct.unpack(f"={len(states) // 4}I", states)
        elif opcode == _DONE:
            self._update_app()
        elif opcode == _CLOSED:
            del self._windows[handle]
            self._connection.remove_handler(handle)
            self._connection.send_request(handle, _DESTROY)
            self._update_app()

    def _update_app(self) -> None:
        active = next((window for window in self._windows.values() if window.active), None)
        self._app = NO_APP if active is None else (active.app_id, active.app_id, active.title)
