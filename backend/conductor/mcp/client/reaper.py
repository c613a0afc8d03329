"""The parent process of a local server. It ends the server and its descendants when the app asks for it or
ends itself.

The reaper is a program of its own that uses only the standard library, so that it starts in milliseconds.
The pipe from the app closes however the app ends, even by SIGKILL. On Linux, the reaper inherits the
orphans of the server, so that it finds a child in another session too.
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
from typing import TypedDict


class LaunchParameters(TypedDict):
    """How to start the server. The app writes this to the control pipe as one line."""

    argv: list[str]
    cwd: str | None
    env: dict[str, str]


SIGTERM_GRACE_PERIOD_S = 2.0
CONTROL_POLL_INTERVAL_S = 0.2
"""The time between two checks for remaining processes if no child exits.

It is not shorter, because each check reads all of /proc.
"""
KILL_INTERVAL_S = 0.02
MAX_KILL_ROUNDS = 50
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def main(arguments: list[str]) -> int:
    """Start the server that the control pipe describes, wait until it exits, and return its exit code.

    `arguments` contains the file descriptor of the control pipe. A signal is returned as 128 plus its
    number.
    """
    assert sys.platform != "win32"
    control = int(arguments[0])
    with os.fdopen(os.dup(control), "rb") as pipe:
        launch: LaunchParameters = json.loads(pipe.readline())
    # before the server starts, because a SIGCHLD or SIGTERM that arrives earlier would be lost
    wake_up_pipe = _open_wake_up_pipe(signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    _set_process_option(_PR_SET_CHILD_SUBREAPER, 1)
    try:
        server = _start_server(launch)
    except (OSError, ValueError) as error:
        print(f"{launch['argv'][0]} cannot be started: {error}", file=sys.stderr)  # noqa: T201
        return 127
    _close_standard_streams()
    _wait_for_end(server, control, wake_up_pipe)
    _end_processes(server, wake_up_pipe)
    return 128 - server.returncode if (server.returncode or 0) < 0 else server.returncode or 0


def _start_server(launch: LaunchParameters) -> "subprocess.Popen[bytes]":
    assert sys.platform != "win32"
    return subprocess.Popen(
        launch["argv"],
        cwd=launch["cwd"],
        env=launch["env"],
        start_new_session=True,  # one process group, so that `killpg` reaches the children in it
        # If the reaper itself is killed, the kernel kills the server.
        preexec_fn=lambda: _set_process_option(_PR_SET_PDEATHSIG, signal.SIGKILL),  # noqa: PLW1509 - safe without other threads
    )


def _set_process_option(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _open_wake_up_pipe(*signals: int) -> int:
    """Return a descriptor from which the number of each received signal can be read as one byte.

    `select` continues after a signal whose handler does not raise an exception, so the signal must arrive
    as data.
    """
    assert sys.platform != "win32"
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    signal.set_wakeup_fd(writes, warn_on_full_buffer=False)
    for number in signals:
        signal.signal(number, _ignore_signal)
    return reads


def _ignore_signal(_number: int, _frame: object) -> None:
    """Ignore the signal here, because the wake-up pipe reports it to the main loop."""


def _close_standard_streams() -> None:
    """Redirect the standard streams of this process to /dev/null.

    The app sees the end of the server's output only if no other process holds the pipes open.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)


def _wait_for_end(server: "subprocess.Popen[bytes]", control: int, wake_up_pipe: int) -> None:
    """Wait until the server exits, the control pipe is closed, or this process receives a signal."""
    assert sys.platform != "win32"
    while server.poll() is None:
        ready, _, _ = select.select([control, wake_up_pipe], [], [])
        if control in ready:
            return
        # SIGCHLD of an adopted orphan says nothing about the server, so its state is checked again
        signals = set(os.read(wake_up_pipe, 512)) - {signal.SIGCHLD}
        if signals:
            return


def _end_processes(server: "subprocess.Popen[bytes]", wake_up_pipe: int) -> None:
    """Send SIGTERM to the server and its descendants, and SIGKILL to those that survive the grace period."""
    assert sys.platform != "win32"
    _signal_all_processes(server.pid, signal.SIGTERM)
    deadline = time.monotonic() + SIGTERM_GRACE_PERIOD_S
    while time.monotonic() < deadline:
        _collect_exit_codes(server)
        if server.returncode is not None and not any(_list_descendants()):
            return
        if select.select([wake_up_pipe], [], [], CONTROL_POLL_INTERVAL_S)[0]:
            os.read(wake_up_pipe, 512)
            # processes exit one after the other, so a few are collected before /proc is read again
            select.select([], [], [], KILL_INTERVAL_S)
    for _ in range(MAX_KILL_ROUNDS):  # processes may be forked between the listing and the signal
        _signal_all_processes(server.pid, signal.SIGKILL)
        select.select([], [], [], KILL_INTERVAL_S)
        _collect_exit_codes(server)
        if server.returncode is not None and not any(_list_descendants()):
            return


def _signal_all_processes(process_group: int, number: int) -> None:
    assert sys.platform != "win32"
    # EPERM means a set-user-id program or, on macOS, a group of zombies only. Neither can be
    # signalled.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process_group, number)
    for process in _list_descendants():
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)


def _collect_exit_codes(server: "subprocess.Popen[bytes]") -> None:
    """Collect the exit codes of the server and of the orphans that it left, so that no zombies remain."""
    assert sys.platform != "win32"
    server.poll()
    with suppress(ChildProcessError):
        # not before the server itself, because `waitpid(-1)` would take its exit code away from
        # `Popen`
        while server.returncode is not None and os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _list_descendants() -> Iterator[int]:
    """Yield the ids of all descendants of this process.

    On systems other than Linux there are none, and only the process group is signalled.
    """
    parents = dict(_list_parents())
    for process in parents:
        parent = parents.get(process)
        while parent and parent != os.getpid():
            parent = parents.get(parent)
        if parent:
            yield process


def _list_parents() -> Iterator[tuple[int, int]]:
    """Yield the process id and the parent's id of every process that is not a zombie."""
    if sys.platform != "linux":
        return
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            # A process may exit while it is read. Its name, which is in brackets, may contain
            # brackets as well.
            with suppress(OSError, ValueError, IndexError):
                state = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
                if state[0] != "Z":
                    yield int(folder.name), int(state[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
