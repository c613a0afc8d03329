"""Reads the foreground app from Sway through its socket (sway-ipc(7))."""

import json
import socket
import struct
from typing import Any

from conductor.errors import ActionFailed
from conductor.system.foreground_socket import (
    connect_socket,
    receive_bytes,
    require_variable,
    wait_for_data,
)
from conductor.system.foreground_watch import NO_APP, AppNames, ReportApp, find_executable

_IPC_MAGIC = b"i3-ipc"
_IPC_HEADER = struct.Struct("=6sII")
_SUBSCRIBE, _GET_TREE = 2, 4
_WORKSPACE_EVENT, _WINDOW_EVENT = 0x80000000, 0x80000003


class SwaySource:
    """Reads the focused window from the layout tree of the Sway compositor."""

    name = "Sway"

    def get_unavailable_reason(self) -> str | None:
        try:
            with _connect_to_sway() as client:
                _request_focused_app(client)
        except (ActionFailed, OSError, ValueError, EOFError) as problem:
            return str(problem)
        return None

    def watch_foreground_app(self, report: ReportApp, wake: socket.socket) -> bool:
        """Report the focused window and each change of it, until stopped or disconnected.

        Returns True if the watcher was stopped, and False if Sway closed the connection.

        Raises:
            ActionFailed: Sway is not running.
        """
        with _connect_to_sway() as events, _connect_to_sway() as requests:
            try:
                _send_ipc_message(events, _SUBSCRIBE, b'["window", "workspace"]')
                _receive_ipc_message(events)
                report(_request_focused_app(requests))
                while wait_for_data(events, wake):
                    app = _read_event(*_receive_ipc_message(events))
                    report(_request_focused_app(requests) if app is None else app)
            except (OSError, EOFError):
                return False
        return True


def _connect_to_sway() -> socket.socket:
    return connect_socket(require_variable("SWAYSOCK"))


def _send_ipc_message(client: socket.socket, kind: int, payload: bytes = b"") -> None:
    client.sendall(_IPC_HEADER.pack(_IPC_MAGIC, len(payload), kind) + payload)


def _receive_ipc_message(client: socket.socket) -> tuple[int, Any]:
    magic, length, kind = _IPC_HEADER.unpack(_receive_exactly(client, _IPC_HEADER.size))
    if magic != _IPC_MAGIC:
        raise EOFError("the socket answered, but not with a message of Sway")
    return kind, json.loads(_receive_exactly(client, length))


def _receive_exactly(client: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        data += receive_bytes(client, count - len(data))
    return data


def _request_focused_app(client: socket.socket) -> AppNames:
    _send_ipc_message(client, _GET_TREE)
    return _find_focused_app(_receive_ipc_message(client)[1])


def _read_event(kind: int, event: Any) -> AppNames | None:
    """Return the foreground app that an event names, or None if the whole layout tree
    must be read to find it.
    """
    if kind == _WINDOW_EVENT:
        container = event["container"]
        if event["change"] in ("focus", "title") and container.get("focused"):
            return _describe_window(container)
    return None


def _find_focused_app(tree: Any) -> AppNames:
    node = _find_focused_node(tree)
    while node is not None and not node.get("pid"):
        # A container of several windows has the focus; its most recently focused
        # window is in the foreground.
        children = [*node["nodes"], *node["floating_nodes"]]
        first = next(iter(node["focus"]), None)
        node = next((child for child in children if child["id"] == first), None)
    return NO_APP if node is None else _describe_window(node)


def _find_focused_node(node: Any) -> Any:
    if node.get("focused"):
        return node
    for child in [*node["nodes"], *node["floating_nodes"]]:
        found = _find_focused_node(child)
        if found is not None:
            return found
    return None


def _describe_window(window: Any) -> AppNames:
    # X11 programs have a window class instead of an app id.
    app_id = window.get("app_id") or window.get("window_properties", {}).get("class") or ""
    executable = find_executable(window.get("pid") or 0)
    return executable or app_id, app_id, window.get("name") or ""
