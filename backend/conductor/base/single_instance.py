"""One running Conductor per home folder, held by a lock that ends with the process, and its bell.

A second start rings the bell: the running Conductor then shows its window, or tells an address
of its page. The lock alone decides who runs; the bell is a socket of the same folder, answered by who
holds the lock.
"""

import json
import logging
import os
import secrets
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from conductor.errors import AlreadyRunning, NotAvailable

log = logging.getLogger(__name__)

BELL = "run/bell"
ANSWER_WITHIN_S = 30.0
SPEAK_WITHIN_S = 2.0
LONGEST_RING = 20_000
SESSION = (
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_TYPE",
    "XDG_CURRENT_DESKTOP",
    "DBUS_SESSION_BUS_ADDRESS",
)
"""What tells a program which screen to show itself on. One that was started without may need it."""
OnRing = Callable[[Mapping[str, str]], str | None]
"""The ringer's session -> None when the window is shown, else why not."""
OnPage = Callable[[], dict[str, str]]
"""Gives `address`, of the page in a browser, or `reason`, why there is none."""


class InstanceLock:
    """Taken at construction and kept until `release` or the end of the process.

    Raises:
        AlreadyRunning: another process holds it.
        NotAvailable: the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / "conductor.lock"
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise NotAvailable(
                f"the home folder {folder} cannot be written ({error.strerror});"
                " set CONDUCTOR_HOME to another"
            ) from None
        try:
            _lock(self._file)
        except OSError:
            other = (
                os.pread(self._file, 32, 0).decode(errors="replace").strip()
                if os.name == "posix"
                else ""
            )
            os.close(self._file)
            who = f" (process {other})" if other else ""
            raise AlreadyRunning(
                f"Conductor is already running here{who}; `conductor status` shows it"
            ) from None
        with suppress(OSError):  # a full disk: the number only helps to say who runs
            os.ftruncate(self._file, 0)
            os.write(self._file, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        os.close(self._file)


class Bell:
    """Listens for second starts on a thread of its own, until `close`. Only the lock's holder makes one."""

    def __init__(self, folder: Path, on_ring: OnRing, on_page: OnPage | None = None) -> None:
        self._path = folder / BELL
        self._on_ring = on_ring
        self._on_page = on_page
        self._path.parent.mkdir(mode=0o700, exist_ok=True)
        self._path.unlink(missing_ok=True)
        self._secret = secrets.token_hex(16)
        self._socket = self._listen()
        threading.Thread(target=self._serve, name="bell", daemon=True).start()

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._socket.close()

    def _listen(self) -> socket.socket:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.bind(("127.0.0.1", 0))
        listener.listen(4)
        place = {"port": listener.getsockname()[1], "token": self._secret}
        try:
            self._path.touch(0o600)
            self._path.write_text(json.dumps(place), encoding="utf-8")
        except OSError as error:
            log.warning(
                "%s cannot be written (%s), so a second start does not show the window;"
                " make room on its disk and start again",
                self._path,
                error.strerror,
            )
        return listener

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                try:
                    connection.settimeout(SPEAK_WITHIN_S)
                    self._answer(connection)
                except (OSError, ValueError, KeyError, TypeError) as error:
                    log.warning("somebody rang and was not understood: %s", error)

    def _answer(self, connection: socket.socket) -> None:
        ring = json.loads(connection.makefile("rb").readline(LONGEST_RING))
        if not secrets.compare_digest(str(ring["token"]).encode(), self._secret.encode()):
            return
        if self._on_page is not None and ring.get("wants") == "page":
            connection.sendall(json.dumps(self._on_page()).encode() + b"\n")
            return
        session = {name: str(ring["session"][name]) for name in SESSION if name in ring["session"]}
        reason = self._on_ring(session)
        connection.sendall(json.dumps({"reason": reason}).encode() + b"\n")


def ring(folder: Path) -> str | None:
    """Have the running Conductor show its window; None when it does, else why it does not.

    Raises:
        AlreadyRunning: one runs, and does not answer.
    """
    session = {name: os.environ[name] for name in SESSION if name in os.environ}
    return _asked(folder, "show its window", session=session)["reason"]


def page_address(folder: Path) -> str:
    """Give a new address of the running Conductor's page, which opens it once in a browser.

    Raises:
        NotAvailable: it cannot serve the page; says why.
        AlreadyRunning: one runs, and does not answer.
    """
    answer = _asked(folder, "give an address of its page", wants="page")
    if "address" not in answer:
        raise NotAvailable(answer["reason"])
    return answer["address"]


def _asked(folder: Path, what: str, **message: Any) -> dict[str, Any]:
    try:
        place = json.loads((folder / BELL).read_text(encoding="utf-8"))
        message["token"] = place["token"]
        with socket.create_connection(("127.0.0.1", place["port"]), ANSWER_WITHIN_S) as line:
            line.sendall(json.dumps(message).encode() + b"\n")
            answer = json.loads(line.makefile("rb").readline())
            return {name: answer[name] for name in ("reason", "address") if name in answer}
    except (OSError, ValueError, KeyError, TypeError):
        raise AlreadyRunning(
            f"Conductor is already running here and does not {what}; `conductor status` tells more"
        ) from None


def _lock(file: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
