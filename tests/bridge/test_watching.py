"""Whether a page receives events is what it asked for last."""

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

from conductor.bridge.dispatch import CommandDispatcher
from conductor.bridge.emitter import Listener


class DelayedListener(Listener):
    """A page whose request to stop is delayed, if a worker thread runs it, until after its next request."""

    def __init__(self) -> None:
        super().__init__()
        self._started = threading.Event()

    def set_trace_watching(self, *, on: bool) -> None:
        if not on and threading.current_thread() is not threading.main_thread():
            self._started.wait(10)
        super().set_trace_watching(on=on)
        if on:
            self._started.set()


def test_a_page_whose_view_changes_goes_on_receiving_events() -> None:
    services: Any = SimpleNamespace(app=SimpleNamespace(requester=None))

    async def change_view() -> bool:
        dispatcher = CommandDispatcher(services)
        page: Any = DelayedListener()
        calls = (dispatcher.run_command("monitor.watch", {"on": on}, page) for on in (False, True))
        assert all(answer["ok"] for answer in await asyncio.gather(*calls))
        dispatcher.close()
        return page.is_watching_traces

    assert asyncio.run(change_view())
