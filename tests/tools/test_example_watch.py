"""Kept examples are played after every change of the config, whichever way it came, and what broke is told."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conductor.config.plans import Plans
from conductor.config.store import ConfigStore
from conductor.domain.change_kinds import (
    CreateMapping,
    DeleteMapping,
    UpdateDevice,
    UpdateMapping,
    UpdateMode,
    UpdateProfile,
)
from conductor.domain.examples import Example
from conductor.domain.plan import Requester
from conductor.domain.recording import Recording
from conductor.errors import NothingToUndo
from conductor.runtime.notices import Notices
from conductor.storage.database import Database
from conductor.storage.examples import Examples
from conductor.storage.history import History
from conductor.storage.plans import SqlPlanStore
from conductor.tools.change_prover import ReplayChangeProver
from conductor.tools.example_watch import ExampleWatcher

TEXT = """
[[devices]]
alias = "pads"
matchers = [{ type = "NameContains", pattern = "MPK" }]

[[modes]]
name = "Default"

[[modes.mappings]]
trigger = { type = "Note", note = 36, device = "pads" }
action = { type = "Keystroke", keys = ["cmd", "c"] }

[[modes]]
name = "Live"

[[modes.mappings]]
trigger = { type = "Note", note = 40 }
action = { type = "Keystroke", keys = ["l"] }

[[profiles]]
name = "Web"
match = { executable = "firefox" }
"""
USER = Requester(caller="window")
AGENT = Requester(caller="mcp", client="agent", pid=4, executable="/usr/bin/agent")
COPY = Example.model_validate(
    {
        "name": "copy",
        "gesture": "tap 36",
        "expect": [{"type": "Keystroke", "fields": {"keys": "cmd+c"}}],
    }
)
LIVE = Example.model_validate(
    {
        "name": "live",
        "gesture": "mode Live; tap 40",
        "mode": "Live",
        "expect": [{"type": "Keystroke", "fields": {"keys": "l"}}],
    }
)
BREAK = UpdateMapping.model_validate(
    {"mode": "Default", "index": 0, "action": {"type": "Keystroke", "keys": ["x"]}}
)


class World:
    """A config with its history, plans and examples, and the watch over them, as the app connects them."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(folder / "conductor.db")
        self.history = History(self.database)
        self.kept = Examples(self.database)
        self.path = folder / "config.toml"
        self.path.write_text(TEXT)
        self.start()

    def start(self) -> None:
        """Start as the app does."""
        self.store = ConfigStore(self.path, lambda: self.history, self._changed)
        self.store.load_file()
        self.prover = ReplayChangeProver(Recording, lambda: self.kept, budget=None)
        self.plans = Plans(
            self.store, self.prover, lambda: SqlPlanStore(self.database), lambda _stored: True
        )
        self.notices = Notices(self._on_notice)
        self.watch = ExampleWatcher(
            self.store,
            lambda: self.kept,
            lambda: self.history,
            self.notices,
            self.plans.wait_until_idle,
        )
        self.store.open_history()
        self.undoable: dict[str, str] = {}
        self.watch.start()

    def _on_notice(self, _topic: object, payload: Any, /) -> None:
        if payload["undoes"] is not None:
            self.undoable[payload["text"]] = payload["undoes"]

    def _changed(self, config: Any, reason: str) -> None:
        self.watch.on_config_change(config, reason)

    def told(self) -> list[str]:
        """Wait for the examples, and return what the user is told."""
        self.watch.wait_until_checked()
        return self.notices.texts

    def apply(self, *changes: Any, examples: tuple[Example, ...] = ()) -> Any:
        """Propose, approve and apply a plan."""
        plan = self.plans.propose_plan(changes, AGENT, examples)
        self.plans.approve_plan(plan.plan_id, USER)
        return self.plans.apply_plan(plan.plan_id, AGENT)

    def commit(self, *changes: Any) -> None:
        """Make a change as the window does."""
        self.store.commit_changes(changes, self.store.config_hash, "by hand in the window", USER)

    def edit(self, old: str, new: str) -> None:
        """Edit the file as an editor does."""
        assert old in self.path.read_text()
        self.path.write_text(self.path.read_text().replace(old, new))
        self.store.reload_file()

    def keep(self, *examples: Example) -> None:
        self.prover.store_examples("plan", examples, self.store.current_config)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    world.keep(COPY, LIVE)
    yield world
    world.watch.close()
    world.database.close()


def by_plan(world: World) -> None:
    plan = world.apply(BREAK)
    assert [one.example.name for one in plan.broken_examples] == ["copy"]
    assert plan.warnings[0].startswith("This breaks your example `copy`: expected Keystroke cmd+c")


def by_undo(world: World) -> None:
    world.commit(BREAK)
    world.commit(UpdateMapping.model_validate({**BREAK.to_plain(), "action": COPY_KEYS}))
    assert world.told() == []
    world.store.undo_change()


def by_redo(world: World) -> None:
    world.commit(BREAK)
    world.store.undo_change()
    assert world.told() == []
    world.store.redo_change()


def by_restore(world: World) -> None:
    broken = TEXT.replace('["cmd", "c"]', '["x"]')
    world.store.replace_text(broken, "restored the version of 01 Jan 10:00", author=USER)


COPY_KEYS = {"type": "Keystroke", "keys": ["cmd", "c"]}
PATHS: dict[str, tuple[Callable[[World], None], str, str]] = {
    "a plan": (by_plan, "Change Note 36 (C1) on pads in mode Default", "undo"),
    "the window": (lambda world: world.commit(BREAK), "by hand in the window", "undo"),
    "an editor": (lambda world: world.edit('["cmd", "c"]', '["x"]'), "edited by hand", "undo"),
    "undo": (by_undo, "undo", "redo"),
    "redo": (by_redo, "redo", "undo"),
    "a restored version": (by_restore, "restored the version of 01 Jan 10:00", "undo"),
}


@pytest.mark.parametrize(("change", "reason", "back"), PATHS.values(), ids=PATHS)
def test_a_break_is_told_on_every_way_to_change_the_config(
    world: World, change: Callable[[World], None], reason: str, back: str
):
    change(world)
    [text] = world.told()
    assert text.startswith(f"This change ({reason}")
    assert "broke your example `copy`: expected Keystroke cmd+c, but Keystroke x at 0 ms" in text
    assert f"`conductor {back}`" in text
    assert world.undoable.get(text) == (world.store.config_hash if back == "undo" else None)
    assert world.kept.read_breaks()[world.store.config_hash] == ("copy",)


def test_a_break_is_told_once_and_withdrawn_when_it_is_mended(world: World):
    world.commit(BREAK)
    world.commit(UpdateMode(name="Live", color="red"))
    assert len(world.told()) == 1
    world.store.undo_change()
    world.store.undo_change()
    assert world.told() == []


def test_the_notice_of_a_deleted_example_is_withdrawn(world: World):
    world.commit(BREAK)
    assert len(world.told()) == 1
    assert world.watch.delete_example("copy")
    assert world.told() == []
    assert not world.watch.delete_example("copy")


def test_the_notice_of_an_example_that_was_replaced_by_hand_is_withdrawn(world: World):
    world.commit(BREAK)
    assert len(world.told()) == 1
    world.kept.delete_example("copy")
    world.commit(UpdateMode(name="Live", color="red"))
    assert world.told() == []


def test_the_notice_of_more_broken_examples_is_withdrawn_when_they_pass_again(world: World):
    world.keep(*(COPY.model_copy(update={"name": f"copy {number}"}) for number in range(4)))
    world.commit(BREAK)
    assert world.told()[-1] == "It broke 2 more examples; `conductor test` lists them"
    world.commit(UpdateMode(name="Live", color="red"))
    assert len(world.told()) == 4
    world.store.undo_change()
    world.store.undo_change()
    assert world.told() == []


def test_an_edit_while_conductor_does_not_run_is_told_at_the_start(world: World):
    assert world.told() == []
    world.watch.close()
    world.path.write_text(TEXT.replace('["cmd", "c"]', '["x"]').replace('"Live"', '"Stage"'))
    world.start()
    [text] = world.told()
    assert "(while Conductor was not running) broke your example `copy`" in text
    assert world.kept.list_examples()[1].mode == "Stage"


def test_what_a_plan_replaces_is_not_told(world: World):
    expect = [{"type": "Keystroke", "fields": {"keys": "x"}}]
    other = Example.model_validate({**COPY.model_dump(), "expect": expect})
    plan = world.apply(BREAK, examples=(other,))
    assert plan.broken_examples == ()
    assert world.told() == []
    assert [one.name for one in world.kept.list_examples()] == ["live", "copy"]


RENAMES: dict[str, Any] = {
    "mode": UpdateMode(name="Live", new_name="Stage"),
    "start mode": UpdateMode(name="Default", new_name="Main"),
    "device": UpdateDevice(alias="pads", new_alias="drums"),
    "profile": UpdateProfile(name="Web", new_name="Browser"),
}


@pytest.mark.parametrize("change", RENAMES.values(), ids=RENAMES)
def test_a_rename_carries_examples_over_and_undo_brings_them_back(world: World, change: Any):
    before = world.kept.list_examples()
    plan = world.apply(change)
    assert plan.broken_examples == ()
    assert all(one.passed for one in world.prover.run_stored_examples(world.store.current_config))
    assert world.told() == []
    world.store.undo_change()
    assert world.told() == []
    assert world.kept.list_examples() == before
    world.store.redo_change()
    assert all(one.passed for one in world.prover.run_stored_examples(world.store.current_config))
    assert world.told() == []


def test_a_mode_renamed_by_hand_is_renamed_in_the_gesture_too(world: World):
    world.edit('"Live"', '"Stage"')
    assert world.told() == []
    assert world.kept.list_examples()[1].gesture == "mode Stage; tap 40"


HARMLESS: dict[str, Any] = {
    "another control": CreateMapping.model_validate(
        {
            "mode": "Default",
            "mapping": {"trigger": {"type": "Note", "note": 90}, "action": COPY_KEYS},
        }
    ),
    "a row before it": CreateMapping.model_validate(
        {
            "mode": "Default",
            "index": 0,
            "mapping": {"trigger": {"type": "Note", "note": 91}, "action": COPY_KEYS},
        }
    ),
    "a description": UpdateMapping(mode="Default", index=0, description="copies"),
    "a colour": UpdateMode(name="Default", color="red"),
}


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_a_harmless_change_reports_nothing(world: World, change: Any):
    plan = world.apply(change)
    assert (plan.broken_examples, world.told()) == ((), [])


def test_deleting_what_an_example_depends_on_says_so_before(world: World):
    plan = world.plans.propose_plan((DeleteMapping(mode="Live", index=0),), AGENT)
    assert plan.warnings[0] == (
        "This breaks your example `live`: expected Keystroke l, nothing fired: "
        "no mapping does Keystroke l"
    )


def test_an_example_kept_before_there_were_pins_is_pinned_at_the_start(world: World):
    world.watch.wait_until_checked()
    world.kept.add_examples("plan", (COPY,))
    world.watch.close()
    world.start()
    world.watch.wait_until_checked()
    assert all(one.pinned for one in world.kept.list_examples())


def test_examples_that_cannot_be_read_end_nothing(world: World):
    def broken() -> Any:
        raise NothingToUndo("the database is gone")

    watch = ExampleWatcher(world.store, broken, broken, world.notices, lambda: None)
    watch.start()
    watch.on_config_change(world.store.current_config, "twice")
    watch.wait_until_checked()
    watch.close()
    assert world.told() == []


def test_ports_that_are_plugged_in_are_kept(world: World):
    prover = ReplayChangeProver(Recording, lambda: world.kept, lambda: {"pads": "MPK mini 3"})
    prover.store_examples("plan", (COPY,), world.store.current_config)
    kept = next(one for one in world.kept.list_examples() if one.name == "copy")
    assert kept.devices[0].port == "MPK mini 3"
    world.edit(
        '{ type = "NameContains", pattern = "MPK" }',
        '{ type = "ExactName", pattern = "MPK mini 3" }',
    )
    assert world.told() == []
    world.edit('"MPK mini 3"', '"Other"')
    [text] = world.told()
    assert "the device that was called pads has no alias now" in text


def test_a_rename_and_a_break_in_one_plan_are_told_under_the_names_of_now(world: World):
    plan = world.plans.propose_plan(
        (UpdateMode(name="Live", new_name="Stage"), DeleteMapping(mode="Stage", index=0)), AGENT
    )
    [broken] = plan.broken_examples
    assert (broken.example.mode, broken.example.gesture) == ("Live", "mode Live; tap 40")
