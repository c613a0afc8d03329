"""Starts Python scripts in the tests as forks of one process that has imported their modules already.

A test that needs a process of its own pays for a fork then, not for a second of imports.

with ForkServer("mcp.server.mcpserver") as server, server.run("server.py", "--port", "0") as process:
    print(process.stdout.readline())
"""

import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

REPOSITORY = Path(__file__).parents[2]
START_WITHIN_S = 60.0


class ForkServer:
    """The process that forks. It ends with the tests."""

    def __init__(self, *modules: str) -> None:
        """Start it; `modules` are imported once, before the first script."""
        ours, theirs = socket.socketpair()
        path = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "backend")])
        environment = {**os.environ, "PYTHONPATH": path}
        environment.pop("CONDUCTOR_HOME", None)  # it belongs to no Conductor of the tests' process
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.fork_server", str(theirs.fileno()), *modules],
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                env=environment,
                cwd=REPOSITORY,
            )
        self._socket = ours
        self._socket.settimeout(START_WITHIN_S)
        self._answers = ours.makefile("r")

    def __enter__(self) -> "ForkServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._answers.close()
        self._socket.close()
        self._process.wait(20)

    @contextmanager
    def run(self, script: Path, *arguments: str, stderr: TextIO) -> "Generator[ForkedScript]":
        """Run a script; it is killed at the end of the block if it still runs."""
        reads, writes = os.pipe()
        try:
            command = json.dumps({"run": [str(script), *arguments]}).encode() + b"\n"
            socket.send_fds(self._socket, [command], [writes, stderr.fileno()])
        finally:
            os.close(writes)
        with os.fdopen(reads) as stdout:
            script_process = ForkedScript(self, int(self._answers.readline()), stdout)
            try:
                yield script_process
            finally:
                script_process.end()

    def wait(self, pid: int) -> int:
        """Wait until a script has ended; return its exit code, or a signal as a negative number."""
        self._socket.sendall(json.dumps({"wait": pid}).encode() + b"\n")
        return int(self._answers.readline())


class ForkedScript:
    """A running script with what it prints."""

    def __init__(self, server: ForkServer, pid: int, stdout: TextIO) -> None:
        self._server, self._pid, self.stdout = server, pid, stdout
        self._code: int | None = None

    def wait(self) -> int:
        """Wait until it has ended; return its exit code, or a signal as a negative number."""
        if self._code is None:
            self._code = self._server.wait(self._pid)
        return self._code

    def end(self) -> None:
        if self._code is None:
            os.kill(self._pid, signal.SIGKILL)  # nobody else has its number before it is waited for
            self.wait()


def serve(tests: socket.socket) -> None:
    """Answer the tests until they end."""
    while True:
        line, descriptors, _, _ = socket.recv_fds(tests, 65_536, 2)
        if not line:
            return
        command: dict[str, Any] = json.loads(line)
        if "wait" in command:
            _, status = os.waitpid(command["wait"], 0)
            answer = os.waitstatus_to_exitcode(status)
        else:
            answer = os.fork()
            if not answer:
                tests.close()
                become(command["run"], *descriptors)
            for each in descriptors:
                os.close(each)
        tests.sendall(f"{answer}\n".encode())


def become(argv: list[str], stdout: int, stderr: int) -> None:
    """Run a script in this process, and end with it."""
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    for each in (stdout, stderr):
        os.close(each)
    sys.argv = argv
    code = 1
    with suppress(BaseException):
        try:
            runpy.run_path(argv[0], run_name="__main__")
            code = 0
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        except BaseException:  # noqa: BLE001 - printed as an interpreter does
            sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    for module in sys.argv[2:]:
        import_module(module)
    serve(socket.socket(fileno=int(sys.argv[1])))
