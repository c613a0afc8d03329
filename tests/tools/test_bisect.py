"""The change that broke an example is found among the versions of the config, also across renames."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from tests.support.in_one_call import pin_example

from conductor.config.parse import load_config_with_notes
from conductor.domain.examples import Example
from conductor.domain.plan import Requester
from conductor.storage.database import Database
from conductor.storage.history import History
from conductor.tools.bisect import find_breaking_version, iterate_versions_back

USER = Requester(caller="window", client="me")
VERSIONS = 30


class World:
    """A history that grows version by version."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(folder / "conductor.db")
        self.history = History(self.database)
        self.count = 0

    def add(self, key: str = "c", mode: str = "Default", extra: int | None = None) -> int:
        """Add a version, and return its number."""
        self.count += 1
        text = (
            f"# version {self.count}\n"
            f'[[modes]]\nname = "{mode}"\n'
            '[[modes.mappings]]\ntrigger = { type = "Note", note = 36 }\n'
            f'action = {{ type = "Keystroke", keys = ["{key}"] }}\n'
        )
        if extra is not None:
            text += (
                f'[[modes.mappings]]\ntrigger = {{ type = "Note", note = {extra} }}\n'
                'action = { type = "Keystroke", keys = ["x"] }\n'
            )
        self.text = text
        return self.history.add(text, f"hash {self.count}", f"change {self.count}", USER).id

    def example(self, mode: str | None = None) -> Example:
        wanted = {
            "name": "copy",
            "gesture": "tap 36",
            "mode": mode,
            "expect": [{"type": "Keystroke", "fields": {"keys": "c"}}],
        }
        return pin_example(Example.model_validate(wanted), load_config_with_notes(self.text).config)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.database.close()


@pytest.mark.parametrize("broken_at", [1, 2, 7, 15, 28, 29])
def test_the_change_that_broke_it_is_named_among_thirty(world: World, broken_at: int):
    world.add()
    example, culprit = world.example(), 0
    for number in range(1, VERSIONS):
        version = world.add("c" if number < broken_at else "d", extra=50 + number)
        culprit = version if number == broken_at else culprit
    found = find_breaking_version(example, iterate_versions_back(world.history))
    assert found.culprit is not None
    assert found.culprit.version.id == culprit
    assert found.culprit.version.author == USER
    assert '- action = { type = "Keystroke", keys = ["c"] }' in found.culprit.diff
    assert found.describe_result("copy").endswith(f"by me (window): change {broken_at + 1}")
    assert "expected Keystroke c, but Keystroke d at 0 ms" in found.culprit.problem


def test_of_several_breaks_the_last_is_named(world: World):
    keys = [Random(7).choice("cd") for _ in range(VERSIONS - 3)] + ["c", "d", "d"]
    world.add()
    example = world.example()
    numbers = [world.add(key) for key in keys]
    found = find_breaking_version(example, iterate_versions_back(world.history))
    assert found.culprit is not None
    assert (found.culprit.version.id, found.culprit.before.id) == (numbers[-2], numbers[-3])


def test_a_rename_on_the_way_is_followed_back(world: World):
    world.add()
    world.add(mode="Main")
    broken = world.add("d", mode="Main")
    world.add("d", mode="Stage", extra=7)
    world.add("d", mode="Stage", extra=8)
    good = World.example
    world.text = world.text.replace('["d"]', '["c"]')
    example = good(world, mode="Stage")
    found = find_breaking_version(example, iterate_versions_back(world.history))
    assert found.culprit is not None
    assert found.culprit.version.id == broken


def test_what_was_undone_is_left_out(world: World):
    world.add()
    example = world.example()
    world.add("d")
    before = world.history.find_undo_target()
    assert before is not None
    world.history.move_to(before.id)
    world.add(extra=8)
    broken = world.add("d", extra=8)
    found = find_breaking_version(example, iterate_versions_back(world.history))
    assert found.culprit is not None
    assert (found.culprit.version.id, found.versions) == (broken, 2)


def test_what_holds_or_never_held_is_said(world: World):
    world.add()
    example = world.example()
    assert (
        find_breaking_version(example, iterate_versions_back(world.history)).describe_result("copy")
        == "`copy` passes"
    )
    other = Example(name="other", gesture="tap 36")
    found = find_breaking_version(other, iterate_versions_back(world.history))
    assert found.describe_result("other") == "`other` fails in all 1 stored versions"
