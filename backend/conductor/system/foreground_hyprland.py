"""Reads the foreground app from Hyprland through its sockets (https://wiki.hypr.land/IPC/)."""

import json
import os
import socket
from pathlib import Path
from typing import Any

from conductor.errors import ActionFailed
from conductor.system.foreground_watch import NO_APP, App, Report, find_executable, wait_for_data

_CHANGES = (b"activewindow>>", b"windowtitle>>", b"closewindow>>")
_ANSWER_TIMEOUT_S = 2.0


class HyprlandSource:
    """Reads the active window from the Hyprland compositor."""

    name = "Hyprland"

    def why_unavailable(self) -> str | None:
        try:
            _request_app()
        except (ActionFailed, OSError, ValueError) as problem:
            return str(problem)
        return None

    def watch(self, report: Report, wake: socket.socket) -> bool:
        """Report the active window. Return True when stopped, or False when Hyprland closed the connection.

        Raises:
            ActionFailed: Hyprland is not running.
        """
        with _connect(".socket2.sock") as events:
            rest = b""
            try:
                report(_request_app())
                while wait_for_data(events, wake):
                    data = events.recv(65536)
                    if not data:
                        return False
                    *lines, rest = (rest + data).split(b"\n")
                    if any(line.startswith(_CHANGES) for line in lines):
                        report(_request_app())
            except (OSError, ActionFailed):
                return False
        return True


def _connect(name: str) -> socket.socket:
    signature = os.environ.get("HYPRLAND_INSTANCE_SIGNATURE", "")
    if not signature:
        raise ActionFailed("not running (HYPRLAND_INSTANCE_SIGNATURE is not set)")
    path = Path(os.environ.get("XDG_RUNTIME_DIR", "")) / "hypr" / signature / name
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(_ANSWER_TIMEOUT_S)
    try:
        client.connect(str(path))
    except OSError as problem:
        client.close()
        raise ActionFailed(f"{path} cannot be reached ({problem})") from problem
    return client


def _request_app() -> App:
    """Request the active window over a new connection, because Hyprland answers one request per connection."""
    with _connect(".socket.sock") as client:
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
