"""An editor and commits that save at the same time never lose each other silently."""

import os
import random
import re
import threading
from collections.abc import Generator
from pathlib import Path

import pytest

from conductor.base import guarded_write
from conductor.base.atomic import hash_bytes
from conductor.base.exchange import swap_files
from conductor.config.lost_changes import (
    MAX_REMEMBERED_AGE_S,
    LostChange,
    RecentChanges,
    describe_lost_changes,
)
from conductor.config.store import ConfigStore
from conductor.domain.change_kinds import CreateMode, DeleteMode
from conductor.domain.config import Config, Mode
from conductor.errors import ConfigError, StaleConfig
from conductor.storage.database import Database
from conductor.storage.history import History

COMMITS = 40 * int(os.environ.get("CONDUCTOR_PROVE_CASES", "1"))
SAVES_PER_COMMIT = 6
SAVE = re.compile(r"\n# save \d+")
BY_HAND = '[[modes]]\nname = "By hand"\n'


class Stage:
    """A store with a history, and its notices."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "config.toml"
        self.database = folder / "conductor.db"
        self.notices: list[str] = []
        self.edits: list[str] = []
        self.histories: list[History] = []
        self.store = self.another()
        self.store.load_file()

    def another(self) -> ConfigStore:
        return ConfigStore(
            self.path,
            self._history,
            on_notice=self.notices.append,
            on_file_edit=lambda: self.edits.append(self.path.read_text()),
        )

    def add(self, name: str) -> None:
        self.store.commit_changes([CreateMode(name=name)], self.store.config_hash, f"add {name}")

    def texts(self) -> list[str]:
        return [version.text for version in self._history().list(limit=10_000)]

    def _history(self) -> History:
        self.histories.append(History(Database(self.database), max_rows=10_000))
        return self.histories[-1]

    def close(self) -> None:
        for history in self.histories:
            history.close()


@pytest.fixture
def stage(tmp_path: Path) -> Generator[Stage]:
    stage = Stage(tmp_path)
    yield stage
    stage.close()


def test_a_commit_in_the_moment_of_a_save_is_refused_and_the_save_is_in_force_and_in_the_history(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
):
    def late(one: Path, other: Path) -> bool:
        monkeypatch.setattr(guarded_write, "swap_files", swap_files)
        stage.path.write_text(BY_HAND)
        return swap_files(one, other)

    monkeypatch.setattr(guarded_write, "swap_files", late)
    with pytest.raises(StaleConfig, match="in the same moment"):
        stage.add("Two")
    stage.store.open_history()
    assert stage.path.read_text() == stage.store.config_text == stage.texts()[0] == BY_HAND


def test_an_undo_in_the_moment_of_a_save_is_refused_and_undoes_the_save_the_next_time(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
):
    stage.add("Two")
    committed = stage.store.config_text

    def late(one: Path, other: Path) -> bool:
        monkeypatch.setattr(guarded_write, "swap_files", swap_files)
        stage.path.write_text(BY_HAND)
        return swap_files(one, other)

    monkeypatch.setattr(guarded_write, "swap_files", late)
    with pytest.raises(StaleConfig):
        stage.store.undo_change()
    assert stage.store.config_text == BY_HAND
    stage.store.undo_change()
    assert stage.path.read_text() == committed


def test_a_save_from_an_older_text_is_told_of_and_undo_brings_the_change_back(stage: Stage):
    buffer = stage.path.read_text()
    stage.add("Two")
    stage.path.write_text(buffer + "# a comment typed meanwhile\n")
    stage.store.reload_file()
    [notice] = stage.notices
    assert "saved from an older text: the change “add Two” made 0 s ago is no longer" in notice
    assert "conductor undo" in notice
    stage.store.undo_change()
    assert [mode.name for mode in stage.store.current_config.modes] == ["Default", "Two"]


def test_a_save_that_has_the_change_is_not_told_of(stage: Stage):
    stage.add("Two")
    stage.path.write_text(stage.path.read_text() + '[[modes]]\nname = "Three"\n')
    stage.store.reload_file()
    assert stage.notices == []
    assert stage.edits == [stage.path.read_text()]


def test_an_undo_by_another_process_is_no_lost_change(stage: Stage):
    stage.add("Two")
    other = stage.another()
    other.load_file()
    other.undo_change()
    stage.store.reload_file()
    assert [mode.name for mode in stage.store.current_config.modes] == ["Default"]
    assert stage.notices == []
    assert stage.edits == []


class TestRecentChanges:
    """Which changes count as lost, with a fake clock."""

    ONE = Config(modes=(Mode(name="A"),))
    TWO = Config(modes=(Mode(name="A"), Mode(name="B")))
    THREE = Config(modes=(Mode(name="A"), Mode(name="C")))

    def remembering(self, before: Config, after: Config) -> tuple[RecentChanges, list[float]]:
        clock = [0.0]
        changes = RecentChanges(lambda: clock[0])
        changes.add("the change", before, after)
        clock[0] = 5.0
        return changes, clock

    def test_a_deletion_that_is_taken_back_is_lost(self):
        changes, _ = self.remembering(self.TWO, self.ONE)
        assert changes.pop_lost_changes(self.ONE, self.TWO) == [LostChange("the change", 5.0)]

    def test_it_is_told_of_once(self):
        changes, _ = self.remembering(self.ONE, self.TWO)
        assert changes.pop_lost_changes(self.TWO, self.ONE)
        assert changes.pop_lost_changes(self.TWO, self.ONE) == []

    def test_what_was_edited_further_is_not_lost(self):
        changes, _ = self.remembering(self.TWO, self.THREE)
        assert changes.pop_lost_changes(self.THREE, self.ONE) == []

    def test_a_change_of_long_ago_is_not_told_of(self):
        changes, clock = self.remembering(self.ONE, self.TWO)
        clock[0] = MAX_REMEMBERED_AGE_S + 1
        assert changes.pop_lost_changes(self.TWO, self.ONE) == []

    def test_several_are_told_of_in_one_sentence(self):
        lost = [LostChange("add A", 4.2), LostChange("add B", 180.0)]
        assert describe_lost_changes(lost, "config.toml") == (
            "config.toml was saved from an older text: the changes “add A” made 4 s ago and “add B” made 3 min ago"
            " are no longer in it; `conductor undo` brings them back"
        )


def test_links_that_lead_in_a_circle_are_a_problem_and_stay(tmp_path: Path):
    path = tmp_path / "config.toml"
    path.symlink_to(path)
    store = ConfigStore(path)
    store.load_file()
    assert "symbolic links" in store.problems[0].message
    assert path.is_symlink()


class Editor:
    """An editor that repeatedly saves from an older text, in two ways."""

    def __init__(self, path: Path, seed: int) -> None:
        self._path = path
        self._random = random.Random(seed)
        self.stop = threading.Event()
        self.saves = 0
        self.saves_left = 0
        """How often it may still save during one commit: on a busy machine no commit would ever be faster."""
        self.replaced: list[tuple[str, str]] = []
        """The texts that it saved, and the texts that it found afterwards."""
        self.torn: list[str] = []

    def run(self) -> None:
        buffer = self._path.read_text()
        while not self.stop.wait(self._random.random() * 0.02):
            if not self.saves_left:
                continue
            self.saves_left -= 1
            if self._random.random() < 0.5:
                buffer = self._read() or buffer
            self.saves += 1
            saved = f"{SAVE.sub('', buffer).rstrip()}\n# save {self.saves}\n"
            self._save(saved)
            self.stop.wait(self._random.random() * 0.02)
            found = self._read()
            if found not in (saved, ""):
                self.replaced.append((saved, found))

    def _read(self) -> str:
        text = self._path.read_text()
        if text and not text.endswith("\n"):
            self.torn.append(text)
        return text

    def _save(self, text: str) -> None:
        if self._random.random() < 0.5:
            self._path.write_text(text)
        else:
            beside = self._path.with_name("editor.tmp")
            beside.write_text(text)
            beside.replace(self._path)


def test_an_editor_and_commits_at_the_same_time_lose_nothing_silently(stage: Stage):
    editor = Editor(stage.path, seed=12)
    thread = threading.Thread(target=editor.run, name="editor", daemon=True)
    watching = threading.Event()
    watcher = threading.Thread(
        target=watch, args=(stage.store, watching), name="watcher", daemon=True
    )
    committed: dict[str, str] = {}
    deleted: set[str] = set()
    thread.start()
    watcher.start()
    for number in range(COMMITS):
        name = f"Mode {number}"
        committed[name] = add_at_last(stage, name, editor)
        deleted |= delete_oldest(stage.store)
    editor.stop.set()
    thread.join(60)
    watching.set()
    watcher.join(60)
    stage.store.reload_file()

    texts = set(stage.texts())
    assert editor.torn == []
    # The text of a commit that is refused can be seen for the moment until the save is put back; what the
    # editor then saves is its own successor.
    replaced = [saved for saved, found in editor.replaced if found in texts]
    assert [saved for saved in replaced if saved not in texts] == []
    assert [name for name, text in committed.items() if text not in texts] == []
    gone = [name for name in committed if f'"{name}"' not in stage.store.config_text]
    told = " ".join(stage.notices)
    assert [name for name in gone if f"“add {name}”" not in told and name not in deleted] == []
    assert stage.store.config_hash == hash_bytes(stage.path.read_bytes())
    assert editor.saves > COMMITS / 4


def watch(store: ConfigStore, end: threading.Event) -> None:
    while not end.wait(0.003):
        store.reload_file()


def add_at_last(stage: Stage, name: str, editor: Editor) -> str:
    """Commit a mode, retrying when the editor was faster; return the committed text."""
    editor.saves_left = SAVES_PER_COMMIT
    while True:
        try:
            stage.add(name)
        except StaleConfig:
            continue
        except (
            ConfigError
        ):  # the editor has read it in the moment before it was refused, and saved it
            pass
        return stage.store.config_text


def delete_oldest(store: ConfigStore) -> set[str]:
    """Delete a mode, so that the file does not grow; return its name."""
    names = [mode.name for mode in store.current_config.modes if mode.name.startswith("Mode")]
    if len(names) <= 3:
        return set()
    try:
        store.commit_changes([DeleteMode(name=names[0])], store.config_hash, f"delete {names[0]}")
    except StaleConfig:
        return set()
    return {names[0]}
