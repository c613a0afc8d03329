"""The accepted tools of external servers, across restarts."""

from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from conductor.domain.pins import Pin
from conductor.storage.database import Database
from conductor.storage.pins import ToolPins

Start = Callable[[], ToolPins]
LOOK = Pin.from_tool("look", {"name": "look", "description": "looks"})
OTHER = Pin.from_tool("look", {"name": "look", "description": "looks away"})


@pytest.fixture
def pins(tmp_path: Path) -> Generator[Callable[[], ToolPins]]:
    """Return a function that reopens the database, as a restart does."""
    opened: list[Database] = []

    def start() -> ToolPins:
        opened.append(Database(tmp_path / "conductor.db"))
        return ToolPins(lambda database=opened[-1]: database)

    yield start
    for database in opened:
        database.close()


def test_an_unknown_server_is_distinguished_from_one_without_tools(pins: Start):
    kept = pins()
    assert kept.read_accepted_tools("a") is None
    kept.accept_tools("a", ())
    assert kept.read_accepted_tools("a") == {}
    assert kept.read_accepted_tools("b") is None


def test_accepted_tools_survive_a_restart_and_the_last_acceptance_counts(pins: Start):
    pins().accept_tools("a", (LOOK,))
    assert pins().read_accepted_tools("a") == {"look": LOOK}
    pins().accept_tools("a", (OTHER,))
    assert pins().read_accepted_tools("a") == {"look": OTHER}


def test_recording_the_era_does_not_accept_tools(pins: Start):
    kept = pins()
    assert kept.read_protocol_era("a") == "auto"
    kept.set_protocol_era("a", "legacy")
    assert (kept.read_protocol_era("a"), kept.read_accepted_tools("a")) == ("legacy", None)


def test_a_deleted_server_counts_as_new(pins: Start):
    kept = pins()
    kept.accept_tools("a", (LOOK,))
    kept.accept_tools("b", (LOOK,))
    kept.set_protocol_era("a", "legacy")
    kept.forget_server("a")
    assert (kept.read_accepted_tools("a"), kept.read_protocol_era("a")) == (None, "auto")
    assert kept.read_accepted_tools("b") == {"look": LOOK}


def test_only_the_order_of_fields_does_not_change_a_digest():
    assert (
        Pin.from_tool("a", {"x": 1, "y": [1, 2]}).digest
        == Pin.from_tool("a", {"y": [1, 2], "x": 1}).digest
    )
    objects = [{"x": 1}, {"x": "1"}, {"x": True}, {"x": 1, "y": None}, {"x": 1.5}, {"x": "\u200b1"}]
    assert len({Pin.from_tool("a", each).digest for each in objects}) == len(objects)
