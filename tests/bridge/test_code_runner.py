"""Runs of code without pages, and runs that are given up: what the pages are told, and what the caller."""

import asyncio
from typing import Any

import pytest

from conductor.bridge import code_runner
from conductor.bridge.code_runner import CodeRunner
from conductor.bridge.emitter import Listener
from conductor.domain.code import CodeRun
from conductor.domain.page_events import CodeTopic
from conductor.errors import NotAvailable
from conductor.runtime.open_pages import OpenPages


class Pages:
    """Open pages, and the events that were published to them."""

    def __init__(self, count: int = 1) -> None:
        self.open = OpenPages()
        for _ in range(count):
            self.open.add_page()
        self.told: asyncio.Queue[CodeTopic] = asyncio.Queue()
        self.runner = CodeRunner(self.open, self._on_event)

    def _on_event(self, topic: object, payload: Any, /) -> None:
        assert topic == "code"
        self.told.put_nowait(payload)


def test_without_an_open_page_the_error_says_where_code_runs() -> None:
    with pytest.raises(NotAvailable, match="no window is open, and code runs there"):
        asyncio.run(Pages(0).runner.run("python", "1"))


def test_a_run_that_is_stopped_is_ended_in_its_page_and_the_next_one_runs() -> None:
    async def story() -> None:
        pages, page = Pages(), Listener()
        runner = pages.runner
        stopped = asyncio.create_task(runner.run("python", "while True: pass"))
        run_id = (await pages.told.get()).run_id
        assert runner.accept_run(run_id, page) is not None
        stopped.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stopped
        assert await pages.told.get() == CodeTopic(run_id=run_id, state="stopped")
        assert not runner.set_result(run_id, page, CodeRun(result="late"))

        following = asyncio.create_task(runner.run("javascript", "1"))
        run_id = (await pages.told.get()).run_id
        assert runner.accept_run(run_id, page) is not None
        assert runner.set_result(run_id, page, CodeRun(result="1"))
        assert (await following).result == "1"

    asyncio.run(story())


def test_a_run_that_no_page_takes_is_told_again_and_then_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def story() -> None:
        monkeypatch.setattr(code_runner, "RUN_ACCEPT_TIMEOUT_S", 0.01)
        pages = Pages()
        with pytest.raises(NotAvailable, match="did not accept the code"):
            await pages.runner.run("python", "1")
        told = [pages.told.get_nowait().state for _ in range(pages.told.qsize())]
        assert told == [*["wanted"] * code_runner.MAX_RUN_OFFERS, "stopped"]

    asyncio.run(story())


def test_a_page_that_takes_a_run_in_the_last_moment_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        monkeypatch.setattr(code_runner, "RUN_ACCEPT_TIMEOUT_S", 0.0)
        monkeypatch.setattr(code_runner, "MAX_RUN_OFFERS", 1)
        pages, page = Pages(), Listener()
        runner = pages.runner
        running = asyncio.create_task(runner.run("python", "1"))
        run_id = (await pages.told.get()).run_id
        assert runner.accept_run(run_id, page) is not None
        pages.open.remove_page(page)
        with pytest.raises(NotAvailable, match="reloaded"):
            await running

    asyncio.run(story())


def test_pages_that_have_not_read_of_a_run_yet_are_told_that_it_ended_with_its_page() -> None:
    async def story() -> None:
        pages, page = Pages(2), Listener()
        runner = pages.runner
        running = asyncio.create_task(runner.run("python", "1"))
        run_id = (await pages.told.get()).run_id
        assert runner.accept_run(run_id, page) is not None
        pages.open.remove_page(page)
        with pytest.raises(NotAvailable, match="reloaded"):
            await running
        assert pages.told.get_nowait() == CodeTopic(run_id=run_id, state="stopped")

    asyncio.run(story())


def test_a_page_that_never_says_how_the_code_ended_is_told_to_stop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def story() -> None:
        monkeypatch.setattr(code_runner, "SANDBOX_LOAD_TIMEOUT_S", -9.9)
        monkeypatch.setattr(code_runner, "RUN_RESULT_GRACE_S", 0.0)
        pages = Pages()
        runner = pages.runner
        running = asyncio.create_task(runner.run("python", "1"))
        run_id = (await pages.told.get()).run_id
        runner.accept_run(run_id, Listener())
        with pytest.raises(NotAvailable, match="did not report a result"):
            await running
        assert (await pages.told.get()).state == "stopped"

    asyncio.run(story())


def test_a_few_runs_wait_for_each_other_and_more_are_refused_with_what_to_do() -> None:
    async def story() -> None:
        pages, page = Pages(), Listener()
        runner = pages.runner
        runs = [
            asyncio.create_task(runner.run("python", "1"))
            for _ in range(code_runner.MAX_QUEUED_RUNS)
        ]
        first = await pages.told.get()
        with pytest.raises(NotAvailable, match="wait until one has finished"):
            await runner.run("python", "1")
        runs.pop().cancel()  # one that waits is given up, and the pages never heard of it
        for told in (first, None, None):
            run_id = (told or await pages.told.get()).run_id
            assert runner.accept_run(run_id, page) is not None
            assert runner.set_result(run_id, page, CodeRun(result=run_id))
        assert len({(await one).result for one in runs}) == len(runs) == 3
        assert pages.told.empty()

    asyncio.run(story())
