"""Starts Python scripts in the tests as forks of one process that has imported their modules already.

A test that needs a process of its own pays for a fork then, not for a second of imports.

with ForkServer("mcp.server.mcpserver") as server, server.run("server.py", "--port", "0") as process:
    print(process.stdout.readline())
"""

import faulthandler
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, TextIO

REPOSITORY = Path(__file__).parents[2]
START_WITHIN_S = 140.0
"""Also for the imports, which are compiled in a new clone: over a minute on a busy machine."""


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
        self._lock = threading.Lock()

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
        with os.fdopen(reads) as stdout:
            try:
                pid = self._send({"run": [str(script), *arguments]}, writes, stderr.fileno())
            finally:
                os.close(writes)
            script_process = ForkedScript(self, pid, stdout)
            try:
                yield script_process
            finally:
                script_process.end()

    def start(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        *,
        stderr: TextIO,
        modules: Sequence[str] = (),
    ) -> "ForkedPython":
        """Start what `python ARGUMENTS` would in a folder, once `modules` are imported; it prints to nowhere."""
        command = _build_command(arguments, environment, folder, modules)
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - a device, not a file
            return ForkedPython(self, self._send(command, nowhere.fileno(), stderr.fileno()))

    def start_with_pipes(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        *,
        modules: Sequence[str] = (),
    ) -> "ForkedPython":
        """Start what `python ARGUMENTS` would in a session of its own, with pipes to and from it."""
        command = _build_command(arguments, environment, folder, modules)
        with ExitStack() as ours, ExitStack() as theirs:
            reads_input, writes_input = os.pipe()
            stdin = ours.enter_context(os.fdopen(writes_input, "wb"))
            theirs.callback(os.close, reads_input)
            reads_output, writes_output = os.pipe()
            stdout = ours.enter_context(os.fdopen(reads_output, "rb"))
            theirs.callback(os.close, writes_output)
            process = ForkedPython(
                self,
                self._send(command, writes_output, 2, reads_input),
                stdin=stdin,
                stdout=stdout,
            )
            ours.pop_all()
        return process

    def wait(self, pid: int) -> int:
        """Wait until a script has ended; return its exit code, or a signal as a negative number."""
        # Without the lock, and not in the server, which meanwhile starts scripts of other threads.
        end = os.pidfd_open(pid)
        try:
            select.select([end], [], [])
        finally:
            os.close(end)
        return self._send({"wait": pid})

    def _send(self, command: dict[str, Any], *descriptors: int) -> int:
        with self._lock:
            socket.send_fds(self._socket, [json.dumps(command).encode() + b"\n"], descriptors)
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


class ForkedPython:
    """A running program, with those methods of `subprocess.Popen` that tests of Conductor use."""

    def __init__(
        self,
        server: ForkServer,
        pid: int,
        *,
        stdin: BinaryIO | None = None,
        stdout: BinaryIO | None = None,
    ) -> None:
        self._server, self.pid = server, pid
        self.stdin, self.stdout = stdin, stdout
        self.returncode: int | None = None
        self._end = os.pidfd_open(pid)  # its parent, the server, does not wait for it before we do
        self._lock = threading.Lock()

    def __del__(self) -> None:
        os.close(self._end)  # not when it ends: several threads may wait for that

    def poll(self) -> int | None:
        """Return the exit code, a signal as a negative number, or None if it still runs."""
        with self._lock:
            if self.returncode is None and select.select([self._end], [], [], 0)[0]:
                self.returncode = self._server.wait(self.pid)
            return self.returncode

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait until it has ended; return the exit code.

        Raises:
            subprocess.TimeoutExpired: it still runs.
        """
        if self.returncode is None:
            select.select([self._end], [], [], timeout_s)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout_s or 0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _build_command(
    arguments: Sequence[str], environment: Mapping[str, str], folder: Path, modules: Sequence[str]
) -> dict[str, Any]:
    return {
        "start": list(arguments),
        "environment": dict(environment),
        "folder": str(folder),
        "modules": list(modules),
    }


def serve(tests: socket.socket) -> list[str] | None:
    """Answer the tests until they end; in a process that was forked, return what it is to run."""
    received = b""
    descriptors: list[int] = []
    while True:
        data, new, _, _ = socket.recv_fds(tests, 65_536, 3)
        if not data:
            return None
        received, descriptors = received + data, descriptors + new
        if not received.endswith(b"\n"):
            continue
        command: dict[str, Any] = json.loads(received)
        if "wait" in command:
            _, status = os.waitpid(command["wait"], 0)
            answer = os.waitstatus_to_exitcode(status)
        else:
            import_modules(command.get("modules", ()))
            answer = os.fork()
            if not answer:
                tests.close()
                if "run" in command:
                    become(command["run"], *descriptors)
                enter(command, *descriptors)
                return command["start"]
            for each in descriptors:
                os.close(each)
        tests.sendall(f"{answer}\n".encode())
        received, descriptors = b"", []


def import_modules(names: Sequence[str]) -> None:
    """Import what the forks share, and keep the garbage collector from writing to its memory."""
    if not all(name in sys.modules for name in names):
        gc.disable()
        for name in names:
            import_module(name)
        gc.enable()
        gc.collect()
        gc.freeze()
    assert threading.active_count() == 1, "a fork has no copy of another thread"


def enter(command: dict[str, Any], stdout: int, stderr: int, stdin: int | None = None) -> None:
    """Set the environment, folder, output and input of this process to those of a new one."""
    redirect(stdout, stderr)
    if stdin is not None:
        os.setsid()
        os.dup2(stdin, 0)
        os.close(stdin)
    os.environ.clear()
    os.environ.update(command["environment"])
    os.chdir(command["folder"])
    for number, handler in (
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGHUP, signal.SIG_DFL),  # `nohup make test` ignores it
    ):
        signal.signal(number, handler)
    if "PYTHONFAULTHANDLER" in os.environ:
        faulthandler.enable()


def run_python(arguments: Sequence[str]) -> None:
    """Run a module (`-m`), a text (`-c`) or a file, as Python's command line does."""
    first, *rest = arguments
    if first == "-m":
        sys.argv = [rest[0], *rest[1:]]
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif first == "-c":
        sys.argv = [first, *rest[1:]]
        sys.modules["__main__"] = main = ModuleType("__main__")
        exec(rest[0], main.__dict__)
    else:
        sys.argv = [first, *rest]
        runpy.run_path(first, run_name="__main__")


def redirect(stdout: int, stderr: int) -> None:
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    for each in (stdout, stderr):
        os.close(each)


def become(argv: list[str], stdout: int, stderr: int) -> None:
    """Run a script in this process, and end with it."""
    redirect(stdout, stderr)
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
    import_modules(sys.argv[2:])
    program = serve(socket.socket(fileno=int(sys.argv[1])))
    if program is not None:
        run_python(program)
