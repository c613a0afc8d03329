"""Starts the engines of Conductors in the tests' process as forks of one process that has imported the engine.

Half the CPU time of starting such a Conductor goes into the imports of its engine otherwise.
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

MODULES = ("tests.support.engine_imports",)
_forking: set[str] = set()
"""The homes whose engines are forks."""
_homes: dict[int, str] = {}
"""The homes of the engines by process id: the environment of a fork shows those of its server in /proc."""


def fork_engines_of(home: Path) -> None:
    """Fork the engines that this process starts for a home from now on."""
    _forking.add(str(home))
    child.subprocess = _Subprocess()  # type: ignore[assignment]


def is_engine_of(pid: int, home: Path) -> bool:
    """Return whether a process is a forked engine with this home."""
    return _homes.get(pid) == str(home)


class _Subprocess:
    """What `ChildProcess` uses of the module `subprocess`."""

    PIPE = subprocess.PIPE
    TimeoutExpired = subprocess.TimeoutExpired

    @staticmethod
    def Popen(  # noqa: N802 - as in the module
        command: Sequence[str], *, env: Mapping[str, str] | None = None, **pipes: Any
    ) -> "subprocess.Popen[bytes] | ForkedPython":
        if "--engine-process" not in command or command[-1] not in _forking:
            return subprocess.Popen[bytes](command, env=env, **pipes)
        environment = dict(os.environ if env is None else env)
        engine = _get_fork_server().start_with_pipes(
            list(command[1:]), environment, Path.cwd(), modules=MODULES
        )
        _homes[engine.pid] = command[-1]
        return engine


@cache
def _get_fork_server() -> ForkServer:
    """Start the process that forks, which ends with the tests."""
    server = ForkServer()
    atexit.register(server.close)
    return server
