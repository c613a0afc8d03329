"""What the user accepted of other people's servers, over starts."""

from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from conductor.domain.pins import Pin
from conductor.storage.database import Database
from conductor.storage.pins import ToolPins

Start = Callable[[], ToolPins]
LOOK = Pin.of("look", {"name": "look", "description": "looks"})
OTHER = Pin.of("look", {"name": "look", "description": "looks away"})


@pytest.fixture
def pins(tmp_path: Path) -> Generator[Callable[[], ToolPins]]:
    """Open the database anew each time, as another start does."""
    opened: list[Database] = []

    def start() -> ToolPins:
        opened.append(Database(tmp_path / "conductor.db"))
        return ToolPins(lambda database=opened[-1]: database)

    yield start
    for database in opened:
        database.close()


def test_a_server_that_was_never_seen_is_told_from_one_without_tools(pins: Start):
    kept = pins()
    assert kept.accepted("a") is None
    kept.accept("a", ())
    assert kept.accepted("a") == {}
    assert kept.accepted("b") is None


def test_what_was_accepted_is_there_after_a_start_and_the_last_word_counts(pins: Start):
    pins().accept("a", (LOOK,))
    assert pins().accepted("a") == {"look": LOOK}
    pins().accept("a", (OTHER,))
    assert pins().accepted("a") == {"look": OTHER}


def test_how_a_server_speaks_is_no_word_about_its_tools(pins: Start):
    kept = pins()
    assert kept.era("a") == "auto"
    kept.keep_era("a", "legacy")
    assert (kept.era("a"), kept.accepted("a")) == ("legacy", None)


def test_a_forgotten_server_is_a_new_one(pins: Start):
    kept = pins()
    kept.accept("a", (LOOK,))
    kept.accept("b", (LOOK,))
    kept.keep_era("a", "legacy")
    kept.forget("a")
    assert (kept.accepted("a"), kept.era("a")) == (None, "auto")
    assert kept.accepted("b") == {"look": LOOK}


def test_the_order_of_fields_is_no_change_and_everything_else_is():
    assert Pin.of("a", {"x": 1, "y": [1, 2]}).digest == Pin.of("a", {"y": [1, 2], "x": 1}).digest
    objects = [{"x": 1}, {"x": "1"}, {"x": True}, {"x": 1, "y": None}, {"x": 1.5}, {"x": "\u200b1"}]
    assert len({Pin.of("a", each).digest for each in objects}) == len(objects)
