"""Stopping a server on Windows, without a reaper; a script replaces `taskkill`."""

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from conductor.mcp.client import stdio
from conductor.mcp.client.stdio import ServerProcess
from conductor.mcp.client.traffic import ServerLog
from conductor.mcp.client.values import ConsentedServer

TASKKILL = """#!/bin/sh
echo "$@" >> {folder}/killed
for _ in $(seq 500); do
    [ -e {folder}/seen ] && break
    sleep 0.01
done
[ -e {folder}/seen ] || echo "the app stood" >> {folder}/killed
kill -9 "$4"
"""
STAYS = "import os, signal; print(os.getpid(), flush=True); signal.pause()"
LEAVES = "import os, sys; print(os.getpid(), flush=True); sys.stdin.read()"


@pytest.fixture(autouse=True)
def _windows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "taskkill"
    script.write_text(TASKKILL.format(folder=tmp_path))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(stdio, "sys", SimpleNamespace(platform="win32", executable=sys.executable))


async def running(code: str) -> tuple[ServerProcess, int]:
    """Start a server; return it with its process id."""
    argv = (sys.executable, "-c", code)
    program = ServerProcess(ConsentedServer(name="it", transport="stdio", argv=argv), ServerLog())
    await program.start()
    async with asyncio.timeout(20):
        while not program.stray_output:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return program, int(program.stray_output)


def test_the_app_keeps_running_while_a_process_tree_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(stdio, "SERVER_EXIT_TIMEOUT_S", 0.1)

    async def scenario() -> None:
        program, number = await running(STAYS)
        stopping = asyncio.create_task(program.stop())
        while not (tmp_path / "killed").exists():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        (tmp_path / "seen").touch()
        await stopping
        assert (tmp_path / "killed").read_text() == f"/T /F /PID {number}\n"
        assert program.has_exited

    asyncio.run(asyncio.wait_for(scenario(), 30))


def test_the_process_id_of_a_server_that_has_exited_is_not_killed(tmp_path: Path):
    async def scenario() -> None:
        program, _ = await running(LEAVES)
        await program.stop()
        assert program.has_exited
        assert not (tmp_path / "killed").exists()

    asyncio.run(asyncio.wait_for(scenario(), 30))
