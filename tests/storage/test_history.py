"""The history of the config: undo and redo over versions that survive a restart."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from conductor.domain.plan import Requester
from conductor.errors import NothingToUndo
from conductor.storage.database import Database
from conductor.storage.history import History, Version, open_history


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    history = open_history(tmp_path / "conductor.db")
    yield history
    history.close()


def test_each_config_file_has_versions_of_its_own(tmp_path: Path):
    with (
        closing(open_history(tmp_path / "conductor.db")) as usual,
        closing(open_history(tmp_path / "conductor.db", "/elsewhere/other.toml")) as other,
    ):
        add(usual, "one", "two")
        add(other, "three")
        assert other.find_undo_target() is None
        add(other, "four")
        assert [version.text for version in other.list()] == ["four", "three"]
        assert [version.text for version in usual.list()] == ["two", "one"]
        assert undo(other) == "three"
        assert undo(usual) == "one"
        assert redo(other) == "four"
        assert usual.find_by_hash("sha256:four") is None


def add(history: History, *texts: str) -> None:
    for text in texts:
        history.add(text, f"sha256:{text}", f"write {text}")


def undo(history: History) -> str:
    return go(history, history.find_undo_target())


def redo(history: History) -> str:
    return go(history, history.find_redo_target())


def go(history: History, version: Version | None) -> str:
    assert version is not None
    history.move_to(version.id)
    return version.text


def texts(history: History) -> list[str]:
    return [version.text for version in history.list()]


def test_versions_are_listed_newest_first_with_the_current_one_marked(history: History):
    add(history, "a", "b")
    assert [(version.text, version.current) for version in history.list()] == [
        ("b", True),
        ("a", False),
    ]
    assert [version.text for version in history.list(limit=1)] == ["b"]


def parents(history: History) -> dict[str, str | None]:
    found = {version.text: history.find_parent(version) for version in history.list()}
    return {text: parent and parent.text for text, parent in found.items()}


def test_the_parent_of_a_version_is_the_one_it_was_made_from(history: History):
    add(history, "a", "b")
    undo(history)
    add(history, "c", "d")
    undo(history)
    undo(history)
    add(history, "e")
    assert parents(history) == {"e": "a", "d": "c", "c": "a", "b": "a", "a": None}


def test_a_file_of_an_older_release_has_parents_where_undo_tells_them(
    history: History, tmp_path: Path
):
    add(history, "a", "b")
    undo(history)
    add(history, "c")
    with closing(sqlite3.connect(tmp_path / "conductor.db")) as file, file:
        file.execute("UPDATE config_version SET parent = NULL")
    assert parents(history) == {"c": "a", "b": "a", "a": None}


def test_undone_versions_are_known_until_they_are_made_again(history: History):
    add(history, "a", "b", "c")
    undo(history)
    assert history.list_undone_hashes() == {"sha256:c"}
    add(history, "d")
    assert history.list_undone_hashes() == {"sha256:c"}
    add(history, "c")
    assert history.list_undone_hashes() == frozenset()


def test_undo_and_redo_step_through_the_versions(history: History):
    add(history, "a", "b", "c")
    assert [undo(history), undo(history), redo(history)] == ["b", "a", "b"]
    latest = history.latest()
    assert latest is not None
    assert latest.text == "b"


def test_undo_and_redo_stop_at_the_ends(history: History):
    assert (history.find_undo_target(), history.find_redo_target()) == (None, None)
    add(history, "a")
    assert (history.find_undo_target(), history.find_redo_target()) == (None, None)


def test_redo_skips_versions_undone_before_a_change_but_keeps_them(
    history: History,
):
    add(history, "a", "b", "c")
    undo(history)
    add(history, "d")
    assert history.find_redo_target() is None
    assert undo(history) == "b"
    assert texts(history) == ["d", "c", "b", "a"]


def test_adding_the_current_text_again_adds_no_version(history: History):
    add(history, "a", "a")
    assert texts(history) == ["a"]


def test_a_version_is_found_by_its_id(history: History):
    add(history, "a", "b")
    first = history.list()[-1]
    assert history.get(first.id) == first
    assert history.get(999) is None
    with pytest.raises(NothingToUndo, match="no longer kept"):
        history.move_to(999)


def test_versions_survive_a_restart(tmp_path: Path):
    first = open_history(tmp_path / "conductor.db")
    add(first, "a", "ü # \n" * 1000)
    first.close()
    second = open_history(tmp_path / "conductor.db")
    assert texts(second) == ["ü # \n" * 1000, "a"]
    assert undo(second) == "a"
    second.close()


def test_the_oldest_are_dropped(tmp_path: Path):
    history = History(Database(tmp_path / "conductor.db"), max_rows=3)
    add(history, *"abcdef")
    assert texts(history) == ["f", "e", "d"]
    history.close()


def test_threads_and_a_second_connection_can_add_at_the_same_time(tmp_path: Path):
    histories = [open_history(tmp_path / "conductor.db") for _ in range(2)]

    def work(number: int) -> None:
        for step in range(10):
            add(histories[number % 2], f"{number}-{step}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(texts(histories[0])) == 40
    assert sum(version.current for version in histories[0].list()) == 1
    for history in histories:
        history.close()


def test_a_version_keeps_its_author_after_a_restart(tmp_path: Path):
    agent = Requester(caller="chat", client="home/llama")
    history = open_history(tmp_path / "conductor.db")
    history.add("a", "1", "r", agent)
    history.add("b", "2", "edited by hand")
    history.close()
    history = open_history(tmp_path / "conductor.db")
    assert [version.author for version in history.list()] == [None, agent]
    history.close()


def test_a_file_without_the_author_column_keeps_its_versions_and_takes_new_ones(tmp_path: Path):
    path = tmp_path / "conductor.db"
    history = open_history(path)
    add(history, "a")
    history.close()
    with closing(sqlite3.connect(path)) as older:
        older.execute("ALTER TABLE config_version DROP COLUMN author")
    agent = Requester(caller="mcp", client="agent")
    history = open_history(path)
    history.add("b", "2", "r", agent)
    assert [(version.text, version.author) for version in history.list()] == [
        ("b", agent),
        ("a", None),
    ]
    history.close()


def test_an_author_of_an_unknown_kind_is_read_as_none(tmp_path: Path):
    history = open_history(tmp_path / "conductor.db")
    history.add("a", "1", "r", Requester(caller="mcp"))
    with closing(sqlite3.connect(tmp_path / "conductor.db")) as newer:
        newer.execute("""UPDATE config_version SET author = '{"caller": "telepathy"}'""")
        newer.commit()
    assert [version.author for version in history.list()] == [None]
    history.close()
