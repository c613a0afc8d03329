"""Reads the foreground app from Hyprland through its sockets (https://wiki.hypr.land/IPC/)."""

import json
import os
import socket
from pathlib import Path
from typing import Any

from conductor.errors import ActionFailed
from conductor.system.foreground_socket import connect_socket, receive_lines, require_variable
from conductor.system.foreground_watch import NO_APP, AppNames, ReportApp, find_executable

_CHANGE_EVENT_PREFIXES = (b"activewindow>>", b"windowtitle>>", b"closewindow>>")


class HyprlandSource:
    """Reads the active window from the Hyprland compositor."""

    name = "Hyprland"

    def get_unavailable_reason(self) -> str | None:
        try:
            _request_active_app()
        except (ActionFailed, OSError, ValueError) as problem:
            return str(problem)
        return None

    def watch_foreground_app(self, report: ReportApp, wake: socket.socket) -> bool:
        """Report the active window and each change of it, until stopped or disconnected.

        Returns True if the watcher was stopped, and False if Hyprland closed the connection.

        Raises:
            ActionFailed: Hyprland is not running.
        """
        with _connect_to_hyprland(".socket2.sock") as events:
            try:
                report(_request_active_app())
                for lines in receive_lines(events, wake):
                    if any(line.startswith(_CHANGE_EVENT_PREFIXES) for line in lines):
                        report(_request_active_app())
            except (OSError, EOFError, ActionFailed):
                return False
        return True


def _connect_to_hyprland(name: str) -> socket.socket:
    signature = require_variable("HYPRLAND_INSTANCE_SIGNATURE")
    return connect_socket(Path(os.environ.get("XDG_RUNTIME_DIR", "")) / "hypr" / signature / name)


def _request_active_app() -> AppNames:
    """Request the active window over a new connection, because Hyprland answers one request per connection."""
    with _connect_to_hyprland(".socket.sock") as client:
        client.sendall(b"j/activewindow")
        answer = b""
        while part := client.recv(65536):
            answer += part
    window: Any = json.loads(answer or b"{}")
    if not window.get("class") and not window.get("pid"):
        return NO_APP
    executable = find_executable(window.get("pid") or 0)
    app_id = window.get("class") or ""
    return executable or app_id, app_id, window.get("title") or ""
