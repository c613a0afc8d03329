"""Unblocks a synchronous JACK server that waits for killed clients of Conductor.

`jackd -S` makes every cycle wait until all clients have run. A killed client never runs again, and the server
waits ten times its `-t` for it, one dead client after the other: 2 s each at `-t 200`, 50 s each at `-t 5000`,
without any sound for any program meanwhile. (Without `-S` it takes 11 to 17 ms, and nothing is done here.)

JACK 2 on Linux has one word of shared memory for each client, `/dev/shm/jack_sem.<user>_<server>_<client>`: 0
while the client waits for its turn, 1 when its turn has come. The word of `freewheel` signals the end of the
cycle. This module does what the dead client would have done at the end of its turn: it sets that word and wakes
the server. Measurements: docs/adr/0019.
"""

import ctypes
import logging
import mmap
import os
import platform
import re
import sys
from pathlib import Path
from threading import Event
from typing import Any

from conductor.base.clock import now

log = logging.getLogger(__name__)

UNIX_SOCKETS = Path("/proc/net/unix")
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - where JACK has it
LISTENING = r"00010000 \d+ \d+ +"
"""In `UNIX_SOCKETS`, the flags, type and state of a listening socket; its inode follows."""
WORD_BYTES = 12
"""The size of JACK's `FutexData`: the word, three flags, a counter. Another size means an unknown version."""
IS_PRIVATE = 4
"""The offset of the flag that only the server's own process can wake the word."""
END_OF_CYCLE = "freewheel"
FUTEX_WAKE = 1
FUTEX_CALL = {"x86_64": 202, "aarch64": 98, "riscv64": 98}
GIVE_UP_S = 6.0
"""After this time without a removed client, the server is left alone. When a turn was ended for a dead client,
the server plays nothing for its whole `-t` and only then removes that client; `-t` is 0.5 s by default."""
LOOK_EVERY_S = 0.002
DIED_IN_ITS_TURN_S = 0.05
"""After this time without progress, a client is assumed to have been killed during its turn, which leaves no
trace in its word. Longer than most periods."""
SAMPLES = 10


def identify_jack_server() -> str | None:
    """Return an id of the running JACK server, different for each run; None when none is running.

    It is read from the list of listening sockets, because rtmidi does not notice when the server dies and then
    spins in `send_message`, and libjack prints to stderr when there is no server.
    """
    found = re.search(
        rf"{LISTENING}(\d+) \S*/jack_{re.escape(_get_server_name())}_\d+_0$",
        _list_sockets(),
        re.MULTILINE,
    )
    return found[1] if found else None


def release_dead_clients(client_name: str) -> int:
    """End the turns of dead clients until the server has removed them; return how many there were.

    May be called from any process and thread, and takes some milliseconds per client. Does nothing for a server
    other than JACK 2 on Linux.
    """
    if sys.platform != "linux" or platform.machine() not in FUTEX_CALL:
        return 0
    dead = _find_dead_clients(client_name)
    if not dead:
        return 0
    try:
        end_of_cycle = SignalWord(END_OF_CYCLE)
    except (OSError, ValueError) as error:
        log.warning("the JACK server may be waiting for clients that died: %s", error)
        return 0
    with end_of_cycle:
        seen = _release(client_name, end_of_cycle, dead)
        end_of_cycle.drop_spare_signal()
    return len(seen)


def _release(client_name: str, end_of_cycle: "SignalWord", dead: "_Words") -> set[str]:
    seen = set(dead)
    pause = Event()
    signalled_at = removed_at = now()
    while dead and now() < removed_at + GIVE_UP_S:
        # A signal that waits for a dead client proves that the cycle is stuck there. Without one the
        # client may have died during its turn, or the cycle may be running: only time distinguishes them.
        if _clear_dead_signals(dead) or now() > signalled_at + DIED_IN_ITS_TURN_S:
            end_of_cycle.signal()
            signalled_at = now()
        pause.wait(LOOK_EVERY_S)
        # A client that is dead remains so, even if one of the same name is about to appear at another server.
        remaining = (dead & _find_client_words(client_name)) | _find_dead_clients(client_name)
        if remaining != dead:
            signalled_at = removed_at = now()
        dead = remaining
        seen |= dead
    if dead:
        log.warning("the JACK server does not remove clients that died; restart it if it is silent")
    return {client for client, _ in seen}


def _clear_dead_signals(dead: "_Words") -> bool:
    """Clear the signals that wait for dead clients; return whether there was any."""
    taken = False
    for client, _ in dead:
        try:
            with SignalWord(client) as word:
                taken |= word.take()
        except (OSError, ValueError):  # the server has just removed it
            continue
    return taken


_Words = set[tuple[str, int]]
"""Clients, each with the inode of its word: the next client of this name has another one."""


def _find_dead_clients(client_name: str) -> _Words:
    """Return the clients of Conductor that the server still knows but whose sockets are gone.

    A socket's name does not show its server, so the sockets of each name are counted: with two servers, a
    client of the same name may be alive at the other one. A client has its socket before its word and loses its
    word before its socket. So a client that comes or goes meanwhile is not taken for dead if the words are the
    same before and after the sockets are read; if they are not, the next look will tell.
    """
    before = _list_all_words()
    sockets = _list_sockets()
    if identify_jack_server() is None or _list_all_words() != before:
        return set()
    user = os.getuid()

    def is_dead(client: str) -> bool:
        clients = sum(word.endswith(f"_{client}") for word, _ in before)
        living = re.findall(rf"/jack_{re.escape(client)}_{user}_\d+$", sockets, re.MULTILINE)
        return len(living) < clients

    return {known for known in _find_client_words(client_name) if is_dead(known[0])}


def _find_client_words(client_name: str) -> _Words:
    """Return the clients of Conductor that this server knows."""
    own = re.compile(rf"{re.escape(_build_word_prefix())}({re.escape(client_name)}(?:-\d\d)?)")
    return {
        (found[1], inode) for word, inode in _list_all_words() if (found := own.fullmatch(word))
    }


def _list_all_words() -> _Words:
    """Return the names and inodes of the words of all servers of this user."""
    ours = f"jack_sem.{os.getuid()}_"
    with os.scandir(SHARED_MEMORY) as files:
        return {(file.name, file.inode()) for file in files if file.name.startswith(ours)}


class SignalWord:
    """The shared-memory word that signals one client's turn."""

    def __init__(self, client: str) -> None:
        with (SHARED_MEMORY / f"{_build_word_prefix()}{client}").open("r+b") as file:
            if os.fstat(file.fileno()).st_size != WORD_BYTES:
                raise ValueError("unsupported JACK version")
            self._memory = mmap.mmap(file.fileno(), WORD_BYTES)
        if self._memory[IS_PRIVATE]:
            self._memory.close()
            raise ValueError("only the server's own process can wake it")
        self._word = ctypes.c_int.from_buffer(self._memory)

    def __enter__(self) -> "SignalWord":
        return self

    def __exit__(self, *_: object) -> None:
        del self._word  # the mapping cannot be closed while a pointer into it exists
        self._memory.close()

    @property
    def is_set(self) -> bool:
        return bool(self._word.value)

    def take(self) -> bool:
        """Clear the signal if it is set; return whether it was."""
        if not self.is_set:
            return False
        self._word.value = 0
        return True

    def signal(self) -> None:
        """Set the signal and wake the client, as the previous client in the cycle would."""
        self._word.value = 1
        library: Any = ctypes.CDLL(None, use_errno=True)
        call = FUTEX_CALL[platform.machine()]
        library.syscall(call, ctypes.byref(self._word), FUTEX_WAKE, 1, None, None, 0)

    def drop_spare_signal(self) -> None:
        """Clear a signal that the server was not waiting for.

        Such a signal would end each later cycle before the clients have run. A signal that the server waits
        for disappears within microseconds, so one that is seen in most samples is superfluous.
        """
        pause, spare = Event(), 0
        for _ in range(SAMPLES):
            spare += self.is_set
            pause.wait(LOOK_EVERY_S)
        if spare > SAMPLES // 2:
            self.take()


def _build_word_prefix() -> str:
    return f"jack_sem.{os.getuid()}_{_get_server_name()}_"


def _get_server_name() -> str:
    return os.environ.get("JACK_DEFAULT_SERVER", "default")


def _list_sockets() -> str:
    try:
        return UNIX_SOCKETS.read_text(errors="replace")
    except OSError:
        return ""
