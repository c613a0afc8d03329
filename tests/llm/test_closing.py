"""When the connections of a provider are closed that was replaced while a request is in progress."""

import asyncio
import threading
from typing import Any

from conductor.domain.chat.messages import ModelInfo
from conductor.llm.lazy_provider import LazyProvider
from conductor.llm.registry import build_provider_row

WITHIN_S = 20.0


class Opened:
    """A provider with open connections, whose list of models comes when a test allows it."""

    def __init__(self) -> None:
        self.is_asked, self.may_answer = asyncio.Event(), asyncio.Event()
        self.closed = 0

    async def list_models(self) -> list[ModelInfo]:
        self.is_asked.set()
        await self.may_answer.wait()
        assert not self.closed
        return []

    async def close(self) -> None:
        self.closed += 1


def build_lazy_provider(create: Any) -> LazyProvider:
    return LazyProvider(build_provider_row("openai", None, "key"), create, lambda _health: None)


def test_a_provider_that_is_closed_while_it_opens_is_closed_after_its_request() -> None:
    is_opening, may_open = threading.Event(), threading.Event()

    async def run() -> int:
        opened = Opened()
        opened.may_answer.set()

        def create() -> Opened:
            is_opening.set()
            may_open.wait(WITHIN_S)
            return opened

        provider = build_lazy_provider(create)
        listing = asyncio.create_task(provider.list_models())
        await asyncio.to_thread(is_opening.wait, WITHIN_S)
        await provider.close()
        may_open.set()
        await listing
        return opened.closed

    assert asyncio.run(run()) == 1


def test_a_provider_is_closed_only_after_the_request_in_progress() -> None:
    async def run() -> tuple[int, int]:
        opened = Opened()
        provider = build_lazy_provider(lambda: opened)
        listing = asyncio.create_task(provider.list_models())
        await asyncio.wait_for(opened.is_asked.wait(), WITHIN_S)
        await provider.close()
        before = opened.closed
        opened.may_answer.set()
        await listing
        return before, opened.closed

    assert asyncio.run(run()) == (0, 1)


def test_a_provider_is_closed_when_its_request_is_cancelled() -> None:
    async def run() -> int:
        opened = Opened()
        provider = build_lazy_provider(lambda: opened)
        listing = asyncio.create_task(provider.list_models())
        await asyncio.wait_for(opened.is_asked.wait(), WITHIN_S)
        await provider.close()
        listing.cancel()
        await asyncio.wait([listing])
        return opened.closed

    assert asyncio.run(run()) == 1
