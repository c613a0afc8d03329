"""The supervisor of a server that works: a database that fails, and lists that are announced as changed."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, closing
from itertools import count, pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import text
from tests.mcp_client.rig import PATIENT, WITHIN_S, ClientRig, hostile, with_client

from conductor.errors import NotAvailable
from conductor.mcp.client import supervisor
from conductor.mcp.client.supervisor import ServerSupervisor, SupervisorTimes
from conductor.mcp.client.values import ConsentedServer, UserAnswer, UserQuestion
from conductor.storage.database import Database
from conductor.storage.pins import ToolPins

NOT_NOW = "CREATE TRIGGER not_now BEFORE {} ON mcp_server BEGIN SELECT RAISE(ABORT, 'locked'); END"


def run_sql(database: Database, statement: str) -> None:
    with database.write_session() as session:
        session.connection().execute(text(statement))


def test_a_server_works_even_if_its_era_cannot_be_stored(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("plain"))
        run_sql(rig.database, "UPDATE mcp_server SET era = 'auto'")
        run_sql(rig.database, NOT_NOW.format("UPDATE"))
        await rig.manager.restart("it")
        assert (rig.view().state, rig.view().problem) == ("ready", None)

    with_client(tmp_path, work)


def test_a_server_that_fails_reports_its_own_reason_if_its_era_cannot_be_stored(tmp_path: Path):
    async def work(rig: ClientRig):
        run_sql(rig.database, NOT_NOW.format("INSERT"))
        await rig.manager.start(hostile("gone"))
        assert "it exited with code 2" in (rig.view().problem or "")

    with_client(tmp_path, work)


def test_nothing_is_written_for_an_unchanged_era(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(hostile("plain"))
        with closing(sqlite3.connect(rig.database.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            await rig.manager.restart("it")
        assert rig.view().state == "ready"

    with_client(tmp_path, work)


class LockedPins(ToolPins):
    """Pins of a database that is locked whenever the protocol era is read."""

    def era(self, identity: str) -> str:
        raise NotAvailable("database is locked")


async def fail_on_question(question: UserQuestion) -> UserAnswer:
    raise AssertionError(question)


@asynccontextmanager
async def supervised(
    folder: Path,
    server: ConsentedServer,
    kind: Callable[[Callable[[], Database]], ToolPins] = ToolPins,
    times: SupervisorTimes = PATIENT,
) -> AsyncGenerator[tuple[ServerSupervisor, list[str]]]:
    """Yield the supervisor of a server after its first attempt, and the states that it reports from then on."""
    states = list[str]()
    database = Database(folder / "conductor.db")
    runner = ServerSupervisor(
        server, kind(lambda: database), fail_on_question, lambda: states.append(runner.state), times
    )
    runner.start()
    try:
        async with asyncio.timeout(WITHIN_S):
            await runner.first_attempt_done.wait()
            states.clear()
            yield runner, states
    finally:
        await runner.stop()
        database.close()


@pytest.mark.parametrize("kind", [ToolPins, LockedPins])
def test_a_server_starts_even_if_its_era_cannot_be_read(tmp_path: Path, kind: type[ToolPins]):
    async def scenario() -> None:
        async with supervised(tmp_path, hostile("plain"), kind) as (runner, _):
            assert runner.state == "ready"

    asyncio.run(scenario())


QUICK = SupervisorTimes(back_off_s=(), settle_s=0.01)


async def listings(runner: ServerSupervisor, often: int) -> list[float]:
    """Wait for the first `often` listings; return their times."""
    while True:
        at = [float(line.split()[-1]) for line in runner.log.get_lines()]
        if len(at) >= often:
            return at[:often]
        await asyncio.sleep(0.01)


def test_unchanged_lists_are_not_reported(tmp_path: Path):
    async def scenario() -> None:
        async with supervised(tmp_path, hostile("restless"), times=QUICK) as (runner, states):
            await listings(runner, 5)
            assert states == []
            assert set(runner.offered) == {"look", "second"}

    asyncio.run(scenario())


def clock_at(monkeypatch: pytest.MonkeyPatch, now: Callable[[], float]) -> None:
    monkeypatch.setattr(supervisor, "clock", SimpleNamespace(now=now))


def test_a_server_that_announces_changes_at_each_listing_is_listed_less_and_less_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    clock_at(monkeypatch, lambda: 0.0)

    async def scenario() -> None:
        async with supervised(tmp_path, hostile("restless"), times=QUICK) as (runner, _):
            at = await listings(runner, 6)
            waits_s = [after - before for before, after in pairwise(at)]
            assert all(wait >= 0.01 * 2**n for n, wait in enumerate(waits_s)), waits_s

    asyncio.run(scenario())


def test_after_a_quiet_period_lists_are_read_promptly_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    clock_at(monkeypatch, map(float, count(0, 1_000)).__next__)
    hours = SupervisorTimes(back_off_s=(), settle_s=0.01, max_settle_s=10_000)

    async def scenario() -> None:
        async with supervised(tmp_path, hostile("restless"), times=hours) as (runner, _):
            assert len(await listings(runner, 20)) == 20  # after 20 doublings: in three hours

    asyncio.run(scenario())
