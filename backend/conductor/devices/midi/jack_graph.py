"""Unblocks a synchronous JACK server that waits for killed clients of Conductor.

`jackd -S` makes every cycle wait until all clients have run. A killed client never runs again, and the server
waits ten times its `-t` for each killed client: 2 s at `-t 200`, 50 s at `-t 5000`. No program can play a sound
meanwhile. (Without `-S` the wait takes 11 to 17 ms, and this module does nothing.)

JACK 2 on Linux has a futex in shared memory for each client, `/dev/shm/jack_sem.<user>_<server>_<client>`. Its
value is 0 while the client waits for its turn, and 1 when its turn has come. The futex of `freewheel` signals
the end of the cycle. This module does what the dead client would have done at the end of its turn: it sets the
futex of `freewheel` and wakes the server. The measurements are in docs/adr/0019.
"""

import ctypes
import logging
import mmap
import os
import platform
import re
import sys
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from threading import Event
from typing import Any

from conductor.base.clock import now

log = logging.getLogger(__name__)

UNIX_SOCKET_TABLE = Path("/proc/net/unix")
SHARED_MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - JACK uses this folder
LISTENING_SOCKET_PATTERN = r"00010000 \d+ \d+ +"
"""Matches the flags, type and state of a listening socket in `UNIX_SOCKET_TABLE`; the inode follows."""
FUTEX_BYTES = 12
"""The size of JACK's `FutexData`: a value, three flags and a counter. The size depends on the JACK version."""
PRIVATE_FLAG_OFFSET = 4
"""The offset of a flag that is set if only the process of the server can wake the futex."""
END_OF_CYCLE_CLIENT = "freewheel"
FUTEX_WAKE = 1
FUTEX_SYSCALL_NUMBERS = {"x86_64": 202, "aarch64": 98, "riscv64": 98}
CLIENT_RELEASE_TIMEOUT_S = 6.0
"""Seconds to wait for the server to remove another dead client, before the release is abandoned. After the
turn of a dead client was ended, the server is silent for its `-t`, 0.5 s by default, and only then removes
the client."""
POLL_INTERVAL_S = 0.002
STALLED_AFTER_S = 0.05
"""Seconds without progress after which a client is assumed to have died during its turn, which its futex
does not show. This is longer than most JACK periods."""
SIGNAL_SAMPLE_COUNT = 10


def is_jack_server_running() -> bool:
    """Return whether a JACK server listens for clients. libjack would print to stderr if there is none."""
    name = rf"{LISTENING_SOCKET_PATTERN}\d+ \S*/jack_{re.escape(_get_server_name())}_\d+_0$"
    return re.search(name, _list_sockets(), re.MULTILINE) is not None


def release_dead_clients(client_name: str) -> int:
    """End the turns of dead clients until the JACK server has removed them, and return their number.

    The function can be called from any process and thread, and takes some milliseconds per client. The
    function does nothing on systems other than JACK 2 on Linux.
    """
    if sys.platform != "linux" or platform.machine() not in FUTEX_SYSCALL_NUMBERS:
        return 0
    dead = _find_dead_clients(client_name)
    if not dead:
        return 0
    try:
        end_of_cycle = ClientFutex(END_OF_CYCLE_CLIENT)
    except (OSError, ValueError) as error:
        log.warning("the JACK server may be waiting for clients that have died: %s", error)
        return 0
    with end_of_cycle:
        found = _release_clients(client_name, end_of_cycle, dead)
        end_of_cycle.clear_unused_signal()
    return len(found)


def _release_clients(
    client_name: str, end_of_cycle: "ClientFutex", dead: "_FutexFiles"
) -> set[str]:
    found = set(dead)
    pause = Event()
    signalled_at = removed_at = now()
    while dead and now() < removed_at + CLIENT_RELEASE_TIMEOUT_S:
        # A signal for a dead client proves that the cycle is stuck at this client. Without a signal, the
        # client may have died during its turn, or the cycle may be running; only time can tell which.
        if _clear_signals_for_dead_clients(dead) or now() > signalled_at + STALLED_AFTER_S:
            end_of_cycle.signal_client()
            signalled_at = now()
        pause.wait(POLL_INTERVAL_S)
        # A dead client stays dead, even if a client of the same name is about to appear at another server.
        remaining = (dead & _list_client_futexes(client_name)) | _find_dead_clients(client_name)
        if remaining != dead:
            signalled_at = removed_at = now()
        dead = remaining
        found |= dead
    if dead:
        log.warning(
            "the JACK server does not remove clients that have died; restart it if there is no sound"
        )
    return {client for client, _ in found}


def _clear_signals_for_dead_clients(dead: "_FutexFiles") -> bool:
    """Clear the signals for dead clients, and return whether any signal was set."""
    was_set = False
    for client, _ in dead:
        try:
            with ClientFutex(client) as futex:
                was_set |= futex.clear_signal()
        except (OSError, ValueError):
            # The server has removed the client since the files were listed.
            continue
    return was_set


_FutexFiles = set[tuple[str, int]]
"""The names of clients with the inodes of their futexes, which differ for a later client of the same name."""


def _find_dead_clients(client_name: str) -> _FutexFiles:
    """Return the clients of Conductor that the server still knows although their sockets are closed.

    The name of a socket does not show its server, so the sockets of each name are counted: with two servers, a
    client of the same name may be alive at the other server. If there are too few, the process of each socket
    shows its server. A client creates its socket before its futex, and removes the futex before the socket. If
    the futexes are the same before and after the sockets are read, no client that starts or exits meanwhile is
    mistaken for dead. If the futexes differ, the next call decides.
    """
    assert sys.platform != "win32"
    before = _list_futexes()
    sockets = _list_sockets()
    if not is_jack_server_running() or _list_futexes() != before:
        return set()
    user = os.getuid()

    def is_dead(client: str) -> bool:
        clients = sum(futex.endswith(f"_{client}") for futex, _ in before)
        name = rf" (\d+) \S*/jack_{re.escape(client)}_{user}_\d+$"
        living = re.findall(name, sockets, re.MULTILINE)
        if not living or len(living) >= clients:
            return len(living) < clients
        return not any(_is_socket_of_client(inode, client) for inode in living)

    return {known for known in _list_client_futexes(client_name) if is_dead(known[0])}


def _is_socket_of_client(inode: str, client: str) -> bool:
    """Return whether the process of a socket has mapped the futex of a client of the server.

    A process that cannot be read, such as that of another user, counts as one that has.
    """
    process = _find_process_of_socket(inode)
    futex = f"{SHARED_MEMORY_FOLDER}/{_build_futex_prefix()}{client}\n"
    try:
        return process is None or futex in Path(f"/proc/{process}/maps").read_text()
    except OSError:
        return True


@lru_cache(64)
def _find_process_of_socket(inode: str) -> str | None:
    socket = f"socket:[{inode}]"
    for process in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
        folder = f"/proc/{process}/fd/"
        # `Path` takes thirty times as long, while the MIDI server is waiting.
        with suppress(OSError):  # the process has just ended, or belongs to another user
            if any(os.readlink(folder + entry) == socket for entry in os.listdir(folder)):  # noqa: PTH115, PTH208
                return process
    return None


def _list_client_futexes(client_name: str) -> _FutexFiles:
    """Return the names and inodes of Conductor's clients that a JACK server still knows."""
    own = re.compile(rf"{re.escape(_build_futex_prefix())}({re.escape(client_name)}(?:-\d\d)?)")
    return {
        (found[1], inode) for futex, inode in _list_futexes() if (found := own.fullmatch(futex))
    }


def _list_futexes() -> _FutexFiles:
    """Return the file names and inodes of the futexes of all JACK servers of this user."""
    assert sys.platform != "win32"
    ours = f"jack_sem.{os.getuid()}_"
    with os.scandir(SHARED_MEMORY_FOLDER) as files:
        return {(file.name, file.inode()) for file in files if file.name.startswith(ours)}


class ClientFutex:
    """A futex in shared memory that signals the turn of one JACK client."""

    def __init__(self, client: str) -> None:
        with (SHARED_MEMORY_FOLDER / f"{_build_futex_prefix()}{client}").open("r+b") as file:
            if os.fstat(file.fileno()).st_size != FUTEX_BYTES:
                raise ValueError("unsupported JACK version")
            self._memory = mmap.mmap(file.fileno(), FUTEX_BYTES)
        if self._memory[PRIVATE_FLAG_OFFSET]:
            self._memory.close()
            raise ValueError("only the process of the JACK server can wake its clients")
        self._value = ctypes.c_int.from_buffer(self._memory)

    def __enter__(self) -> "ClientFutex":
        return self

    def __exit__(self, *_: object) -> None:
        del self._value  # the mapping cannot be closed while a pointer into it exists
        self._memory.close()

    @property
    def is_set(self) -> bool:
        return bool(self._value.value)

    def clear_signal(self) -> bool:
        """Clear the signal, and return whether it was set."""
        if not self.is_set:
            return False
        self._value.value = 0
        return True

    def signal_client(self) -> None:
        """Set the client's signal and wake the client, as the previous client in the cycle would do."""
        self._value.value = 1
        library: Any = ctypes.CDLL(None, use_errno=True)
        call = FUTEX_SYSCALL_NUMBERS[platform.machine()]
        library.syscall(call, ctypes.byref(self._value), FUTEX_WAKE, 1, None, None, 0)

    def clear_unused_signal(self) -> None:
        """Clear the signal if the server was not waiting for it.

        An unused signal would end each later cycle before the clients have run. The server clears an expected
        signal within microseconds, so a signal that is set in most samples is unused.
        """
        pause, spare = Event(), 0
        for _ in range(SIGNAL_SAMPLE_COUNT):
            spare += self.is_set
            pause.wait(POLL_INTERVAL_S)
        if spare > SIGNAL_SAMPLE_COUNT // 2:
            self.clear_signal()


def _build_futex_prefix() -> str:
    assert sys.platform != "win32"
    return f"jack_sem.{os.getuid()}_{_get_server_name()}_"


def _get_server_name() -> str:
    return os.environ.get("JACK_DEFAULT_SERVER", "default")


def _list_sockets() -> str:
    try:
        return UNIX_SOCKET_TABLE.read_text(errors="replace")
    except OSError:
        return ""
