"""Starts the processes of chromadb as forks of one process that has imported it: importing it takes two seconds of CPU time."""

import atexit
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.fork_server import ForkedPython, ForkServer

from conductor.base.program import build_command

MODULES = ("tests.support.chroma_imports",)


class ForkingSubprocess:
    """What `ChromaWorker` uses of the module `subprocess`; a program of a test's own starts as ever."""

    PIPE = subprocess.PIPE
    TimeoutExpired = subprocess.TimeoutExpired

    @staticmethod
    def Popen(  # noqa: N802 - as in the module
        command: Sequence[str], *, env: Mapping[str, str], cwd: Path, **more: Any
    ) -> "subprocess.Popen[bytes] | ForkedPython":
        own = build_command()
        if list(command[: len(own)]) != own:
            return subprocess.Popen[bytes](command, env=env, cwd=cwd, **more)
        return _get_fork_server().start_with_pipes(list(command[1:]), env, cwd, modules=MODULES)


@cache
def _get_fork_server() -> ForkServer:
    """Start the process that forks, which ends with the tests."""
    server = ForkServer()
    atexit.register(server.close)
    return server
