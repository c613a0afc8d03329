"""What goes on around a server that works: a database that cannot be used, lists that seem to change."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.mcp_host.stand import PATIENT, Stand, hostile, with_host

from conductor.errors import NotAvailable
from conductor.mcp.host.supervisor import Supervisor
from conductor.mcp.host.values import Question, QuestionAnswer
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
        assert "it ended by itself with code 2" in (stand.view().problem or "")

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


def supervised(folder: Path, kind: Callable[[Callable[[], Database]], ToolPins]) -> str:
    async def scenario() -> str:
        database = Database(folder / "conductor.db")
        one = Supervisor(hostile("plain"), kind(lambda: database), nobody, lambda: None, PATIENT)
        one.start()
        try:
            await asyncio.wait_for(one.tried.wait(), 30)
            return one.state
        finally:
            await one.stop()
            database.close()

    return asyncio.run(scenario())


@pytest.mark.parametrize("kind", [ToolPins, Forgetful])
def test_a_server_starts_also_when_how_it_spoke_cannot_be_read(
    tmp_path: Path, kind: type[ToolPins]
):
    assert supervised(tmp_path, kind) == "ready"
