"""What goes on around a server that works: a database that cannot be used, lists that seem to change."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, closing
from itertools import count, pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import text
from tests.mcp_client.stand import PATIENT, WITHIN_S, Stand, hostile, with_host

from conductor.errors import NotAvailable
from conductor.mcp.client import supervisor
from conductor.mcp.client.supervisor import Supervisor, Times
from conductor.mcp.client.values import Question, QuestionAnswer, Server
from conductor.storage.database import Database
from conductor.storage.pins import ToolPins

NOT_NOW = "CREATE TRIGGER not_now BEFORE {} ON mcp_server BEGIN SELECT RAISE(ABORT, 'locked'); END"


def run_sql(database: Database, words: str) -> None:
    with database.writing() as session:
        session.connection().execute(text(words))


def test_a_server_works_also_when_how_it_speaks_cannot_be_kept(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("plain"))
        run_sql(stand.database, "UPDATE mcp_server SET era = 'auto'")
        run_sql(stand.database, NOT_NOW.format("UPDATE"))
        await stand.host.restart("it")
        assert (stand.view().state, stand.view().problem) == ("ready", None)

    with_host(tmp_path, work)


def test_a_server_that_fails_tells_its_own_reason_when_that_cannot_be_kept(tmp_path: Path):
    async def work(stand: Stand):
        run_sql(stand.database, NOT_NOW.format("INSERT"))
        await stand.host.start(hostile("gone"))
        assert "it exited with code 2" in (stand.view().problem or "")

    with_host(tmp_path, work)


def test_a_server_that_speaks_as_before_needs_nothing_written(tmp_path: Path):
    async def work(stand: Stand):
        await stand.host.start(hostile("plain"))
        with closing(sqlite3.connect(stand.database.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            await stand.host.restart("it")
        assert stand.view().state == "ready"

    with_host(tmp_path, work)


class Forgetful(ToolPins):
    """Pins of a database that is busy whenever it is asked how a server speaks."""

    def era(self, identity: str) -> str:
        raise NotAvailable("database is locked")


async def nobody(question: Question) -> QuestionAnswer:
    raise AssertionError(question)


@asynccontextmanager
async def supervised(
    folder: Path,
    server: Server,
    kind: Callable[[Callable[[], Database]], ToolPins] = ToolPins,
    times: Times = PATIENT,
) -> AsyncGenerator[tuple[Supervisor, list[str]]]:
    """Return who runs a server that has been tried, and what it tells from now on."""
    told = list[str]()
    database = Database(folder / "conductor.db")
    one = Supervisor(server, kind(lambda: database), nobody, lambda: told.append(one.state), times)
    one.start()
    try:
        async with asyncio.timeout(WITHIN_S):
            await one.first_attempt_done.wait()
            told.clear()
            yield one, told
    finally:
        await one.stop()
        database.close()


@pytest.mark.parametrize("kind", [ToolPins, Forgetful])
def test_a_server_starts_also_when_how_it_spoke_cannot_be_read(
    tmp_path: Path, kind: type[ToolPins]
):
    async def scenario() -> None:
        async with supervised(tmp_path, hostile("plain"), kind) as (one, _):
            assert one.state == "ready"

    asyncio.run(scenario())


QUICK = Times(back_off_s=(), settle_s=0.01)


async def listings(one: Supervisor, often: int) -> list[float]:
    """Wait until it was listed so often, and give when."""
    while True:
        at = [float(line.split()[-1]) for line in one.log.lines()]
        if len(at) >= often:
            return at[:often]
        await asyncio.sleep(0.01)


def test_lists_that_come_back_the_same_are_told_to_nobody(tmp_path: Path):
    async def scenario() -> None:
        async with supervised(tmp_path, hostile("restless"), times=QUICK) as (one, told):
            await listings(one, 5)
            assert told == []
            assert set(one.offered) == {"look", "second"}

    asyncio.run(scenario())


def clock_at(monkeypatch: pytest.MonkeyPatch, now: Callable[[], float]) -> None:
    monkeypatch.setattr(supervisor, "clock", SimpleNamespace(now=now))


def test_a_server_that_says_changed_at_each_listing_is_listed_ever_more_rarely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    clock_at(monkeypatch, lambda: 0.0)

    async def scenario() -> None:
        async with supervised(tmp_path, hostile("restless"), times=QUICK) as (one, _):
            at = await listings(one, 6)
            waits_s = [after - before for before, after in pairwise(at)]
            assert all(wait >= 0.01 * 2**n for n, wait in enumerate(waits_s)), waits_s

    asyncio.run(scenario())


def test_a_server_that_was_quiet_for_long_is_listed_as_soon_as_at_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    clock_at(monkeypatch, map(float, count(0, 1_000)).__next__)
    hours = Times(back_off_s=(), settle_s=0.01, max_settle_s=10_000)

    async def scenario() -> None:
        async with supervised(tmp_path, hostile("restless"), times=hours) as (one, _):
            assert len(await listings(one, 20)) == 20  # after 20 doublings: in three hours

    asyncio.run(scenario())
