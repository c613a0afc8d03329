"""The lists of models that are kept for a start without network."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from conductor.storage.database import Database
from conductor.storage.model_lists import KEPT_S, ModelLists


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "conductor.db")
    yield database
    database.close()


def test_the_last_list_is_given_for_a_day_and_only_for_its_address(database: Database) -> None:
    now = [1_000_000.0]
    lists = ModelLists(lambda: database, lambda: now[0])
    assert lists.load("lab", "http://lab") is None
    lists.keep("lab", "http://lab", "first")
    lists.keep("lab", "http://lab", "second")
    lists.keep("other", "http://other", "third")

    assert lists.load("lab", "http://lab") == "second"
    assert lists.load("lab", "http://moved") is None
    now[0] += KEPT_S - 1
    assert lists.load("lab", "http://lab") == "second"
    now[0] += 1
    assert lists.load("lab", "http://lab") is None


def test_a_clock_that_was_set_back_makes_no_list_last_longer(database: Database) -> None:
    now = [1_000_000.0]
    lists = ModelLists(lambda: database, lambda: now[0])
    lists.keep("lab", "http://lab", "first")
    now[0] -= 1

    assert lists.load("lab", "http://lab") is None
