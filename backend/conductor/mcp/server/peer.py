"""Identifies the process at the other end of the socket by what the operating system reports about it."""

import hashlib
import itertools
import os
import socket
import struct
import sys
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

_CREDENTIALS_STRUCT = struct.Struct("3i")
_PARENT_FIELD, _TTY_FIELD = 1, 4
"""The numbers of fields in /proc/<pid>/stat, counted from the state, which follows the name of the process
in brackets.
"""
_CODE_INJECTION_VARIABLES = ("PYTHONPATH", "PYTHONHOME", "LD_PRELOAD", "LD_AUDIT")
COMMAND_DIGEST_LENGTH = 16
_PACKAGE_FOLDER = Path(__file__).parents[1]
_connection_numbers = itertools.count(1)


class Peer(NamedTuple):
    """The process at the other end of a connection, as it was when it connected."""

    uid: int
    pid: int
    executable: str | None
    command: tuple[str, ...]
    connection: int = 0
    """The number of the connection, which no other connection of any process has."""
    program: str | None = None
    """A digest of the command line."""
    folder: str | None = None
    """The working directory."""


def read_peer(connection: socket.socket | None) -> Peer | None:
    """Return the process at the other end of a connection, or None if the system does not report it."""
    if sys.platform == "win32":
        return None
    option: int | None = getattr(socket, "SO_PEERCRED", None)
    if connection is None or option is None or connection.family != socket.AF_UNIX:
        return None
    try:
        raw = connection.getsockopt(socket.SOL_SOCKET, option, _CREDENTIALS_STRUCT.size)
    except OSError:
        return None
    pid, uid, _ = _CREDENTIALS_STRUCT.unpack(raw)
    return read_peer_process(pid, uid)


def read_peer_process(pid: int, uid: int) -> Peer:
    """Return what the system reports about a process that has just connected."""
    command = _read_command_line(pid)
    number, program = next(_connection_numbers), _digest_command(command)
    return Peer(
        uid, pid, _read_executable(pid), command, number, program, _read_working_folder(pid)
    )


def is_same_user(peer: Peer | None) -> bool:
    """Return whether the process belongs to the same user as Conductor.

    An unknown process counts as the same user, because the file mode or the token has already been checked.
    """
    return sys.platform == "win32" or peer is None or peer.uid == os.getuid()


def is_this_program(peer: Peer | None) -> bool:
    """Return whether the process is the `conductor` command of this installation."""
    return read_own_arguments(peer) is not None


@lru_cache(maxsize=256)
def read_own_arguments(peer: Peer | None) -> tuple[str, ...] | None:
    """Return the arguments of a `conductor` process, or None if it is another program.

    The result is cached, because a `Peer` never changes.
    """
    if peer is None or peer.executable != _read_executable(os.getpid()):
        return None
    if getattr(sys, "frozen", False):
        return peer.command[1:]
    if peer.command[1:3] == ("-m", "conductor"):
        return peer.command[3:]
    return peer.command[2:] if _runs_own_script(peer) else None


def _runs_own_script(peer: Peer) -> bool:
    """Return whether the process runs the `conductor` script of this installation, by whatever path.

    The kernel passes the path of a `#!` script as it was typed, which may be relative or a symbolic link.
    Resolved paths are compared instead of inodes, because for a hard link, Python would load the modules
    beside the link.
    """
    if len(peer.command) < 2:
        return False
    script = Path(peer.command[1])
    if not script.is_absolute() and peer.folder is None:
        return False
    try:
        resolved = Path(peer.folder or "/", script).resolve(strict=True)
        return resolved == (Path(sys.executable).parent / "conductor").resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        return False


def is_at_terminal(peer: Peer | None) -> bool:
    """Return whether the process still runs and has a controlling terminal."""
    return peer is not None and _read_stat_fields(peer.pid, _TTY_FIELD) not in (None, "0")


def find_foreign_code(peer: Peer) -> str | None:
    """Return how the process may run code that is not Conductor's, or None if there is no sign of it.

    A process can hide these signs after its start, so None does not prove that it is genuine.
    """
    environment = _read_environment(peer.pid)
    for name in _CODE_INJECTION_VARIABLES:
        value = environment.get(name, "")
        if value and value != os.environ.get(name):
            return f"{name} is set"
    folder = Path(f"/proc/{peer.pid}/cwd")
    is_module = peer.command[1:3] == ("-m", "conductor")
    if is_module and _has_shadowing_module(folder):
        return "its folder contains another `conductor`"
    if not is_module and _has_changed_folder(peer, environment.get("PWD")):
        return "its working directory has changed since it was started"
    return None


def _has_changed_folder(peer: Peer, start_folder: str | None) -> bool:
    """Return whether the process has changed its folder since its relative script path was resolved."""
    is_relative = len(peer.command) > 1 and not Path(peer.command[1]).is_absolute()
    if not is_relative or start_folder is None or peer.folder is None:
        return False
    try:
        return not Path(start_folder).samefile(peer.folder)
    except OSError:
        return True


def _has_shadowing_module(folder: Path) -> bool:
    try:
        names = {path.name.split(".")[0]: path for path in folder.iterdir()}
        return "conductor" in names and not names["conductor"].samefile(_PACKAGE_FOLDER)
    except OSError:
        return False


def _read_environment(pid: int) -> dict[str, str]:
    try:
        raw = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return {}
    pairs = [part.decode(errors="replace").partition("=") for part in raw.split(b"\0")]
    return {name: value for name, _, value in pairs}


def read_parent(peer: Peer) -> Peer:
    """Return the parent process. Its command line is left out, so that it never counts as `conductor`."""
    pid = int(_read_stat_fields(peer.pid, _PARENT_FIELD) or peer.pid)
    return Peer(
        peer.uid, pid, _read_executable(pid), (), program=_digest_command(_read_command_line(pid))
    )


def _digest_command(command: tuple[str, ...]) -> str | None:
    """Return a digest that distinguishes the scripts of an interpreter without revealing their arguments."""
    if not command:
        return None
    return hashlib.sha256("\0".join(command).encode(errors="replace")).hexdigest()[
        :COMMAND_DIGEST_LENGTH
    ]


def _read_stat_fields(pid: int, field: int) -> str | None:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[field]
    except (OSError, IndexError):
        return None


def _read_working_folder(pid: int) -> str | None:
    try:
        return str(Path(f"/proc/{pid}/cwd").readlink())
    except OSError:
        return None


def _read_executable(pid: int) -> str | None:
    try:
        return str(Path(f"/proc/{pid}/exe").readlink())
    except OSError:
        return None


def _read_command_line(pid: int) -> tuple[str, ...]:
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return ()
    return tuple(part.decode(errors="replace") for part in raw.rstrip(b"\0").split(b"\0"))
