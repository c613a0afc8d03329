"""The store: atomic commits, invalid edits, undo, and no lost edits."""

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conductor.base.atomic import hash_bytes, write_atomic
from conductor.config.starter import STARTER_CONFIG
from conductor.config.store import ConfigStore
from conductor.domain.change_kinds import CreateMapping, CreateMode, DeleteMode, UpdateMode
from conductor.domain.config import Config, Mapping
from conductor.domain.validate import Problem
from conductor.errors import ConfigError, NotAvailable, NothingToUndo, StaleConfig
from conductor.storage.history import History, open_history

ROW = Mapping.model_validate(
    {"trigger": {"type": "Note", "note": 1}, "action": {"type": "Text", "text": "hi"}}
)


class StoreStage:
    """A store with a real file and history, and its notifications."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "config.toml"
        self.histories: list[History] = []
        self.changes: list[tuple[Config, str]] = []
        self.problems: list[tuple[Problem, ...]] = []
        self.notices: list[str] = []
        self.store = self.again()

    def again(self) -> ConfigStore:
        return ConfigStore(
            self.path,
            self.history,
            lambda config, reason: self.changes.append((config, reason)),
            self.problems.append,
            self.notices.append,
        )

    def history(self) -> History:
        self.histories.append(open_history(self.folder / "conductor.db"))
        return self.histories[-1]

    def add_mode(self, name: str) -> Config:
        return self.store.commit_changes(
            [CreateMode(name=name)], self.store.config_hash, f"add {name}"
        )

    def names(self) -> list[str]:
        return [mode.name for mode in self.store.current_config.modes]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[StoreStage]:
    desk = StoreStage(tmp_path)
    desk.store.load_file()
    yield desk
    for history in desk.histories:
        history.close()


def test_a_missing_file_is_made_with_comments_for_its_owner_only(desk: StoreStage):
    assert desk.path.read_text() == STARTER_CONFIG
    assert stat.S_IMODE(desk.path.stat().st_mode) == 0o600
    assert desk.names() == ["Default"]
    assert desk.store.config_hash == hash_bytes(STARTER_CONFIG.encode())


def test_loading_needs_no_history(desk: StoreStage):
    assert desk.histories == []


def test_a_commit_changes_the_file_the_config_and_tells(desk: StoreStage):
    before = desk.store.config_hash
    config = desk.add_mode("Two")
    assert desk.names() == ["Default", "Two"]
    assert 'name = "Two"' in desk.path.read_text()
    assert desk.store.config_hash == hash_bytes(desk.path.read_bytes()) != before
    assert desk.changes == [(config, "add Two")]


def test_a_commit_keeps_the_comments_of_the_starter(desk: StoreStage):
    desk.store.commit_changes(
        [CreateMapping(mode="Default", mapping=ROW)], desk.store.config_hash, "x"
    )
    for line in STARTER_CONFIG.splitlines():
        assert line in desk.path.read_text()


def test_several_changes_are_done_together_or_not_at_all(desk: StoreStage):
    changes = [CreateMode(name="Two"), DeleteMode(name="Nowhere")]
    with pytest.raises(Exception, match="'Nowhere' does not exist"):
        desk.store.commit_changes(changes, desk.store.config_hash, "x")
    assert desk.names() == ["Default"]
    assert desk.path.read_text() == STARTER_CONFIG


def test_a_commit_whose_result_is_not_valid_is_refused(desk: StoreStage):
    jump = Mapping.model_validate(
        {"trigger": {"type": "Note", "note": 1}, "action": {"type": "ModeChange", "mode": "Two"}}
    )
    with pytest.raises(ConfigError, match="Invalid mode: 'Two' does not exist"):
        desk.store.commit_changes([CreateMapping(mapping=jump)], desk.store.config_hash, "x")
    assert desk.path.read_text() == STARTER_CONFIG


def test_a_commit_for_another_state_of_the_file_is_refused(desk: StoreStage):
    old = desk.store.config_hash
    desk.add_mode("Two")
    with pytest.raises(StaleConfig, match="changed since it was read"):
        desk.store.commit_changes([CreateMode(name="Three")], old, "x")


def test_a_commit_over_a_hand_edit_that_was_not_noticed_yet_is_refused(desk: StoreStage):
    mine = '[[modes]]\nname = "Mine"\n'
    desk.path.write_text(mine)
    with pytest.raises(StaleConfig):
        desk.add_mode("Two")
    assert desk.path.read_text() == mine
    assert desk.names() == ["Mine"]


def test_a_hand_edit_is_taken_over(desk: StoreStage):
    desk.path.write_text('[[modes]]\nname = "Mine"\n')
    desk.store.reload_file()
    assert desk.names() == ["Mine"]
    assert [reason for _, reason in desk.changes] == ["edited by hand"]


def test_the_same_bytes_again_are_no_change(desk: StoreStage):
    desk.path.write_text(desk.path.read_text())
    desk.store.reload_file()
    assert desk.changes == []


def test_a_comment_edited_by_hand_is_no_change_of_the_config_but_of_the_text(desk: StoreStage):
    desk.path.write_text(STARTER_CONFIG + "# more\n")
    desk.store.reload_file()
    assert desk.changes == []
    assert desk.store.config_text.endswith("# more\n")
    desk.add_mode("Two")
    assert "\n# more\n" in desk.path.read_text()


def test_a_broken_edit_leaves_the_running_config_in_place(desk: StoreStage):
    desk.add_mode("Two")
    good = desk.path.read_text()
    desk.path.write_text(good + "\n[[mods]]\n")
    desk.store.reload_file()
    assert desk.names() == ["Default", "Two"]
    assert "did you mean `modes`?" in desk.store.problems[0].message
    assert desk.problems == [desk.store.problems]
    with pytest.raises(StaleConfig, match="has a mistake"):
        desk.add_mode("Three")
    desk.path.write_text(good)
    desk.store.reload_file()
    assert desk.store.problems == ()
    assert desk.problems[-1] == ()
    assert len(desk.changes) == 1


def test_the_next_good_save_after_a_broken_one_is_taken_over(desk: StoreStage):
    desk.path.write_text("[[")
    desk.store.reload_file()
    desk.path.write_text('[[modes]]\nname = "Mine"\n')
    desk.store.reload_file()
    assert desk.names() == ["Mine"]
    assert desk.store.problems == ()


def test_a_file_that_is_empty_for_a_moment_does_not_empty_the_config(desk: StoreStage):
    desk.add_mode("Two")
    desk.path.write_text("")
    desk.store.reload_file()
    assert desk.names() == ["Default", "Two"]
    assert "empty" in desk.store.problems[0].message


def test_undo_and_redo_go_through_commits_and_hand_edits_alike(desk: StoreStage):
    desk.add_mode("Two")
    desk.path.write_text('[[modes]]\nname = "Mine"\n')
    desk.store.reload_file()
    desk.store.undo_change()
    assert desk.names() == ["Default", "Two"]
    desk.store.undo_change()
    assert desk.path.read_text() == STARTER_CONFIG
    desk.store.redo_change()
    desk.store.redo_change()
    assert desk.names() == ["Mine"]
    with pytest.raises(NothingToUndo):
        desk.store.redo_change()


def test_an_undo_by_another_process_can_still_be_redone(desk: StoreStage):
    desk.add_mode("Two")
    other = desk.again()
    other.load_file()
    other.undo_change()
    desk.store.reload_file()
    assert desk.names() == ["Default"]
    desk.store.redo_change()
    assert desk.names() == ["Default", "Two"]


def test_there_is_nothing_to_undo_at_the_first_version(desk: StoreStage):
    with pytest.raises(NothingToUndo, match="nothing to undo"):
        desk.store.undo_change()


def test_undo_with_a_broken_file_puts_the_running_config_back_and_keeps_the_broken_text(
    desk: StoreStage,
):
    desk.add_mode("Two")
    good = desk.path.read_text()
    desk.path.write_text("[[")
    desk.store.undo_change()
    assert desk.path.read_text() == good
    assert desk.store.problems == ()
    assert (desk.folder / "config.toml.broken").read_text() == "[["


def test_a_deleted_file_is_put_back_by_undo(desk: StoreStage):
    desk.add_mode("Two")
    good = desk.path.read_text()
    desk.path.unlink()
    desk.store.undo_change()
    assert desk.path.read_text() == good


def test_a_file_that_is_broken_at_the_start_gives_way_to_the_last_good_version(desk: StoreStage):
    desk.add_mode("Two")
    desk.path.write_text("[[")
    later = desk.again()
    later.load_file()
    assert [mode.name for mode in later.current_config.modes] == ["Default", "Two"]
    assert later.problems


def test_a_file_that_is_broken_at_the_first_start_gives_an_empty_config(tmp_path: Path):
    path = tmp_path / "config.toml"
    path.write_text("[[")
    store = ConfigStore(path)
    assert [mode.name for mode in store.load_file().modes] == ["Default"]
    assert store.problems
    assert path.read_text() == "[["


def test_a_symlink_stays_and_its_target_is_written(tmp_path: Path):
    target = tmp_path / "dotfiles" / "conductor.toml"
    target.parent.mkdir()
    target.write_text('[[modes]]\nname = "Mine"\n')
    target.chmod(0o640)
    path = tmp_path / "config.toml"
    path.symlink_to("dotfiles/conductor.toml")
    store = ConfigStore(path)
    store.load_file()
    store.commit_changes([UpdateMode(name="Mine", new_name="Yours")], store.config_hash, "x")
    assert path.is_symlink()
    assert target.read_text() == '[[modes]]\nname = "Yours"\n'
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert list(target.parent.iterdir()) == [target]


def test_a_file_that_cannot_be_written_is_said_and_nothing_changes(tmp_path: Path):
    path = tmp_path / "config.toml"
    store = ConfigStore(path)
    store.load_file()
    before = store.snapshot
    path.unlink()
    path.symlink_to("no-such-folder/config.toml")
    with pytest.raises(NotAvailable, match="could not be written"):
        store.replace_text('[[modes]]\nname = "Mine"\n', "x")
    assert store.snapshot == before


def test_what_is_no_regular_file_is_neither_read_nor_replaced(tmp_path: Path):
    path = tmp_path / "config.toml"
    os.mkfifo(path)
    with pytest.raises(OSError, match="not a regular file"):
        write_atomic(path, b"")
    store = ConfigStore(path)
    store.load_file()
    assert "not a regular file" in store.problems[0].message
    assert path.is_fifo()


def test_commits_from_many_threads_all_arrive(desk: StoreStage):
    start = threading.Barrier(4)

    def add(number: int) -> None:
        start.wait(10)
        while True:
            try:
                desk.add_mode(f"Mode {number}")
                return
            except StaleConfig:
                continue

    threads = [threading.Thread(target=add, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(desk.names()) == ["Default", *(f"Mode {number}" for number in range(4))]
    assert len(desk.changes) == 4


def test_replacing_the_text_checks_it_first(desk: StoreStage):
    with pytest.raises(ConfigError):
        desk.store.replace_text("[[", "import")
    assert desk.path.read_text() == STARTER_CONFIG
    desk.store.replace_text('[[modes]]\nname = "Mine"\n', "import", desk.store.config_hash)
    assert desk.names() == ["Mine"]


def test_an_older_file_runs_with_notes_and_is_rewritten_at_the_first_commit(tmp_path: Path):
    path = tmp_path / "config.toml"
    path.write_text('# old\n[device]\nname = "Mikro"\nauto_connect = true\n')
    store = ConfigStore(path)
    store.load_file()
    assert store.snapshot.notes
    assert "[device]" in path.read_text()
    store.commit_changes([CreateMode(name="Two")], store.config_hash, "x")
    assert "[device]" not in path.read_text()
    assert path.read_text().startswith("# old\n")
    assert store.snapshot.notes == ()


def test_a_history_that_cannot_be_opened_costs_undo_and_nothing_else(tmp_path: Path):
    (tmp_path / "conductor.db").mkdir()
    store = ConfigStore(
        tmp_path / "config.toml", history=lambda: open_history(tmp_path / "conductor.db")
    )
    store.load_file()
    store.open_history()
    config = store.commit_changes([CreateMode(name="Live")], store.config_hash, "a mode")
    assert [mode.name for mode in config.modes] == ["Default", "Live"]
