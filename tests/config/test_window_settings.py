"""The settings of the window are no part of the history: no change of them is a version, and none is taken
back.
"""

import pytest
from tests.config.plan_world import NEW_MODE, TEXT, USER, World

from conductor.config.store import ConfigStore
from conductor.domain.change_kinds import CreateMode, UpdateSettings
from conductor.domain.plan import HistoryStep, Requester, RestoreVersion

AGENT = Requester(caller="mcp", client="agent", pid=4, executable="/usr/bin/agent")


def choose_theme(world: World, theme: str) -> None:
    change = UpdateSettings(settings={"ui": {"theme": theme}})
    world.store.commit_changes((change,), world.store.config_hash, f"Theme: {theme}")


def add_mode(world: World, name: str) -> None:
    world.store.commit_changes((CreateMode(name=name),), world.store.config_hash, f"Add {name}")


def get_theme(world: World) -> str:
    return world.store.current_config.settings.ui.theme


def list_reasons(world: World) -> list[str]:
    return [version.reason for version in world.history.list()]


def edit_file(world: World, text: str) -> None:
    world.store.path.write_text(text)
    world.store.reload_file()


def test_a_theme_is_no_version_and_undo_and_redo_keep_it(world: World):
    add_mode(world, "DJ")
    choose_theme(world, "light")
    assert list_reasons(world) == ["Add DJ", "start"]
    world.store.undo_change()
    assert (world.modes(), get_theme(world)) == (["Default"], "light")
    choose_theme(world, "dark")
    world.store.redo_change()
    assert (world.modes(), get_theme(world)) == (["Default", "DJ"], "dark")
    assert list_reasons(world) == ["Add DJ", "start"]
    latest = world.history.latest()
    assert latest is not None
    assert latest.text == world.store.path.read_text()


@pytest.mark.parametrize(
    "edited",
    [
        TEXT + '\n# how it looks\n[settings.ui]\ntheme = "light" # at day\n',
        '[settings.ui]\ntheme = "light" # at day\n\n' + TEXT,
    ],
)
def test_a_theme_written_by_hand_stays_as_it_was_written(world: World, edited: str):
    add_mode(world, "DJ")
    world.store.undo_change()
    edit_file(world, edited)
    assert list_reasons(world) == ["Add DJ", "start"]
    world.store.redo_change()
    assert world.modes() == ["Default", "DJ"]
    assert 'theme = "light" # at day' in world.store.config_text
    world.store.undo_change()
    assert 'theme = "light" # at day' in world.store.config_text


def test_a_theme_chosen_while_conductor_was_off_is_no_version(world: World):
    world.store.path.write_text(TEXT + '\n[settings.ui]\ntheme = "light"\n')
    world.start()
    assert list_reasons(world) == ["start"]
    assert get_theme(world) == "light"


def test_a_hand_edit_of_more_than_the_window_is_a_version(world: World):
    edit_file(world, TEXT + '# a comment\n[settings.ui]\ntheme = "light"\n')
    assert list_reasons(world) == ["start"]
    edit_file(world, TEXT.replace("# mine", "# yours") + '[settings.ui]\ntheme = "dark"\n')
    assert list_reasons(world) == ["edited by hand", "start"]
    world.store.undo_change()
    assert world.store.config_text.startswith("# mine")
    assert get_theme(world) == "dark"


def test_another_process_that_undoes_keeps_the_theme(world: World):
    add_mode(world, "DJ")
    choose_theme(world, "light")
    other = ConfigStore(world.store.path, lambda: world.history)
    other.load_file()
    other.undo_change()
    world.store.reload_file()
    assert (world.modes(), get_theme(world)) == (["Default"], "light")
    world.store.redo_change()
    assert (world.modes(), get_theme(world)) == (["Default", "DJ"], "light")


def test_a_version_is_found_by_each_hash_that_it_had(world: World):
    hashes = [world.store.config_hash]
    for theme in ("light", "dark"):
        choose_theme(world, theme)
        hashes.append(world.store.config_hash)
    found = [world.history.find_by_hash(file_hash) for file_hash in hashes]
    assert [version and version.id for version in found] == [1, 1, 1]
    add_mode(world, "DJ")
    undone = world.store.config_hash
    choose_theme(world, "light")
    world.store.undo_change()
    assert undone in world.history.list_undone_hashes()
    assert not world.history.list_undone_hashes() & set(hashes)


@pytest.mark.parametrize("by", [USER, AGENT])
@pytest.mark.parametrize("proposal", [NEW_MODE, HistoryStep("undo"), RestoreVersion(1)])
def test_a_plan_stays_open_and_keeps_the_theme(
    world: World, proposal: tuple[CreateMode] | HistoryStep | RestoreVersion, by: Requester
):
    add_mode(world, "Other")
    plan = world.plans.propose_plan(proposal, by)
    choose_theme(world, "light")
    assert world.plans.get_plan(plan.plan_id).status == "pending"
    world.plans.approve_plan(plan.plan_id, USER)
    choose_theme(world, "dark")
    assert world.plans.apply_plan(plan.plan_id, by).status == "applied"
    assert get_theme(world) == "dark"
    assert world.modes() == (["Default", "Other", "DJ"] if proposal is NEW_MODE else ["Default"])


def test_a_restored_version_keeps_the_theme(world: World):
    add_mode(world, "DJ")
    choose_theme(world, "light")
    plan = world.plans.propose_plan(RestoreVersion(1), USER)
    assert "theme" not in plan.diff_preview.replace(' theme = "light"', "")
    world.plans.approve_plan(plan.plan_id, USER)
    world.plans.apply_plan(plan.plan_id, USER)
    assert (world.modes(), get_theme(world)) == (["Default"], "light")
