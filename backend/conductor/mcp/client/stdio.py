"""A server as a process of this machine: exact arguments, no shell, and only the environment it was given."""

import asyncio
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

from conductor.base.environment import environment_without_keys, snapshot
from conductor.base.program import command
from conductor.base.rate_limit import RateLimit
from conductor.mcp.client.failures import Hopeless
from conductor.mcp.client.http import LARGEST_ANSWER, MOST_PIECES, TOO_LARGE, pieces
from conductor.mcp.client.texts import for_log
from conductor.mcp.client.traffic import Item, ServerLog
from conductor.mcp.client.values import Server

CHUNK = 65_536
ENDS_WITHIN_S = 1.0
"""How long a server has after its input has ended, before it is told to end."""
KILLED_WITHIN_S = 8.0
BYTES_PER_S = 1_000_000
"""What is read of what nobody asked for."""
OVERLONG_BYTES_PER_S = 10_000_000
NOTES = 50
"""Of those, how many lines in a second come into the log."""
TOLD_LINES = 3
"""Of what is no message: how many are told when it never sends one, the first ones."""
TOLD_CHARACTERS = 120
LONG_LINE = 10_000
"""Of a line that has not ended yet, so much is waited for before its beginning is noted."""
INHERITED = (
    ("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE",
     "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE")
    if sys.platform == "win32"
    else ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER")
)  # fmt: skip
_PIPES: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), asyncio.subprocess.PIPE)
_IS_FROZEN = bool(getattr(sys, "frozen", False))
_ID = re.compile(rb'"id"\s*:\s*(\d{1,15})\s*[,}]')


def environment(named: Mapping[str, str]) -> dict[str, str]:
    """Return what every program needs, and what the user named for this one."""
    ours = snapshot()
    return {key: ours[key] for key in INHERITED if key in ours} | dict(named)


class Program:
    """A started server, with who watches over it."""

    def __init__(self, server: Server, log: ServerLog) -> None:
        self._server, self._log = server, log
        self._control: asyncio.WriteTransport | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._process: asyncio.subprocess.Process | None = None
        self._junk = RateLimit(CHUNK, BYTES_PER_S)
        self._notes = RateLimit(NOTES, NOTES)
        self._is_mcp = self._is_stopping = False
        self.has_hung_up = False
        """Whether it ended its output while nobody was stopping it."""
        self._printed = list[str]()
        self.arriving, self._read = anyio.create_memory_object_stream[Item](0)
        self._written, self.leaving = anyio.create_memory_object_stream[SessionMessage](0)

    @property
    def streams(
        self,
    ) -> tuple[MemoryObjectReceiveStream[Item], MemoryObjectSendStream[SessionMessage]]:
        return self._read, self._written

    @property
    def has_ended(self) -> bool:
        """Return whether it ended, or hung up."""
        process = self._process
        return process is not None and (process.returncode is not None or self._tasks[0].done())

    @property
    def printed(self) -> str:
        """Return what it printed first, if none of it was a message."""
        return "" if self._is_mcp else " / ".join(self._printed)

    async def start(self) -> None:
        """Start it.

        Raises:
            Hopeless: there is no such program or folder.
        """
        order = self._order()
        if sys.platform == "win32":  # no reaper: what the server started ends with `taskkill`
            self._process = process = await asyncio.create_subprocess_exec(
                *order["argv"], cwd=order["cwd"], env=order["env"], **_PIPES
            )
        else:
            self._process = process = await self._start_under_reaper(order)
        self._tasks = [
            asyncio.create_task(self._read_all(process.stdout)),
            asyncio.create_task(self._write_all(process.stdin)),
            asyncio.create_task(self._read_errors(process.stderr)),
        ]

    async def _start_under_reaper(self, order: dict[str, Any]) -> asyncio.subprocess.Process:
        reads, writes = os.pipe()
        try:
            self._control, _ = await asyncio.get_running_loop().connect_write_pipe(
                asyncio.BaseProtocol, os.fdopen(writes, "wb", 0)
            )
            process = await asyncio.create_subprocess_exec(
                *_reaper(),
                str(reads),
                **_PIPES,
                env=environment_without_keys()
                if _IS_FROZEN
                else environment({}),  # its server could read it
                pass_fds=(reads,),
                start_new_session=True,
            )
        finally:
            os.close(reads)
        self._control.write(json.dumps(order).encode() + b"\n")
        return process

    def _order(self) -> dict[str, Any]:
        server, variables = self._server, environment(self._server.env)
        if not server.argv:
            raise Hopeless("no command is given: add `command` to its entry in mcp.json")
        if server.cwd is not None and not os.path.isdir(server.cwd):  # noqa: PTH112
            raise Hopeless(f"its folder {server.cwd} is not there")
        program = shutil.which(server.argv[0], path=variables.get("PATH"))
        if program is None and os.sep not in server.argv[0]:
            raise Hopeless(
                f"there is no program `{server.argv[0]}`: install it, or give its full path"
            )
        return {"argv": list(server.argv), "cwd": server.cwd, "env": variables}

    async def stop(self) -> None:
        """End it: its input first, then with a signal, then by force."""
        self._is_stopping = True
        process = self._process
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()
            if not await _ended(process, ENDS_WITHIN_S):
                await self._let_go()
                if not await _ended(process, KILLED_WITHIN_S):
                    with suppress(ProcessLookupError):
                        process.kill()
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=ENDS_WITHIN_S)
        await self._let_go()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for stream in (self.arriving, self._read, self._written, self.leaving):
            stream.close()
        if process is not None:
            transport = getattr(process, "_transport", None)
            if transport is not None:
                transport.close()

    async def ended(self) -> None:
        """Wait until it has ended, or hung up: processes that it started may hold its pipes open."""
        assert self._process is not None
        waiting = asyncio.create_task(self._process.wait())
        try:
            await asyncio.wait([self._tasks[0], waiting], return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()

    async def ending(self) -> str:
        """Return how it has ended, as far as is known."""
        assert self._process is not None
        if not await _ended(self._process, ENDS_WITHIN_S):
            return "it closed its output"
        code = self._process.returncode or 0
        if code > 128:
            return f"it was ended by signal {code - 128}"
        return f"it ended by itself with code {code}"

    async def _let_go(self) -> None:
        """Close the pipe to the reaper, which ends the server then."""
        process = self._process
        if sys.platform == "win32" and process is not None and process.returncode is None:
            await _end_with_children(process.pid)
        if self._control is not None and not self._control.is_closing():
            self._control.abort()

    async def _read_all(self, stdout: asyncio.StreamReader | None) -> None:
        assert stdout is not None
        parts, size, is_noted = list[bytes](), 0, False
        with self.arriving, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            while chunk := await stdout.read(CHUNK):
                *lines, rest = chunk.split(b"\n")
                for line in lines:
                    await self._take(b"".join([*parts, line]), size + len(line))
                    parts, size, is_noted = [], 0, False
                size += len(rest)
                if size <= LARGEST_ANSWER:
                    parts.append(rest)
                else:  # a line without an end
                    await asyncio.sleep(len(chunk) / OVERLONG_BYTES_PER_S)
                if size > LONG_LINE and not is_noted:
                    is_noted = True
                    self._note(b"".join(parts))
            self.has_hung_up = not self._is_stopping
            if not is_noted:
                self._note(b"".join(parts))
        while await stdout.read(CHUNK):  # a full pipe would keep it from ending
            pass

    async def _take(self, line: bytes, size: int) -> None:
        if not line.lstrip().startswith(b"{"):
            await self._passed_over(line)
            return
        if size > LARGEST_ANSWER or pieces(line) > MOST_PIECES:
            await self.arriving.send(_too_large(line))
            return
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            self._is_mcp = True
        except ValueError:
            self._keep(line)
            await self.arriving.send(ValueError(line[:500].decode(errors="replace")))
            return
        await self.arriving.send(SessionMessage(message))

    async def _passed_over(self, line: bytes) -> None:
        """Note what is no message, as long as somebody could read along."""
        self._note(line)
        if wait_s := self._junk.take("", min(len(line), CHUNK)):
            await asyncio.sleep(wait_s)

    def _note(self, line: bytes) -> None:
        """Put the beginning of what is no message into the log."""
        if line.strip() and not line.lstrip().startswith(b"{"):
            self._keep(line)
            if not self._notes.take(""):
                self._log.add(f"no message of the protocol: {line[:500].decode(errors='replace')}")

    def _keep(self, line: bytes) -> None:
        if len(self._printed) < TOLD_LINES and not self._is_mcp:
            shown = for_log(line[:500].decode(errors="replace"), TOLD_CHARACTERS)
            self._printed.append(shown or "what cannot be shown")

    async def _write_all(self, stdin: asyncio.StreamWriter | None) -> None:
        assert stdin is not None
        with self.leaving, suppress(ConnectionError):
            async for item in self.leaving:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                stdin.write(text.encode() + b"\n")
                await stdin.drain()

    async def _read_errors(self, stderr: asyncio.StreamReader | None) -> None:
        assert stderr is not None
        rest = b""
        while chunk := await stderr.read(CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines[-500:]:
                self._log.add(line[:2_000].decode(errors="replace"))
            rest = rest[-2_000:]
            await asyncio.sleep(len(chunk) / BYTES_PER_S)
        self._log.add(rest.decode(errors="replace"))


def _reaper() -> list[str]:
    if _IS_FROZEN:
        return [*command(), "--server-process"]
    from conductor.mcp.client import reaper

    return [sys.executable, "-I", "-S", str(reaper.__file__)]


def _too_large(line: bytes) -> Item:
    """Answer a request in the place of an answer that nobody reads."""
    found = _ID.search(line[:200]) or _ID.search(line[-200:])
    if found is None:
        return ValueError(TOO_LARGE)
    error = ErrorData(code=INTERNAL_ERROR, message=TOO_LARGE)
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=int(found[1]), error=error))


async def _end_with_children(number: int) -> None:
    nowhere = dict.fromkeys(("stdin", "stdout", "stderr"), asyncio.subprocess.DEVNULL)
    with suppress(OSError):
        ending = await asyncio.create_subprocess_exec(
            "taskkill", "/T", "/F", "/PID", str(number), **nowhere
        )
        await _ended(ending, KILLED_WITHIN_S)


async def _ended(process: asyncio.subprocess.Process, within_s: float) -> bool:
    try:
        await asyncio.wait_for(process.wait(), within_s)
    except TimeoutError:
        return False
    return True
