"""Runs a local server over its standard streams, without a shell and with a minimal environment."""

import asyncio
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

from conductor.base.environment import build_keyless_environment, copy_environment
from conductor.base.json_types import JsonObject
from conductor.base.program import build_command
from conductor.base.rate_limit import RateLimiter
from conductor.mcp.client.failures import PermanentConnectionFailure
from conductor.mcp.client.http import (
    ANSWER_TOO_LARGE_MESSAGE,
    MAX_JSON_SEPARATORS,
    MAX_MESSAGE_BYTES,
    count_json_separators,
)
from conductor.mcp.client.texts import format_log_line
from conductor.mcp.client.traffic import ServerLog, StreamItem
from conductor.mcp.client.values import ConsentedServer

if TYPE_CHECKING:
    from conductor.mcp.client.reaper import LaunchParameters

READ_CHUNK_BYTES = 65_536
SERVER_EXIT_TIMEOUT_S = 1.0
"""The time that a server has to exit after its standard input was closed, before a signal is sent."""
REAPER_KILL_TIMEOUT_S = 8.0
"""The time that the reaper has to end.

It covers its grace period and its `MAX_KILL_ROUNDS` rounds of SIGKILL.
"""
MAX_UNREQUESTED_BYTES_PER_S = 1_000_000
"""The rate at which standard error, and output that is not MCP, is read at most."""
MAX_OVERLONG_LINE_BYTES_PER_S = 10_000_000
"""The rate at which the rest of a line beyond `MAX_MESSAGE_BYTES` is read and discarded at most."""
MAX_STRAY_LINES_PER_S = 50
"""How many lines per second are logged at most if they are not MCP messages."""
MAX_REPORTED_STRAY_LINES = 3
"""How many lines are quoted in the error for a program that never sends an MCP message."""
MAX_REPORTED_STRAY_CHARACTERS = 120
MIN_LOGGED_UNFINISHED_LINE_BYTES = 10_000
"""An unfinished line of this length is logged, because a prompt does not end with a line break."""
INHERITED_VARIABLES = (
    ("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE",
     "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE")
    if sys.platform == "win32"
    else ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER")
)  # fmt: skip
_STANDARD_STREAM_PIPES: JsonObject = dict.fromkeys(
    ("stdin", "stdout", "stderr"), asyncio.subprocess.PIPE
)
_IS_FROZEN = bool(getattr(sys, "frozen", False))
_REQUEST_ID_PATTERN = re.compile(rb'"id"\s*:\s*(\d{1,15})\s*[,}]')


def build_server_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a server: standard variables such as PATH, and those in its entry."""
    own = copy_environment()
    return {key: own[key] for key in INHERITED_VARIABLES if key in own} | dict(variables)


class ServerProcess:
    """The process of a local server, and the tasks that read and write its standard streams."""

    def __init__(self, server: ConsentedServer, log: ServerLog) -> None:
        self._server, self._log = server, log
        self._control: asyncio.WriteTransport | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._process: asyncio.subprocess.Process | None = None
        self._stray_bytes = RateLimiter(READ_CHUNK_BYTES, MAX_UNREQUESTED_BYTES_PER_S)
        self._stray_log = RateLimiter(MAX_STRAY_LINES_PER_S, MAX_STRAY_LINES_PER_S)
        self._is_mcp = self._is_stopping = False
        self.has_closed_output = False
        """Whether the server itself closed its standard output, instead of being stopped by `stop`."""
        self._stray_lines = list[str]()
        # Without a buffer, unread messages of a server fill its pipe instead of the memory of the
        # app.
        self._incoming, self._read_stream = anyio.create_memory_object_stream[StreamItem](0)
        self._write_stream, self._outgoing = anyio.create_memory_object_stream[SessionMessage](0)

    @property
    def streams(
        self,
    ) -> tuple[MemoryObjectReceiveStream[StreamItem], MemoryObjectSendStream[SessionMessage]]:
        return self._read_stream, self._write_stream

    @property
    def has_exited(self) -> bool:
        """Whether the server has exited or closed its standard output."""
        process = self._process
        return process is not None and (process.returncode is not None or self._tasks[0].done())

    @property
    def stray_output(self) -> str:
        """The first lines that the program printed, or an empty text if it has sent an MCP message."""
        return "" if self._is_mcp else " / ".join(self._stray_lines)

    async def start(self) -> None:
        """Start the server process and the tasks that read and write its streams.

        Raises:
            PermanentConnectionFailure: The program or its working directory does not exist.
        """
        launch = self._build_launch_parameters()
        # Windows needs no reaper, because `taskkill /T` ends the whole process tree
        if sys.platform == "win32":
            self._process = process = await asyncio.create_subprocess_exec(
                *launch["argv"], cwd=launch["cwd"], env=launch["env"], **_STANDARD_STREAM_PIPES
            )
        else:
            self._process = process = await self._start_under_reaper(launch)
        self._tasks = [
            asyncio.create_task(self._read_stdout(process.stdout)),
            asyncio.create_task(self._write_stdin(process.stdin)),
            asyncio.create_task(self._read_stderr(process.stderr)),
        ]

    async def _start_under_reaper(self, launch: "LaunchParameters") -> asyncio.subprocess.Process:
        reads, writes = os.pipe()
        try:
            self._control, _ = await asyncio.get_running_loop().connect_write_pipe(
                asyncio.BaseProtocol, os.fdopen(writes, "wb", 0)
            )
            # If asyncio is cancelled here, it kills the reaper, which has not been told to start
            # anything yet.
            process = await asyncio.create_subprocess_exec(
                *_build_reaper_command(),
                str(reads),
                **_STANDARD_STREAM_PIPES,
                # the server can read the reaper's environment in /proc, so it is as short as the
                # server's own
                env=build_keyless_environment() if _IS_FROZEN else build_server_environment({}),
                pass_fds=(reads,),
                # Ctrl+C in the terminal is for the app, which then ends the servers
                start_new_session=True,
            )
        finally:
            # The reaper has a copy of the descriptor. The write is not awaited: the parameters may
            # be larger than the pipe, and a reaper that does not read them must not block the app.
            # The time limit of the connection covers this case.
            os.close(reads)
        # Not drained: the parameters may be larger than the pipe, and a reaper that does not read them must
        # not block the app. The connection's time limit covers it.
        self._control.write(json.dumps(launch).encode() + b"\n")
        return process

    def _build_launch_parameters(self) -> "LaunchParameters":
        server, variables = self._server, build_server_environment(self._server.env)
        if not server.argv:
            raise PermanentConnectionFailure(
                "no command is given: add `command` to its entry in mcp.json"
            )
        if server.cwd is not None and not os.path.isdir(server.cwd):  # noqa: PTH112
            raise PermanentConnectionFailure(f"its working directory {server.cwd} does not exist")
        program = shutil.which(server.argv[0], path=variables.get("PATH"))
        if program is None and os.sep not in server.argv[0]:
            raise PermanentConnectionFailure(
                f"the program `{server.argv[0]}` was not found: install it, or give its full path"
            )
        return {"argv": list(server.argv), "cwd": server.cwd, "env": variables}

    async def stop(self) -> None:
        """Stop the server: close its standard input, then send signals, and finally kill it."""
        self._is_stopping = True
        process = self._process
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()
            if not await _has_exited_within(process, SERVER_EXIT_TIMEOUT_S):
                await self._request_termination()
                if not await _has_exited_within(process, REAPER_KILL_TIMEOUT_S):
                    with suppress(ProcessLookupError):  # it may exit between the wait and the kill
                        process.kill()
            if self._tasks:
                # The pipes still contain the last lines of the server. A grandchild may keep them
                # open forever, so the wait is limited.
                await asyncio.wait(self._tasks, timeout=SERVER_EXIT_TIMEOUT_S)
        await self._request_termination()  # also closed if `start` failed after it was opened
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for stream in (self._incoming, self._read_stream, self._write_stream, self._outgoing):
            stream.close()
        if process is not None:
            # asyncio closes the transport only when all pipes have ended, which a grandchild can
            # prevent
            transport = getattr(process, "_transport", None)
            if transport is not None:
                transport.close()

    async def wait_until_exited(self) -> None:
        """Wait until the server has exited or closed its standard output, whichever comes first.

        Either can happen alone: child processes may hold the pipes open after the server has exited, and a
        server may close its output and keep running.
        """
        assert self._process is not None
        exiting = asyncio.create_task(self._process.wait())
        try:
            await asyncio.wait([self._tasks[0], exiting], return_when=asyncio.FIRST_COMPLETED)
        finally:
            exiting.cancel()

    async def describe_exit(self) -> str:
        """Return how the process ended, such as "it exited with code 3"."""
        assert self._process is not None
        # the output ends a moment before the exit code is known
        if not await _has_exited_within(self._process, SERVER_EXIT_TIMEOUT_S):
            return "it closed its output"
        code = self._process.returncode or 0
        if code > 128:  # the reaper reports signals as shells do
            return f"it was ended by signal {code - 128}"
        return f"it exited with code {code}"

    async def _request_termination(self) -> None:
        """Close the control pipe, so that the reaper ends the server. On Windows, kill the process tree."""
        process = self._process
        # only a running process, because Windows may have given the number of an exited one to
        # another
        if sys.platform == "win32" and process is not None and process.returncode is None:
            await _kill_process_tree(process.pid)
        if self._control is not None and not self._control.is_closing():
            self._control.abort()  # `close` would wait for a reaper that does not read

    async def _read_stdout(self, stdout: asyncio.StreamReader | None) -> None:
        assert stdout is not None
        # Lines are put together here, because `readline` fails on a long line and would end the
        # connection.
        parts, size, is_noted = list[bytes](), 0, False
        # the streams are closed under this task when the connection ends
        with self._incoming, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            while chunk := await stdout.read(READ_CHUNK_BYTES):
                *lines, rest = chunk.split(b"\n")
                for line in lines:
                    await self._on_line(b"".join([*parts, line]), size + len(line))
                    parts, size, is_noted = [], 0, False
                size += len(rest)
                if size <= MAX_MESSAGE_BYTES:
                    parts.append(rest)
                else:  # the line has no end yet, so its size is counted and its content dropped
                    await asyncio.sleep(len(chunk) / MAX_OVERLONG_LINE_BYTES_PER_S)
                if size > MIN_LOGGED_UNFINISHED_LINE_BYTES and not is_noted:
                    is_noted = True
                    self._log_stray_line(b"".join(parts))
            self.has_closed_output = not self._is_stopping
            if not is_noted:
                self._log_stray_line(b"".join(parts))
        # The messages are no longer needed, but a server that blocks on a full pipe could not exit.
        while await stdout.read(READ_CHUNK_BYTES):
            pass

    async def _on_line(self, line: bytes, size: int) -> None:
        if not line.lstrip().startswith(b"{"):
            await self._discard_stray_line(line)
            return
        # checked first, because parsing a large message would block the event loop
        if size > MAX_MESSAGE_BYTES or count_json_separators(line) > MAX_JSON_SEPARATORS:
            await self._incoming.send(_build_too_large_error(line))
            return
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            self._is_mcp = True
        except ValueError:
            self._store_stray_line(line)
            await self._incoming.send(ValueError(line[:500].decode(errors="replace")))
            return
        await self._incoming.send(SessionMessage(message))

    async def _discard_stray_line(self, line: bytes) -> None:
        """Log a line that is not an MCP message, and pause the reading if there are too many of them."""
        self._log_stray_line(line)
        if wait_s := self._stray_bytes.take_tokens("", min(len(line), READ_CHUNK_BYTES)):
            await asyncio.sleep(wait_s)

    def _log_stray_line(self, line: bytes) -> None:
        if line.strip() and not line.lstrip().startswith(b"{"):
            self._store_stray_line(line)
            if not self._stray_log.take_tokens(""):
                self._log.add_line(f"not an MCP message: {line[:500].decode(errors='replace')}")

    def _store_stray_line(self, line: bytes) -> None:
        if len(self._stray_lines) < MAX_REPORTED_STRAY_LINES and not self._is_mcp:
            text = format_log_line(
                line[:500].decode(errors="replace"), MAX_REPORTED_STRAY_CHARACTERS
            )
            self._stray_lines.append(text or "unprintable characters")

    async def _write_stdin(self, stdin: asyncio.StreamWriter | None) -> None:
        assert stdin is not None
        # `_read_stdout` reports that a server is gone, so a broken pipe here is not an error
        with self._outgoing, suppress(ConnectionError):
            async for item in self._outgoing:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                stdin.write(text.encode() + b"\n")
                await stdin.drain()

    async def _read_stderr(self, stderr: asyncio.StreamReader | None) -> None:
        # Standard error is read as long as the server lives, because a server that blocks on a full
        # pipe stops answering.
        assert stderr is not None
        rest = b""
        while chunk := await stderr.read(READ_CHUNK_BYTES):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines[-500:]:
                self._log.add_line(line[:2_000].decode(errors="replace"))
            rest = rest[-2_000:]
            await asyncio.sleep(len(chunk) / MAX_UNREQUESTED_BYTES_PER_S)
        self._log.add_line(rest.decode(errors="replace"))


def _build_reaper_command() -> list[str]:
    if _IS_FROZEN:
        return [*build_command(), "--server-process"]
    from conductor.mcp.client import reaper

    # -I and -S skip the site packages, so that the start takes only milliseconds
    return [sys.executable, "-I", "-S", str(reaper.__file__)]


def _build_too_large_error(line: bytes) -> StreamItem:
    """Return an error response that replaces a response which is too large, so that the call fails at once."""
    found = _REQUEST_ID_PATTERN.search(line[:200]) or _REQUEST_ID_PATTERN.search(line[-200:])
    if found is None:
        return ValueError(ANSWER_TOO_LARGE_MESSAGE)
    error = ErrorData(code=INTERNAL_ERROR, message=ANSWER_TOO_LARGE_MESSAGE)
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=int(found[1]), error=error))


async def _kill_process_tree(pid: int) -> None:
    discarded = dict.fromkeys(("stdin", "stdout", "stderr"), asyncio.subprocess.DEVNULL)
    with suppress(OSError):
        killer = await asyncio.create_subprocess_exec(
            "taskkill", "/T", "/F", "/PID", str(pid), **discarded
        )
        await _has_exited_within(killer, REAPER_KILL_TIMEOUT_S)


async def _has_exited_within(process: asyncio.subprocess.Process, timeout_s: float) -> bool:
    try:
        await asyncio.wait_for(process.wait(), timeout_s)
    except TimeoutError:
        return False
    return True
