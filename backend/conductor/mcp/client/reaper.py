"""The parent of somebody else's server: ends it, with all that it started, when the app says so or is gone.

Run as a program of its own with nothing but the standard library: it starts in milliseconds, and whatever
kills the app, the pipe from it closes. On Linux it inherits the orphans of the server, so that a child in a
session of its own is found too.
"""

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

GRACE_S = 2.0
LOOK_S = 0.2
"""Between two looks for who is left, unless somebody ends: a look reads all of /proc."""
STEP_S = 0.02
ROUNDS = 50
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def main(arguments: list[str]) -> int:
    """Start the server that the control pipe names, and stay until it has ended."""
    control = int(arguments[0])
    with os.fdopen(os.dup(control), "rb") as spoken:
        order = json.loads(spoken.readline())
    woken = _wake_up_on(signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    try:
        server = _started(order)
    except (OSError, ValueError) as error:
        print(f"{order['argv'][0]} cannot be started: {error}", file=sys.stderr)  # noqa: T201
        return 127
    _let_go_of_its_pipes()
    _wait(server, control, woken)
    _end(server, woken)
    return 128 - server.returncode if (server.returncode or 0) < 0 else server.returncode or 0


def _started(order: dict[str, Any]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        order["argv"],
        cwd=order["cwd"],
        env=order["env"],
        start_new_session=True,
        preexec_fn=lambda: _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL),  # noqa: PLW1509 - no thread here
    )


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _wake_up_on(*numbers: int) -> int:
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    signal.set_wakeup_fd(writes, warn_on_full_buffer=False)
    for number in numbers:
        signal.signal(number, _noted)
    return reads


def _noted(_number: int, _frame: object) -> None:
    """Leave it at the byte in the pipe."""


def _let_go_of_its_pipes() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)


def _wait(server: "subprocess.Popen[bytes]", control: int, woken: int) -> None:
    """Wait until the server ends, somebody ends this process, or the app says `end` or is gone."""
    while server.poll() is None:
        ready, _, _ = select.select([control, woken], [], [])
        if control in ready:
            return
        asked_to = set(os.read(woken, 512)) - {signal.SIGCHLD}
        if asked_to:
            return


def _end(server: "subprocess.Popen[bytes]", woken: int) -> None:
    """Ask the server and all that it started to end; kill who does not."""
    _signal_all(server.pid, signal.SIGTERM)
    until = time.monotonic() + GRACE_S
    while time.monotonic() < until:
        _reap(server)
        if server.returncode is not None and not any(_others()):
            return
        if select.select([woken], [], [], LOOK_S)[0]:
            os.read(woken, 512)
            select.select([], [], [], STEP_S)  # they end one after the other
    for _ in range(ROUNDS):  # they may start others meanwhile
        _signal_all(server.pid, signal.SIGKILL)
        select.select([], [], [], STEP_S)
        _reap(server)
        if server.returncode is not None and not any(_others()):
            return


def _signal_all(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
    for other in _others():
        with suppress(ProcessLookupError, PermissionError):
            os.kill(other, number)


def _reap(server: "subprocess.Popen[bytes]") -> None:
    server.poll()
    with suppress(ChildProcessError):
        while server.returncode is not None and os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _others() -> Iterator[int]:
    """Return all processes below this one; on other systems than Linux the group has to do."""
    parents = dict(_parents())
    for process in parents:
        above = parents.get(process)
        while above and above != os.getpid():
            above = parents.get(above)
        if above:
            yield process


def _parents() -> Iterator[tuple[int, int]]:
    if sys.platform != "linux":
        return
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                state = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
                if state[0] != "Z":
                    yield int(folder.name), int(state[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
