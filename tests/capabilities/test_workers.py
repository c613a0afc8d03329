"""Work that hangs: it keeps its own place, and nothing that others need."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from tests.capabilities.web_stage import Site, http, only_the_test_server

from conductor.capabilities import files, web_fetch, web_search
from conductor.capabilities.files import Files
from conductor.capabilities.web_fetch import WebPages
from conductor.capabilities.web_search import WebSearch
from conductor.capabilities.workers import LimitedThreads
from conductor.errors import NotAvailable

WITHIN_S = 20.0


class Hanging:
    """Work that continues until the test ends it."""

    def __init__(self) -> None:
        self.begun = asyncio.Semaphore(0)
        self.finish = threading.Event()
        self._loop = asyncio.get_running_loop()

    def __call__(self, *_: object) -> str:
        self._loop.call_soon_threadsafe(self.begun.release)
        self.finish.wait()
        return "done"

    async def has_begun(self) -> None:
        async with asyncio.timeout(WITHIN_S):
            await self.begun.acquire()


def alone(work: Callable[[Hanging], Awaitable[None]]) -> None:
    """Run it in a loop whose own pool has only one thread, and end it afterwards."""

    async def scenario() -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        hanging = Hanging()
        try:
            await work(hanging)
        finally:
            hanging.finish.set()

    asyncio.run(scenario())


async def pool_is_free() -> None:
    async with asyncio.timeout(WITHIN_S):
        await asyncio.to_thread(int)


def test_a_file_that_hangs_holds_up_no_other_work(tmp_path: Path):
    (tmp_path / "a.mid").write_bytes(b"MThd")

    async def work(hanging: Hanging) -> None:
        reader = Files(lambda: [str(tmp_path)], tmp_path / "home", hanging)
        reading = asyncio.create_task(reader.read(str(tmp_path / "a.mid")))
        await hanging.has_begun()
        await pool_is_free()
        hanging.finish.set()
        assert (await reading).text == "done"

    alone(work)


def test_a_drive_that_does_not_answer_is_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "a.mid").write_bytes(b"MThd")
    monkeypatch.setattr(files, "READ_TIMEOUT_S", 0.0)

    async def work(hanging: Hanging) -> None:
        reader = Files(lambda: [str(tmp_path)], tmp_path / "home", hanging)
        with pytest.raises(NotAvailable, match="on a drive that does not respond"):
            await reader.read(str(tmp_path / "a.mid"))

    alone(work)


def test_a_search_that_hangs_holds_up_no_other_work(monkeypatch: pytest.MonkeyPatch):
    async def work(hanging: Hanging) -> None:
        monkeypatch.setattr(web_search, "_query_engines", hanging)
        searching = asyncio.create_task(WebSearch(lambda: "").search("zaptron", 3))
        await hanging.has_begun()
        await pool_is_free()
        searching.cancel()

    alone(work)


def test_a_page_that_is_read_for_long_holds_up_no_other_work(monkeypatch: pytest.MonkeyPatch):
    async def work(hanging: Hanging) -> None:
        monkeypatch.setattr(web_fetch, "_extract_text", hanging)
        async with Site() as site:
            site.answers = {"/": http("<p>Pads", "Content-Type: text/html")}
            fetching = asyncio.create_task(WebPages(only_the_test_server).fetch(site.url()))
            await hanging.has_begun()
            await pool_is_free()
            fetching.cancel()

    alone(work)


def test_what_hangs_keeps_its_place_until_it_ends():
    async def work(hanging: Hanging) -> None:
        workers = LimitedThreads(2)
        given_up = [asyncio.create_task(workers.run_in_thread(hanging)) for _ in range(2)]
        for _ in given_up:
            await hanging.has_begun()
        for task in given_up:
            task.cancel()
        await asyncio.wait(given_up)
        before = set(threading.enumerate())
        third = asyncio.create_task(workers.run_in_thread(partial(str, "third")))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert set(threading.enumerate()) <= before
        hanging.finish.set()
        async with asyncio.timeout(WITHIN_S):
            assert await third == "third"

    alone(work)


def test_work_that_fails_gives_its_place_back():
    async def work(_hanging: Hanging) -> None:
        workers = LimitedThreads(1)
        for _ in range(3):
            with pytest.raises(ValueError, match="invalid literal"):
                await workers.run_in_thread(partial(int, "none"))

    alone(work)
