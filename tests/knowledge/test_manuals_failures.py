"""Manuals survive what happens at the same time, and what fails for a while; a failure says what to do."""

import shutil
import sqlite3
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.knowledge.conftest import MODEL
from tests.support.running import wait_for

from conductor.base.resource_paths import find_knowledge_paths
from conductor.cli.main import main
from conductor.domain.manuals import Manual
from conductor.errors import InvalidParams
from conductor.knowledge.library import KnowledgeBase
from conductor.knowledge.manuals import host
from conductor.knowledge.manuals.host import ManualIndexer
from conductor.knowledge.manuals.index_process import DATABASE_EXIT_CODE, index_waiting
from conductor.knowledge.manuals.library import ManualLibrary
from conductor.knowledge.manuals.store import MAX_ATTEMPTS, ManualStore

WAIT_S = 60.0
FAILING_PROGRAM = ("/bin/false",)
TEXT = "# Zoggler\n\n| Control | CC |\n|---|---|\n| Drive | 17 |\n| Mix | 18 |\n"
PAGES = "\n\n".join(
    f"Chapter {number} of the Zoggler. " + "It bends sounds. " * 150 for number in range(9)
)


@pytest.fixture
def store(tmp_path: Path) -> Generator[ManualStore]:
    with closing(ManualStore(tmp_path / "manuals")) as store:
        yield store


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "zoggler.md"
    path.write_text(TEXT)
    return path


def add(store: ManualStore, path: Path) -> Manual:
    return store.add_file(path, path.name, "2026-11-29T12:00:00+00:00")


def list_copies(store: ManualStore) -> list[str]:
    return [path.name for path in store.folder.glob("*.md*")]


def test_a_file_that_is_added_twice_at_once_is_one_manual(
    store: ManualStore, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_have_looked = threading.Barrier(2)
    copy = shutil.copyfile

    def copy_together(source: Path, target: Path) -> None:
        copy(source, target)
        both_have_looked.wait(WAIT_S)

    monkeypatch.setattr(shutil, "copyfile", copy_together)
    with ThreadPoolExecutor(2) as pool, closing(ManualStore(store.folder)) as other:
        results = [pool.submit(add, one, file) for one in (store, other)]
        problems = [result.exception(WAIT_S) for result in results]
    (problem,) = [one for one in problems if one is not None]
    assert isinstance(problem, InvalidParams)
    assert str(problem) == "zoggler.md is already in your manuals, as 'zoggler'"
    assert len(store.list_manuals()) == len(list_copies(store)) == 1


def test_a_manual_that_is_added_again_while_it_is_removed_keeps_its_file(
    store: ManualStore, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = add(store, file)
    delete = Path.unlink
    added: list[Manual] = []

    def add_first(path: Path, *, missing_ok: bool = False) -> None:
        if not added:
            with closing(ManualStore(store.folder)) as other:
                added.append(add(other, file))
        delete(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", add_first)
    store.remove_manual(old.id)
    (manual,) = store.list_manuals()
    assert manual == added[0]
    assert store.get_file(manual.id).read_text() == TEXT
    assert len(list_copies(store)) == 1


def test_a_full_disk_is_no_fault_of_the_manual(
    store: ManualStore, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(PAGES)
    manual = add(store, file)

    def limit_pages(more: int) -> None:
        with store.transaction() as database:
            (count,) = database.execute("PRAGMA page_count").fetchone()
            database.execute(f"PRAGMA max_page_count = {count + more}")

    limit_pages(0)
    for _ in range(MAX_ATTEMPTS + 2):
        assert index_waiting(store, None) == DATABASE_EXIT_CODE
        assert "free some space" in capsys.readouterr().out
        assert store.get_manual(manual.id).state == "indexing"
    limit_pages(10_000)
    assert index_waiting(store, None) == 0
    assert store.get_manual(manual.id).state == "ready"


def test_a_locked_database_says_what_to_do_and_fails_no_manual(
    store: ManualStore,
    file: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("conductor.knowledge.manuals.store.BUSY_TIMEOUT_S", 0.0)
    manual = add(store, file)
    other = sqlite3.connect(store.folder / "manuals.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert index_waiting(store, None) == DATABASE_EXIT_CODE
    assert "another program uses it" in capsys.readouterr().out
    other.close()
    assert index_waiting(store, None) == 0
    assert store.get_manual(manual.id).state == "ready"


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        (FAILING_PROGRAM, "the process for it ended with code 1; restart Conductor"),
        (("/nowhere/at/all",), "the process for it cannot be started (No such file or directory)"),
    ],
)
def test_a_manual_whose_process_does_not_run_says_why(
    store: ManualStore,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    program: Sequence[str],
    problem: str,
) -> None:
    monkeypatch.setattr(host, "RETRY_DELAYS_S", (0.0,))
    manual = add(store, file)
    run_to_the_end(ManualIndexer(store, MODEL, lambda: None, program))
    waiting = store.get_manual(manual.id)
    assert waiting.state == "waiting"
    assert waiting.problem.startswith(f"Conductor cannot index manuals now: {problem}")
    assert index_waiting(store, None) == 0
    assert store.get_manual(manual.id).problem == ""


def run_to_the_end(indexer: ManualIndexer) -> None:
    indexer.start()
    wait_for(lambda: indexer.is_running, lambda is_running: not is_running)


def test_a_manual_that_is_added_while_the_indexer_ends_is_not_forgotten(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "RETRY_DELAYS_S", ())

    class StoreWithLateFile(ManualStore):
        """Adds a manual after the indexer has seen that none waits, and before it has ended."""

        on_finished: Callable[[], Any] | None = None

        def has_unfinished_manuals(self) -> bool:
            found = super().has_unfinished_manuals()
            if self.on_finished is not None:
                add_late, self.on_finished = self.on_finished, None
                add_late()
            return found

    with closing(StoreWithLateFile(tmp_path / "manuals")) as store:
        indexer = ManualIndexer(store, MODEL, lambda: None, FAILING_PROGRAM)

        def add_late() -> None:
            add(store, file)
            indexer.start()

        store.on_finished = add_late
        run_to_the_end(indexer)
        assert "ended with code 1" in store.list_manuals()[0].problem  # so it was tried


def test_the_command_ends_if_a_manual_cannot_be_indexed_now_and_says_why(
    tmp_path: Path,
    file: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(host, "RETRY_DELAYS_S", ())
    monkeypatch.setattr(host, "build_command", lambda: list(FAILING_PROGRAM))
    monkeypatch.setenv("CONDUCTOR_HOME", str(tmp_path))
    assert main(["knowledge", "add", str(file)]) == 1
    problem = "Conductor cannot index manuals now: the process for it ended with code 1"
    assert f"zoggler.md is added, but not indexed yet. {problem}" in capsys.readouterr().err
    assert main(["knowledge", "list"]) == 0
    assert f"zoggler (waiting: {problem}" in capsys.readouterr().out


def test_manuals_that_cannot_be_searched_are_left_out_with_a_notice(
    tmp_path: Path, file: Path
) -> None:
    problems: list[str | None] = []
    manuals = ManualLibrary(
        find_knowledge_paths(tmp_path), program=FAILING_PROGRAM, on_search_problem=problems.append
    )
    library = KnowledgeBase(tmp_path, manuals=manuals)
    add(manuals.store, file)
    assert index_waiting(manuals.store, None) == 0
    with manuals.store.transaction() as database:
        database.execute("ALTER TABLE signatures RENAME TO lost")
    for _ in range(2):  # the notice comes once
        found = library.search_chunks("which cc is the sustain pedal")
        assert found[0].chunk.domain == "midi"
        assert library.retrieve_for_message("which cc is the sustain pedal").found
    (problem,) = problems
    assert str(problem).startswith(
        "Your manuals are left out of searches: the index of your manuals"
    )
    with manuals.store.transaction() as database:
        database.execute("ALTER TABLE lost RENAME TO signatures")
    assert library.search_chunks("drive of the Zoggler")[0].chunk.title == "Drive: CC 17"
    assert problems == [problem, None]
    library.close()
