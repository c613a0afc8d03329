"""Plans that undo, redo or restore a version of the config."""

import pytest
from tests.config.plan_world import AGENT, NEW_MODE, TEXT, USER, World

from conductor.domain.change_kinds import CreateMode
from conductor.domain.plan import HistoryStep, RestoreVersion
from conductor.errors import ConfigError, NothingToUndo, PlanStale


def test_undo_and_redo_are_plans_and_restore_the_very_text(world: World):
    for proposal in (NEW_MODE, HistoryStep("undo"), HistoryStep("redo")):
        plan = world.plans.propose_plan(proposal, AGENT)
        world.plans.approve_plan(plan.plan_id, USER)
        world.plans.apply_plan(plan.plan_id, AGENT)
        assert (world.store.config_text == TEXT) == (proposal == HistoryStep("undo"))
    undo = world.plans.propose_plan(HistoryStep("undo"), AGENT)
    world.plans.approve_plan(undo.plan_id, USER)
    world.history.move_to(world.history.list()[-1].id)
    with pytest.raises(NothingToUndo):
        world.plans.apply_plan(undo.plan_id, AGENT)
    assert world.modes() == ["Default", "DJ"]


def test_any_kept_version_is_restored_by_a_plan_and_undo_takes_that_back(world: World):
    for name in ("DJ", "Live"):
        plan = world.plans.propose_plan((CreateMode(name=name),), AGENT)
        world.plans.approve_plan(plan.plan_id, USER)
        world.plans.apply_plan(plan.plan_id, AGENT)
    first = world.history.list()[-1]

    plan = world.plans.propose_plan(RestoreVersion(first.id), AGENT)

    assert plan.description.startswith(f"Restore version {first.id} of ")
    assert ('- name = "DJ"' in plan.diff_preview, plan.status) == (True, "pending")
    assert plan.window_only
    assert world.modes() == ["Default", "DJ", "Live"]
    world.plans.approve_plan(plan.plan_id, USER)
    world.plans.apply_plan(plan.plan_id, AGENT)
    assert world.store.config_text == TEXT
    newest = world.history.list()[0]
    assert (newest.reason, newest.author) == (plan.description, AGENT)
    world.store.undo_change()
    assert world.modes() == ["Default", "DJ", "Live"]


def test_a_version_that_is_not_kept_or_is_the_running_one_makes_no_plan(world: World):
    with pytest.raises(NothingToUndo, match="there is no version 99"):
        world.plans.propose_plan(RestoreVersion(99), AGENT)
    with pytest.raises(ConfigError, match="changes nothing"):
        world.plans.propose_plan(RestoreVersion(world.history.list()[0].id), AGENT)


def test_a_restore_is_stale_when_the_file_changed_since(world: World):
    world.store.commit_changes(NEW_MODE, world.store.config_hash, "by hand")
    plan = world.plans.propose_plan(RestoreVersion(world.history.list()[-1].id), AGENT)
    world.plans.approve_plan(plan.plan_id, USER)
    edited = world.store.path.read_text() + "# more\n"
    world.store.path.write_text(edited)
    with pytest.raises(PlanStale):
        world.plans.apply_plan(plan.plan_id, AGENT)
    assert world.store.path.read_text() == edited
