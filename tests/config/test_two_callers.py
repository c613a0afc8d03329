"""Undo, redo and saving an example by two callers at once: serialized or rejected."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.config.plan_world import USER, World

from conductor.config.store import ConfigStore
from conductor.domain.change_kinds import CreateMode
from conductor.domain.examples import Example
from conductor.errors import ConductorError

ROUNDS = 12


def at_once(*work: Callable[[], object]) -> list[ConductorError]:
    """Run each function in its own thread, started at the same moment; return the errors."""
    start, refused = threading.Barrier(len(work)), list[ConductorError]()
    other: list[Exception] = []

    def run(one: Callable[[], object]) -> None:
        start.wait()
        try:
            one()
        except ConductorError as error:
            refused.append(error)
        except Exception as error:  # noqa: BLE001 - raised below, in the thread of the test
            other.append(error)

    threads = [threading.Thread(target=run, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert other == []
    return refused


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def add(world: World, name: str) -> None:
    world.store.commit_changes((CreateMode(name=name),), world.store.config_hash, name)


def test_two_callers_of_one_conductor_leave_file_config_and_history_at_one_version(world: World):
    for number in range(4):
        add(world, f"M{number}")
    pairs = [
        (world.store.undo_change, world.store.undo_change),
        (world.store.undo_change, world.store.redo_change),
        (world.store.redo_change, world.store.redo_change),
        (world.store.redo_change, lambda: add(world, "New")),
    ]
    for number in range(ROUNDS):
        at_once(*pairs[number % len(pairs)])
        latest = world.history.latest()
        assert latest is not None
        assert world.store.path.read_text() == world.store.config_text == latest.text


def test_two_conductors_on_one_file_lose_no_version_and_tear_no_file(world: World):
    for number in range(4):
        add(world, f"M{number}")
    other = ConfigStore(world.store.path, lambda: world.history)
    other.load_file()
    texts = {one.text for one in world.history.list()}
    for _ in range(ROUNDS):
        at_once(world.store.undo_change, other.undo_change)
        at_once(world.store.redo_change, other.redo_change)
        assert world.store.path.read_text() in texts
        for store in (world.store, other):
            store.reload_file()
            assert store.config_text == world.store.path.read_text()
    assert {one.text for one in world.history.list()} >= texts


def test_the_same_plan_is_applied_once_whoever_asks_at_the_same_moment(world: World):
    user = world.plans.propose_plan((CreateMode(name="DJ"),), USER)
    world.plans.approve_plan(user.plan_id, USER)
    apply = lambda: world.plans.apply_plan(user.plan_id, USER)  # noqa: E731
    assert at_once(*[apply] * 4) == []
    assert [one.reason for one in world.history.list()].count(user.description) == 1


def test_examples_that_are_kept_at_the_same_moment_are_all_kept(world: World):
    works = [
        lambda name=f"E{number}": world.kept.add_examples(
            "p", (Example(name=name, gesture="tap 1"),)
        )
        for number in range(4)
    ]
    assert at_once(*works) == []
    assert {one.name for one in world.kept.list_examples()} == {f"E{number}" for number in range(4)}
