"""`conductor mcp`: copies bytes between an agent's stdio and the running Conductor's socket.

Only the standard library is imported, so that the first answer arrives before an agent times out. The proxy
does not parse messages, so every version and extension of the protocol passes through. If Conductor does
not run, the proxy starts it without a window. If that fails too, the proxy answers the first request with
the reason and exits.
"""

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

from conductor.base.program import build_command

CONDUCTOR_START_TIMEOUT_S = 25.0
CONNECT_RETRY_INTERVAL_S = 0.05
COPY_CHUNK_BYTES = 65_536
NOT_RUNNING_ERROR_CODE = -32000


def main(arguments: list[str]) -> int:
    """Copy bytes in both directions until both sides have closed.

    Return 1 if Conductor cannot be reached or ends.
    """
    connection = _connect_to_conductor()
    if connection is None and "--no-start" not in arguments:
        connection = start_conductor()
    if connection is None:
        return _answer_with_error(_list_socket_paths()[0])
    sent_all = threading.Event()
    # a daemon thread, because reading stdin cannot be interrupted and must not keep the process
    # when Conductor has ended
    threading.Thread(
        target=_copy_to_socket, args=(connection, sent_all), name="stdin", daemon=True
    ).start()
    _copy_to_stdout(connection)
    if not sent_all.is_set():
        sys.stderr.write(
            "conductor mcp: Conductor has ended or closed the connection; restart this command\n"
        )
        return 1
    return 0


def _list_socket_paths() -> list[Path]:
    """Return the possible paths of the socket, the configured path first."""
    folder = Path(os.environ.get("CONDUCTOR_HOME") or Path.home() / ".conductor").expanduser()
    paths = [folder / "mcp.sock"]
    try:
        text = (folder / "config.toml").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return paths
    if "socket_path" in text:
        # imported only if needed, because the import takes milliseconds of the start
        import tomllib

        try:
            configured = tomllib.loads(text)["llm"]["mcp"]["socket_path"]
            paths.insert(0, Path(configured).expanduser())
        except (ValueError, KeyError, TypeError):
            return paths
    return paths


def _connect_to_conductor() -> socket.socket | None:
    return next(filter(None, map(_connect_to_socket, _list_socket_paths())), None)


def _connect_to_socket(path: Path) -> socket.socket | None:
    """Connect to the socket at a path. Return None if nothing listens there."""
    try:
        if sys.platform != "win32":
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(os.fspath(path))
            return connection
        address = json.loads(path.read_text(encoding="utf-8"))  # `listener.py` wrote this file
        connection = socket.create_connection(("127.0.0.1", address["port"]))
        connection.sendall(address["token"].encode() + b"\n")
    except (OSError, ValueError, KeyError):
        return None
    return connection


def start_conductor() -> socket.socket | None:
    """Start Conductor as a process that outlives this one, and connect to its socket.

    Return None if Conductor cannot be reached within `CONDUCTOR_START_TIMEOUT_S`.
    """
    subprocess.Popen(
        [*build_command(), "run", "--headless", "--quiet"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    pause = threading.Event()
    for _ in range(round(CONDUCTOR_START_TIMEOUT_S / CONNECT_RETRY_INTERVAL_S)):
        connection = _connect_to_conductor()
        if connection is not None:
            return connection
        pause.wait(CONNECT_RETRY_INTERVAL_S)
    return None


def _copy_to_socket(connection: socket.socket, sent_all: threading.Event) -> None:
    try:
        # `os.read` instead of `sys.stdin`, because a buffered reader would wait for a full buffer
        while chunk := os.read(0, COPY_CHUNK_BYTES):
            connection.sendall(chunk)
        # set before the shutdown, because Conductor may close the connection at any time after it
        sent_all.set()
        connection.shutdown(socket.SHUT_WR)  # the answers to what was sent still arrive
    except OSError:
        pass  # Conductor has ended, and `_copy_to_stdout` ends as well


def _copy_to_stdout(connection: socket.socket) -> None:
    try:
        while chunk := connection.recv(COPY_CHUNK_BYTES):
            while chunk:  # a pipe may accept only a part of the bytes
                chunk = chunk[os.write(1, chunk) :]
    except OSError:
        pass  # the agent has closed its pipe, or Conductor was killed


def _answer_with_error(path: Path) -> int:
    """Answer the first request with an error that explains what to do, and return the exit code."""
    text = f"Conductor is not running (nothing listens at {path}); try `conductor run`"
    sys.stderr.write(f"conductor mcp: {text}\n")
    try:
        number = json.loads(sys.stdin.readline()).get("id")
    except (ValueError, AttributeError):
        number = None
    error = {"code": NOT_RUNNING_ERROR_CODE, "message": text, "data": {"kind": "not_running"}}
    os.write(1, json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode() + b"\n")
    return 1
