"""Frees a synchronous JACK server from clients of ours that were killed.

`jackd -S` lets every cycle wait until all clients have run. One that was killed never runs again, and the
server waits ten times its `-t` for it, one dead client after the other: 2 s each at `-t 200`, 50 s each at
`-t 5000`, with no note and no sound for anybody meanwhile. (Without `-S` it takes 11 to 17 ms, and nothing is
done here.)

All clients of JACK 2 on Linux share one word of memory for each, `/dev/shm/jack_sem.<user>_<server>_<client>`:
0 while the client waits for its turn, 1 when its turn has come. The word of `freewheel` tells that the cycle
is over. What a dead client would have done at the end of its turn is done here in its place: that word is set,
and the server woken. Measured: docs/adr/0019.
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
"""In `UNIX_SOCKETS`: flags, type and state of a socket that waits for callers; the next is its inode."""
WORD_BYTES = 12
"""The size of JACK's `FutexData`: the word, three flags, a counter. Any other size is not what we know."""
IS_PRIVATE = 4
"""Where in it the flag is that nobody outside the server can wake it."""
END_OF_CYCLE = "freewheel"
FUTEX_WAKE = 1
FUTEX_CALL = {"x86_64": 202, "aarch64": 98, "riscv64": 98}
GIVE_UP_S = 1.0
LOOK_EVERY_S = 0.002
DIED_IN_ITS_TURN_S = 0.05
"""A client that was killed in the middle of its turn leaves no sign of it; longer than most periods."""
SAMPLES = 10


def jack_server() -> str | None:
    """Return an id of the running JACK server, different for each run; None when none runs.

    rtmidi does not notice when the server dies and then spins in `send_message`; and libjack
    prints to stderr when there is none. The list of listening sockets answers both questions.
    """
    found = re.search(
        rf"{LISTENING}(\d+) \S*/jack_{re.escape(_server_name())}_\d+_0$", _sockets(), re.MULTILINE
    )
    return found[1] if found else None


def release_dead_clients(client_name: str) -> int:
    """End the turns of our clients that died, until the server has removed them; return how many there were.

    For any process and thread; it takes some milliseconds for each client. Nothing is done for a server that
    is not JACK 2 on Linux.
    """
    if sys.platform != "linux" or platform.machine() not in FUTEX_CALL:
        return 0
    dead = _dead_clients(client_name)
    if not dead:
        return 0
    try:
        end_of_cycle = Word(END_OF_CYCLE)
    except (OSError, ValueError) as error:
        log.warning("a JACK server waits for clients that died: %s", error)
        return 0
    with end_of_cycle:
        seen = _release(client_name, end_of_cycle, dead)
        end_of_cycle.drop_spare_signal()
    return len(seen)


def _release(client_name: str, end_of_cycle: "Word", dead: set[str]) -> set[str]:
    seen = set(dead)
    pause = Event()
    started_at = changed_at = now()
    while dead and now() < started_at + GIVE_UP_S:
        if _take_turns(dead) or now() > changed_at + DIED_IN_ITS_TURN_S:
            end_of_cycle.signal()
            changed_at = now()
        pause.wait(LOOK_EVERY_S)
        still = _dead_clients(client_name)
        if still != dead:
            changed_at = now()
        dead = still
        seen |= dead
    return seen


def _take_turns(dead: set[str]) -> bool:
    """Clear the signals that wait for dead clients; return whether there was one.

    A turn of a dead client is proof that this cycle cannot end by itself.
    """
    taken = False
    for client in dead:
        try:
            with Word(client) as word:
                taken |= word.take()
        except (OSError, ValueError):  # the server has just removed it
            continue
    return taken


def _dead_clients(client_name: str) -> set[str]:
    """Return the clients of ours that the server knows and that have no socket any more.

    The names of sockets do not tell one server from another, so they are counted: with two servers a client of
    the same name may live at the other one.
    """
    sockets = _sockets()
    if jack_server() is None:
        return set()
    own = re.compile(rf"{re.escape(_prefix())}({re.escape(client_name)}(?:-\d\d)?)")
    words = [path.name for path in SHARED_MEMORY.iterdir()]
    known = {found[1] for word in words if (found := own.fullmatch(word))}
    user = os.getuid()
    ours = f"jack_sem.{user}_"

    def is_dead(name: str) -> bool:
        clients = sum(word.startswith(ours) and word.endswith(f"_{name}") for word in words)
        living = re.findall(rf"/jack_{re.escape(name)}_{user}_\d+$", sockets, re.MULTILINE)
        return len(living) < clients

    return {name for name in known if is_dead(name)}


class Word:
    """The word of one client in the memory that all clients share."""

    def __init__(self, client: str) -> None:
        with (SHARED_MEMORY / f"{_prefix()}{client}").open("r+b") as file:
            if os.fstat(file.fileno()).st_size != WORD_BYTES:
                raise ValueError("unsupported JACK version")
            self._memory = mmap.mmap(file.fileno(), WORD_BYTES)
        if self._memory[IS_PRIVATE]:
            self._memory.close()
            raise ValueError("nobody but the server can wake it")
        self._word = ctypes.c_int.from_buffer(self._memory)

    def __enter__(self) -> "Word":
        return self

    def __exit__(self, *_: object) -> None:
        del self._word  # the memory cannot be closed while it is pointed to
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
        """Set the signal and wake the client, as the client before it would."""
        self._word.value = 1
        library: Any = ctypes.CDLL(None, use_errno=True)
        call = FUTEX_CALL[platform.machine()]
        library.syscall(call, ctypes.byref(self._word), FUTEX_WAKE, 1, None, None, 0)

    def drop_spare_signal(self) -> None:
        """Clear a signal that the server did not wait for.

        It would end each later cycle before the clients have run. A signal that is waited for is gone within
        microseconds; a spare one is there nearly always.
        """
        pause, spare = Event(), 0
        for _ in range(SAMPLES):
            spare += self.is_set
            pause.wait(LOOK_EVERY_S)
        if spare > SAMPLES // 2:
            self.take()


def _prefix() -> str:
    return f"jack_sem.{os.getuid()}_{_server_name()}_"


def _server_name() -> str:
    return os.environ.get("JACK_DEFAULT_SERVER", "default")


def _sockets() -> str:
    try:
        return UNIX_SOCKETS.read_text(errors="replace")
    except OSError:
        return ""
