"""A server that follows its settings: it is started again after a failure, and applies changed files by itself."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from conductor.errors import NotAvailable
from conductor.mcp import managed_server
from conductor.mcp.managed_server import ManagedServer

WITHIN_S = 20


class Recorded:
    """A server that counts how often its files were reloaded."""

    def __init__(self, settings: str) -> None:
        self.settings = settings
        self.is_running = True
        self.reloads = 0
        self.failure: Exception | None = None

    async def stop(self) -> None:
        self.is_running = False

    def reload_files(self) -> bool:
        self.reloads += 1
        if self.failure is not None:
            raise self.failure
        return False


class Managed(ManagedServer[str, Recorded]):
    def __init__(self) -> None:
        super().__init__()
        self.settings: str | None = "first"
        self.failure: Exception | None = None
        self.started: list[Recorded] = []
        self.problems: list[str | None] = []
        self.changed = asyncio.Event()

    def _read_settings(self) -> str | None:
        if self.settings == "impossible":
            raise NotAvailable("set another setting")
        return self.settings

    async def _start_server(self, settings: str) -> Recorded:
        if self.failure is not None:
            raise self.failure
        self.started.append(Recorded(settings))
        return self.started[-1]

    def _on_status_change(self) -> None:
        self.problems.append(self.problem)
        self.changed.set()

    async def wait_for_change(self) -> None:
        await self.changed.wait()
        self.changed.clear()


def manage(work: Callable[[Managed], Awaitable[None]]) -> None:
    async def run() -> None:
        managed = Managed()
        managed.start()
        try:
            async with asyncio.timeout(WITHIN_S):
                await managed.wait_for_change()
                await work(managed)
        finally:
            await managed.stop()
        assert not any(server.is_running for server in managed.started)

    asyncio.run(run())


def test_it_is_replaced_when_its_settings_change_and_stopped_when_they_forbid_it():
    async def work(managed: Managed) -> None:
        managed.on_settings_changed()
        managed.settings = "second"
        managed.on_settings_changed()
        await managed.wait_for_change()
        managed.settings = "impossible"
        managed.on_settings_changed()
        await managed.wait_for_change()
        assert [server.settings for server in managed.started] == ["first", "second"]
        assert not any(server.is_running for server in managed.started)
        assert managed.problems == [None, None, "set another setting"]

    manage(work)


@pytest.mark.parametrize("failure", [NotAvailable("the port is taken"), OSError("no such device")])
def test_it_is_started_again_by_itself_after_a_failure(
    monkeypatch: pytest.MonkeyPatch, failure: Exception
):
    monkeypatch.setattr(managed_server, "CHECK_INTERVAL_S", 0.001)

    async def work(managed: Managed) -> None:
        managed.failure = failure
        managed.settings = "second"
        await managed.wait_for_change()
        assert str(failure) in (managed.problem or "")
        managed.failure = None
        await managed.wait_for_change()
        assert managed.problem is None
        assert managed.started[-1].settings == "second"

    manage(work)


@pytest.mark.parametrize("failure", [NotAvailable("renew it"), OSError("no such device")])
def test_its_files_are_checked_again_and_again_also_after_a_failure(
    monkeypatch: pytest.MonkeyPatch, failure: Exception
):
    monkeypatch.setattr(managed_server, "CHECK_INTERVAL_S", 0.001)

    async def work(managed: Managed) -> None:
        server = managed.started[0]
        server.failure = failure
        await managed.wait_for_change()
        assert str(failure) in (managed.problem or "")
        server.failure = None
        await managed.wait_for_change()
        assert managed.problem is None
        assert server.is_running
        assert managed.started == [server]

    manage(work)


def test_a_change_of_the_settings_while_it_is_stopped_starts_nothing():
    async def work(managed: Managed) -> None:
        managed.settings = "second"
        managed.on_settings_changed()
        await managed.stop()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert [server.settings for server in managed.started] == ["first"]

    manage(work)
