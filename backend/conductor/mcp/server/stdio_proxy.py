"""`conductor mcp`: carries bytes between an agent's stdio and the running Conductor's socket.

Of libraries only the standard one, so that the first answer comes before an agent grows impatient. It
knows nothing of the protocol: every version and extension passes through. If no Conductor runs, it starts
one without a window; if that fails too, it answers the first request with the reason and ends.
"""

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

from conductor.base.program import command

START_WITHIN_S = 25.0
TRY_EVERY_S = 0.05
PIECE_BYTES = 65_536
NOT_RUNNING = -32000


def main(arguments: list[str]) -> int:
    """Pump until both ends are done; 1 when there is nothing to talk to, or it went away."""
    connection = _connect_anywhere()
    if connection is None and "--no-start" not in arguments:
        connection = start()
    if connection is None:
        return _refuse(_paths()[0])
    sent_all = threading.Event()
    threading.Thread(
        target=_to_socket, args=(connection, sent_all), name="stdin", daemon=True
    ).start()
    _to_stdout(connection)
    if not sent_all.is_set():
        sys.stderr.write("conductor mcp: Conductor ended or hung up; start this again\n")
        return 1
    return 0


def _paths() -> list[Path]:
    """Return where the socket may be: in the home folder, or where the config puts it."""
    folder = Path(os.environ.get("CONDUCTOR_HOME") or Path.home() / ".conductor").expanduser()
    paths = [folder / "mcp.sock"]
    try:
        text = (folder / "config.toml").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return paths
    if "socket_path" in text:
        import tomllib

        try:
            wanted = tomllib.loads(text)["llm"]["mcp"]["socket_path"]
            paths.insert(0, Path(wanted).expanduser())
        except (ValueError, KeyError, TypeError):
            return paths
    return paths


def _connect_anywhere() -> socket.socket | None:
    return next(filter(None, map(_connect, _paths())), None)


def _connect(path: Path) -> socket.socket | None:
    """Return a connection, or None when nobody listens."""
    try:
        if hasattr(socket, "AF_UNIX"):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(os.fspath(path))
            return connection
        place = json.loads(path.read_text(encoding="utf-8"))
        connection = socket.create_connection(("127.0.0.1", place["port"]))
        connection.sendall(place["token"].encode() + b"\n")
    except (OSError, ValueError, KeyError):
        return None
    return connection


def start() -> socket.socket | None:
    """Start a Conductor of its own life, and wait until it answers."""
    subprocess.Popen(
        [*command(), "run", "--headless", "--quiet"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    pause = threading.Event()
    for _ in range(round(START_WITHIN_S / TRY_EVERY_S)):
        connection = _connect_anywhere()
        if connection is not None:
            return connection
        pause.wait(TRY_EVERY_S)
    return None


def _to_socket(connection: socket.socket, sent_all: threading.Event) -> None:
    try:
        while piece := os.read(0, PIECE_BYTES):
            connection.sendall(piece)
        sent_all.set()
        connection.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def _to_stdout(connection: socket.socket) -> None:
    try:
        while piece := connection.recv(PIECE_BYTES):
            while piece:
                piece = piece[os.write(1, piece) :]
    except OSError:
        pass


def _refuse(path: Path) -> int:
    """Answer the first request with what to do."""
    text = f"Conductor is not running (nobody answers at {path}); try `conductor run`"
    sys.stderr.write(f"conductor mcp: {text}\n")
    try:
        number = json.loads(sys.stdin.readline()).get("id")
    except (ValueError, AttributeError):
        number = None
    error = {"code": NOT_RUNNING, "message": text, "data": {"kind": "not_running"}}
    os.write(1, json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode() + b"\n")
    return 1
