"""The socket is created again when its file disappears while Conductor runs."""

import asyncio
import shutil
import socket
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.support.running import WAIT_S, running_conductor, short_home, wait_for

from conductor.mcp.server.listener import SocketListener

WITHOUT_PARTS = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
GREETING = b"here\n"


class Place:
    """A listener that greets every client, and the number of times its socket was created."""

    def __init__(self, home: Path) -> None:
        self.path = home / "mcp.sock"
        self.bound = 0
        self.listener = SocketListener(self.path, self._greet, self._count)

    def _count(self) -> None:
        self.bound += 1

    async def _greet(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(GREETING)
        writer.close()
        await writer.wait_closed()

    async def read_greeting(self) -> bytes:
        reader, writer = await asyncio.open_unix_connection(self.path)
        line = await reader.readline()
        writer.close()
        await writer.wait_closed()
        return line


def with_place(work: Callable[[Place], Awaitable[None]]) -> None:
    async def run(home: Path) -> None:
        place = Place(home / "home")
        place.path.parent.mkdir()
        await place.listener.start()
        try:
            async with asyncio.timeout(WAIT_S):
                await work(place)
        finally:
            place.listener.stop()

    with short_home() as home:
        asyncio.run(run(home))


def test_a_deleted_socket_is_made_again_for_its_owner_only():
    async def work(place: Place) -> None:
        place.path.unlink()
        await place.listener.restore_deleted_socket()
        assert await place.read_greeting() == GREETING
        assert stat.S_IMODE(place.path.stat().st_mode) == 0o600
        assert place.bound == 2

    with_place(work)


def test_a_socket_that_is_there_is_left_as_it_is():
    async def work(place: Place) -> None:
        before = place.path.stat().st_ino
        await place.listener.restore_deleted_socket()
        assert (place.path.stat().st_ino, place.bound) == (before, 1)

    with_place(work)


def test_a_deleted_folder_is_waited_for():
    async def work(place: Place) -> None:
        shutil.rmtree(place.path.parent)
        await place.listener.restore_deleted_socket()
        assert place.bound == 1
        place.path.parent.mkdir()
        await place.listener.restore_deleted_socket()
        assert await place.read_greeting() == GREETING

    with_place(work)


def test_a_dead_socket_at_the_path_is_replaced():
    async def work(place: Place) -> None:
        place.path.unlink()
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(place.path))
        await place.listener.restore_deleted_socket()
        assert await place.read_greeting() == GREETING

    with_place(work)


def test_a_live_socket_of_another_process_at_the_path_is_left(
    caplog: pytest.LogCaptureFixture,
):
    async def work(place: Place) -> None:
        place.path.unlink()
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(str(place.path))
            other.listen()
            theirs = place.path.stat().st_ino
            await place.listener.restore_deleted_socket()
            await place.listener.restore_deleted_socket()
            place.listener.stop()
            assert place.path.stat().st_ino == theirs
        assert caplog.text.count("another Conductor answers") == 1

    with_place(work)


def test_a_running_conductor_is_reached_again_after_its_socket_was_deleted():
    with running_conductor(environment=WITHOUT_PARTS) as conductor:
        (conductor.home / "mcp.sock").unlink()
        (conductor.home / "run" / "socket").unlink()
        wait_for((conductor.home / "run" / "socket").exists, bool)
        assert "running" in conductor.cli("status").stdout


def test_on_a_full_disk_it_is_reached_at_the_usual_place():
    with short_home() as home:
        (home / "run").mkdir()
        (home / "run" / "socket").symlink_to("/dev/full")
        with running_conductor(environment=WITHOUT_PARTS, home=home) as conductor:
            assert "running" in conductor.cli("status").stdout
            assert f"{home}/run/socket cannot be written: No space left" in conductor.log()
