"""Applying only some of the changes of a plan."""

import pytest
from tests.config.plan_world import AGENT, USER, World

from conductor.domain.change_kinds import CreateMode
from conductor.domain.plan import Example
from conductor.errors import InvalidParams, NotAllowed, PlanStale

TWO_MODES = (CreateMode(name="DJ"), CreateMode(name="Live"))


def test_only_the_selected_changes_are_applied_recorded_and_named(world: World):
    examples = tuple(Example(name=name, gesture="tap 36") for name in ("DJ", "Live"))
    plan = world.plans.propose_plan(TWO_MODES, AGENT, examples)
    done = world.plans.apply_plan_part(plan.plan_id, [1], USER)
    assert world.modes() == ["Default", "Live"]
    assert (done.plan_id, done.status, done.approved_by) == (plan.plan_id, "applied", USER)
    assert "Live" in done.description
    assert "DJ" not in done.description
    assert "DJ" not in done.diff_preview
    assert [change.description for change in done.changes] == [plan.changes[1].description]
    assert [change.description for change in done.left_out] == [plan.changes[0].description]
    version = world.history.latest()
    assert version is not None
    assert (version.reason, version.author) == (done.description, AGENT)
    assert [one.name for one in world.kept.list_examples()] == ["Live"]
    assert world.start().get_plan(plan.plan_id) == done


def test_only_the_user_selects_changes_that_the_current_config_allows(world: World):
    plan = world.plans.propose_plan(TWO_MODES, AGENT)
    with pytest.raises(NotAllowed):
        world.plans.apply_plan_part(plan.plan_id, [1], AGENT)
    for selected in ([], [2], [-1]):
        with pytest.raises(InvalidParams):
            world.plans.apply_plan_part(plan.plan_id, selected, USER)
    world.store.path.write_text(world.store.config_text + "# edited\n")
    with pytest.raises(PlanStale):
        world.plans.apply_plan_part(plan.plan_id, [0], USER)
    assert world.plans.get_plan(plan.plan_id).status == "stale"
    assert world.modes() == ["Default"]
