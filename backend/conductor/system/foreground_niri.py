"""Reads the foreground app from niri through its socket (https://github.com/YaLTeR/niri/wiki/IPC)."""

import json
import socket
from typing import Any

from conductor.errors import ActionFailed
from conductor.system.foreground_socket import connect_socket, receive_lines, require_variable
from conductor.system.foreground_watch import NO_APP, AppNames, ReportApp, find_executable


class NiriSource:
    """Reads the focused window from the event stream of the niri compositor."""

    name = "niri"

    def get_unavailable_reason(self) -> str | None:
        try:
            _connect_to_niri().close()
        except ActionFailed as problem:
            return str(problem)
        return None

    def watch_foreground_app(self, report: ReportApp, wake: socket.socket) -> bool:
        """Report the focused window and each change of it, until stopped or disconnected.

        Returns True if the watcher was stopped, and False if niri closed the connection.

        Raises:
            ActionFailed: niri is not running.
        """
        windows: dict[int, Any] = {}
        with _connect_to_niri() as client:
            try:
                client.sendall(b'"EventStream"\n')
                for lines in receive_lines(client, wake):
                    changes = [_apply_event(windows, json.loads(line)) for line in lines]
                    if any(changes):
                        report(_find_focused_app(windows))
            except (OSError, EOFError):
                return False
        return True


def _connect_to_niri() -> socket.socket:
    return connect_socket(require_variable("NIRI_SOCKET"))


def _apply_event(windows: dict[int, Any], event: Any) -> bool:
    """Apply an event to the table of windows; return whether the foreground app may have changed."""
    match event:
        case {"WindowsChanged": {"windows": list(all_windows)}}:
            windows.clear()
            windows.update({window["id"]: window for window in all_windows})
        case {"WindowOpenedOrChanged": {"window": window}}:
            if window["is_focused"]:
                _set_focused_window(windows, None)
            windows[window["id"]] = window
        case {"WindowClosed": {"id": closed}}:
            windows.pop(closed, None)
        case {"WindowFocusChanged": {"id": focused}}:
            _set_focused_window(windows, focused)
        case _:
            return False
    return True


def _set_focused_window(windows: dict[int, Any], focused: int | None) -> None:
    for number, window in windows.items():
        window["is_focused"] = number == focused


def _find_focused_app(windows: dict[int, Any]) -> AppNames:
    for window in windows.values():
        if window["is_focused"]:
            app_id = window.get("app_id") or ""
            executable = find_executable(window.get("pid") or 0)
            return executable or app_id, app_id, window.get("title") or ""
    return NO_APP
