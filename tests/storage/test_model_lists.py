"""The cached model lists, for starts without network."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from conductor.storage.database import Database
from conductor.storage.model_lists import MAX_MODEL_LIST_AGE_S, ModelLists


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "conductor.db")
    yield database
    database.close()


def test_the_last_list_is_returned_for_a_day_and_only_for_its_address(database: Database) -> None:
    now = [1_000_000.0]
    lists = ModelLists(lambda: database, lambda: now[0])
    assert lists.load_model_list("lab", "http://lab") is None
    lists.save_model_list("lab", "http://lab", "first")
    lists.save_model_list("lab", "http://lab", "second")
    lists.save_model_list("other", "http://other", "third")

    assert lists.load_model_list("lab", "http://lab") == "second"
    assert lists.load_model_list("lab", "http://moved") is None
    now[0] += MAX_MODEL_LIST_AGE_S - 1
    assert lists.load_model_list("lab", "http://lab") == "second"
    now[0] += 1
    assert lists.load_model_list("lab", "http://lab") is None


def test_a_clock_set_back_does_not_extend_the_life_of_a_list(database: Database) -> None:
    now = [1_000_000.0]
    lists = ModelLists(lambda: database, lambda: now[0])
    lists.save_model_list("lab", "http://lab", "first")
    now[0] -= 1

    assert lists.load_model_list("lab", "http://lab") is None
