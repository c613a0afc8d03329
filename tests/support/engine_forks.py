"""Starts engines and windows of the tests' process as forks of a process that has imported what they run.

Half the CPU time of starting a Conductor in the tests' process goes into the imports of its engine otherwise,
and a window imports Qt.
"""

import atexit
import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.fork_server import ForkedPython, ForkServer

from conductor.base import child

MODULES = {
    "--engine-process": "conductor.runtime.process",
    "--window-process": "tests.support.window_imports",
}
"""What is imported before the fork, by the kind of process."""
_forking: set[tuple[str, str]] = set()
"""The kinds of processes that are forks, with their homes."""
_homes: dict[int, str] = {}
"""The homes of the forks by process id: the environment of a fork shows those of its server in /proc."""


def fork_engines_of(home: Path) -> None:
    """Fork the engines that this process starts for a home from now on."""
    _fork("--engine-process", home)


def fork_windows_of(home: Path) -> None:
    """Fork the windows that this process starts for a home from now on."""
    _fork("--window-process", home)


def is_engine_of(pid: int, home: Path) -> bool:
    """Return whether a process is a forked engine with this home."""
    return _homes.get(pid) == str(home)


def _fork(kind: str, home: Path) -> None:
    _forking.add((kind, str(home)))
    child.subprocess = _Subprocess()  # type: ignore[assignment]


class _Subprocess:
    """What `ChildProcess` uses of the module `subprocess`."""

    PIPE = subprocess.PIPE
    TimeoutExpired = subprocess.TimeoutExpired

    @staticmethod
    def Popen(  # noqa: N802 - as in the module
        command: Sequence[str], *, env: Mapping[str, str] | None = None, **pipes: Any
    ) -> "subprocess.Popen[bytes] | ForkedPython":
        kind = next((kind for kind, home in _forking if kind in command and home in command), None)
        if kind is None:
            return subprocess.Popen[bytes](command, env=env, **pipes)
        environment = dict(os.environ if env is None else env)
        fork = _get_fork_server(kind).start_with_pipes(
            list(command[1:]), environment, Path.cwd(), modules=[MODULES[kind]]
        )
        _homes[fork.pid] = command[-1]
        return fork


@cache
def _get_fork_server(_kind: str) -> ForkServer:
    """Start the process that forks processes of one kind, and ends with the tests."""
    server = ForkServer()
    atexit.register(server.close)
    return server
