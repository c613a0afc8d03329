"""Identifies the process at the other end of a loopback TCP connection, as `peer.py` does for the socket.

TCP does not report the process of the other side. On Linux, `/proc/net/tcp` lists the inode of the client's
socket, and the process that has this socket open is the client. On other systems, and if it belongs to
another user, the client is unknown.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from conductor.mcp.server.peer import Peer, read_peer_process

_SOCKET_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
"""The tables of IPv4 and IPv6 sockets. The latter lists dual-stack sockets, such as those of Java programs."""
_LOCAL_COLUMN, _REMOTE_COLUMN, _STATE_COLUMN, _UID_COLUMN, _INODE_COLUMN = 1, 2, 3, 7, 9
"""The numbers of columns in `/proc/net/tcp`."""
_ESTABLISHED_STATE, _LISTENING_STATE = "01", "0A"
_START_TIME_FIELD = 19
"""The number of the start time in /proc/<pid>/stat, counted from the field of the state."""

Address = tuple[str, int]


def read_tcp_peer(client: Address, server: Address) -> Peer | None:
    """Return the process that opened a loopback connection, or None if the system does not report it."""
    if sys.platform != "linux":
        return None
    found = _find_inode(client, server)
    if found is None:
        return None
    uid, inode = found
    owners = sorted(_find_socket_owners(inode, uid), key=_read_start_time)
    # a child may inherit the connection, so the oldest process is the one that opened it
    return read_peer_process(owners[0], uid) if owners else None


def owns_loopback_port(pid: int, port: int) -> bool:
    """Return whether a process listens on a TCP port of this computer, and no other process does.

    The result is false if the system does not report it.
    """
    if sys.platform != "linux":
        return False
    suffix = f":{port:04X}"
    rows = [
        columns
        for table in _SOCKET_TABLES
        for columns in _read_socket_table(Path(table))
        if columns[_STATE_COLUMN] == _LISTENING_STATE and columns[_LOCAL_COLUMN].endswith(suffix)
    ]
    sockets = {f"socket:[{columns[_INODE_COLUMN]}]" for columns in rows}
    folder = f"/proc/{pid}/fd"
    try:
        opened = {_read_link(f"{folder}/{file}") for file in os.listdir(folder)}  # noqa: PTH208
    except OSError:  # the process has ended, or may not be read
        return False
    return bool(sockets) and sockets <= opened


def _find_inode(client: Address, server: Address) -> tuple[int, int] | None:
    """Return the user id and the inode of the client's socket, or None if it is not listed."""
    here, there = _format_address(client), _format_address(server)
    for table in _SOCKET_TABLES:
        for columns in _read_socket_table(Path(table)):
            # the last 8 digits of an address in the IPv6 table are the IPv4 address
            ends = (columns[_LOCAL_COLUMN][-13:], columns[_REMOTE_COLUMN][-13:])
            if ends == (here, there) and columns[_STATE_COLUMN] == _ESTABLISHED_STATE:
                return int(columns[_UID_COLUMN]), int(columns[_INODE_COLUMN])
    return None


def _read_socket_table(table: Path) -> Iterator[list[str]]:
    try:
        lines = table.read_text().splitlines()[1:]
    except OSError:  # IPv6 is switched off
        return
    yield from (line.split() for line in lines)


def _format_address(address: Address) -> str:
    """Return an IPv4 address and a port as the kernel writes them: in hexadecimal and in native byte order."""
    host, port = address
    number = int.from_bytes(bytes(int(part) for part in host.split(".")), sys.byteorder)
    return f"{number:08X}:{port:04X}"


def _find_socket_owners(inode: int, uid: int) -> Iterator[int]:
    """Yield the ids of a user's processes that have the socket with this inode open.

    `os` is used, because `pathlib` takes several times as long for the open files of a whole desktop
    session.
    """
    socket_link = f"socket:[{inode}]"
    for name in os.listdir("/proc"):  # noqa: PTH208
        with suppress(OSError):  # the process has ended, or may not be read
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == uid:  # noqa: PTH116
                folder = f"/proc/{name}/fd"
                files = os.listdir(folder)  # noqa: PTH208
                if any(_read_link(f"{folder}/{file}") == socket_link for file in files):
                    yield int(name)


def _read_link(path: str) -> str | None:
    try:
        return os.readlink(path)  # noqa: PTH115
    except OSError:  # the file was closed in the meantime
        return None


def _read_start_time(pid: int) -> int:
    try:
        return int(
            Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[_START_TIME_FIELD]
        )
    except (OSError, IndexError):
        return sys.maxsize
