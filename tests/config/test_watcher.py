"""The watcher detects every way of saving a file."""

import logging
import queue
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conductor.config import watcher as watcher_module
from conductor.config.watcher import ConfigWatcher, resolve_link_chain

WAIT_S = 30.0


class Watched:
    """A watched file, and its text at each notification."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seen: queue.Queue[str] = queue.Queue()
        self.watcher = ConfigWatcher(path, self.look)
        self.watcher.start()

    def look(self) -> None:
        try:
            self.seen.put(self.path.read_text())
        except OSError:
            self.seen.put("")

    def wait_for(self, text: str) -> None:
        """Wait for a notification while the file has this text."""
        while self.seen.get(timeout=WAIT_S) != text:
            pass


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text("0")
    return home


@pytest.fixture
def watched(folder: Path) -> Iterator[Watched]:
    watched = Watched(folder / "config.toml")
    yield watched
    watched.watcher.stop()


def test_a_file_written_in_place_is_noticed_again_and_again(watched: Watched):
    for number in range(1, 6):
        watched.path.write_text(str(number))
        watched.wait_for(str(number))


def test_a_file_renamed_into_place_is_noticed_again_and_again(watched: Watched, folder: Path):
    for number in range(1, 6):
        (folder / "new").write_text(str(number))
        (folder / "new").replace(watched.path)
        watched.wait_for(str(number))


def test_a_file_that_is_empty_while_it_is_saved_is_reported_once_it_has_content(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
):
    reads = threading.Semaphore(0)
    read_signature = watcher_module._read_signature  # pyright: ignore[reportPrivateUsage]

    def read_and_count(path: Path) -> tuple[int, int, int, int] | None:
        signature = read_signature(path)
        if signature is not None and signature[2] == 0:
            reads.release()
        return signature

    monkeypatch.setattr(watcher_module, "EMPTY_FILE_DELAY_MS", 60_000)
    monkeypatch.setattr(watcher_module, "_read_signature", read_and_count)
    with watched.path.open("w") as file:  # truncates the file
        for _ in range(2):  # by the second look, the first one would have been reported
            assert reads.acquire(timeout=WAIT_S)
        file.write("1")
    assert watched.seen.get(timeout=WAIT_S) == "1"


def test_a_backup_by_rename_and_a_new_file_are_noticed(watched: Watched, folder: Path):
    watched.path.rename(folder / "config.toml~")
    watched.path.write_text("1")
    watched.wait_for("1")


def test_a_file_that_is_deleted_and_made_again_is_noticed(watched: Watched):
    watched.path.unlink()
    watched.path.write_text("1")
    watched.wait_for("1")
    watched.path.write_text("2")
    watched.wait_for("2")


def test_other_files_in_the_folder_are_not_reported(watched: Watched, folder: Path):
    for number in range(20):
        (folder / "conductor.db-wal").write_text(str(number))
    watched.path.write_text("1")
    watched.wait_for("1")
    assert watched.seen.empty()


def test_a_folder_that_is_deleted_and_made_again_is_watched_again(watched: Watched, folder: Path):
    shutil.rmtree(folder)
    folder.mkdir()
    watched.path.write_text("1")
    watched.wait_for("1")
    watched.path.write_text("2")
    watched.wait_for("2")


@pytest.fixture
def linked(tmp_path: Path) -> Iterator[Watched]:
    """A symlink into a folder of dotfiles, as created by stow."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.toml").write_text(name)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").symlink_to("../one/config.toml")
    watched = Watched(tmp_path / "home" / "config.toml")
    yield watched
    watched.watcher.stop()


def test_the_target_of_a_link_is_watched(linked: Watched, tmp_path: Path):
    (tmp_path / "one" / "config.toml").write_text("1")
    linked.wait_for("1")


def test_a_link_that_is_swapped_is_noticed_and_its_new_target_watched(
    linked: Watched, tmp_path: Path
):
    (tmp_path / "home" / "new").symlink_to("../two/config.toml")
    (tmp_path / "home" / "new").replace(linked.path)
    linked.wait_for("two")
    (tmp_path / "two" / "config.toml").write_text("2")
    linked.wait_for("2")


def test_a_folder_link_that_is_swapped_is_noticed(tmp_path: Path):
    """Kubernetes swaps `..data`, the symlink through which every file of a volume is linked."""
    for name in ("v1", "v2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.toml").write_text(name)
    (tmp_path / "..data").symlink_to("v1")
    (tmp_path / "config.toml").symlink_to("..data/config.toml")
    watched = Watched(tmp_path / "config.toml")
    try:
        (tmp_path / "..data_tmp").symlink_to("v2")
        (tmp_path / "..data_tmp").replace(tmp_path / "..data")
        watched.wait_for("v2")
    finally:
        watched.watcher.stop()


def test_a_chain_of_links_is_followed_and_a_ring_ends(tmp_path: Path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("c")
    assert {path.name for path in resolve_link_chain(tmp_path / "a")} == {"a", "b", "c"}
    (tmp_path / "c").symlink_to("a")
    assert {path.name for path in resolve_link_chain(tmp_path / "a")} == {"a", "b", "c"}


def test_without_file_events_the_file_is_looked_at(folder: Path, monkeypatch: pytest.MonkeyPatch):
    def no_events() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(watcher_module, "Observer", no_events)
    watched = Watched(folder / "config.toml")
    try:
        watched.path.write_text("11")
        watched.wait_for("11")
    finally:
        watched.watcher.stop()


def test_a_listener_that_fails_is_called_again(folder: Path):
    calls: queue.Queue[str] = queue.Queue()
    path = folder / "config.toml"

    def fail() -> None:
        calls.put(path.read_text())
        raise RuntimeError("no")

    watcher = ConfigWatcher(path, fail)
    watcher.start()
    try:
        for text in ("1", "22"):
            path.write_text(text)
            while calls.get(timeout=WAIT_S) != text:
                pass
    finally:
        watcher.stop()


def test_a_watcher_that_was_never_started_can_be_stopped(folder: Path):
    ConfigWatcher(folder / "config.toml", lambda: None).stop()


def test_a_save_between_making_and_starting_is_noticed(folder: Path):
    path, saved = folder / "config.toml", queue.Queue[str]()
    watcher = ConfigWatcher(path, lambda: saved.put(path.read_text()))
    path.write_text("saved while Conductor started")
    watcher.start()
    assert saved.get(timeout=WAIT_S) == "saved while Conductor started"
    watcher.stop()


def test_an_observer_that_ends_while_it_reads_is_not_reported(caplog: pytest.LogCaptureFixture):
    logger = logging.getLogger("watchdog.observers.inotify")
    logger.error("InotifyEmitter.queue_events() called when the thread is inactive")
    logger.error("something else")
    assert caplog.messages == ["something else"]
