"""Applying only some of the changes of a plan."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from tests.config.plan_world import AGENT, NEW_MODE, USER, World

from conductor.domain.change_kinds import CreateMode, DeleteMode
from conductor.domain.plan import Example, Requester
from conductor.errors import InvalidParams, NotAllowed, NotApproved, StaleConfig

CHAT = Requester(caller="chat", client="slash command", conversation_id="1")
TWO_MODES = (CreateMode(name="DJ"), CreateMode(name="Live"))


def test_only_the_selected_changes_are_applied_recorded_and_named(world: World):
    examples = tuple(Example(name=name, gesture="tap 36") for name in ("DJ", "Live"))
    plan = world.plans.propose_plan(TWO_MODES, AGENT, examples)
    done = world.plans.apply_plan_part(plan.plan_id, [1], USER, world.store.config_hash)
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
        world.plans.apply_plan_part(plan.plan_id, [1], AGENT, world.store.config_hash)
    for selected in ([], [2], [-1]):
        with pytest.raises(InvalidParams):
            world.plans.apply_plan_part(plan.plan_id, selected, USER, world.store.config_hash)
    seen = world.store.config_hash
    world.store.path.write_text(world.store.config_text + "# edited\n")
    with pytest.raises(StaleConfig):
        world.plans.apply_plan_part(plan.plan_id, [0], USER, seen)
    assert world.modes() == ["Default"]


def expire(world: World, plan_id: str) -> None:
    world.now += timedelta(hours=1)


def overtake(world: World, plan_id: str) -> None:
    """Make the plan out of date: it would add the same mode."""
    for change in (CreateMode(name="DJ"), DeleteMode(name="DJ")):
        world.store.commit_changes((change,), world.store.config_hash, "Edit", USER)
        world.plans.get_plan(plan_id)


def discard(world: World, plan_id: str) -> None:
    world.plans.reject_plan(plan_id, USER)


@pytest.mark.parametrize(
    ("by", "end", "status"),
    [(AGENT, expire, "expired"), (CHAT, overtake, "stale"), (AGENT, discard, "rejected")],
)
def test_the_changes_of_a_closed_plan_are_applied_to_the_config_that_the_user_sees(
    world: World, by: Requester, end: Callable[[World, str], None], status: str
):
    plan = world.plans.propose_plan(TWO_MODES, by)
    end(world, plan.plan_id)
    assert world.plans.get_plan(plan.plan_id).status == status
    before = world.modes()
    done = world.plans.apply_plan_part(plan.plan_id, [0, 1], USER, world.store.config_hash)
    assert (done.status, done.reason, done.left_out) == ("applied", None, ())
    assert world.modes() == [*before, "DJ", "Live"]
    version = world.history.latest()
    assert version is not None
    assert version.reason == plan.description
    assert world.start().get_plan(plan.plan_id) == done
    with pytest.raises(NotApproved):
        world.plans.apply_plan_part(plan.plan_id, [0], USER, world.store.config_hash)


def test_a_plan_is_closed_as_edited_by_the_edit_that_made_it_out_of_date(world: World):
    plan = world.plans.propose_plan(NEW_MODE, CHAT)
    overtake(world, plan.plan_id)
    result = world.store.config_hash
    assert world.plans.get_plan(plan.plan_id).status == "stale"
    with pytest.raises(NotAllowed):
        world.plans.mark_plan_edited(plan.plan_id, AGENT, result)
    edited = world.plans.mark_plan_edited(plan.plan_id, USER, result)
    assert (edited.status, edited.result_hash) == ("rejected", result)
    assert edited.reason == "rejected by the user: edited by the user"
    with pytest.raises(NotApproved):
        world.plans.apply_plan_part(plan.plan_id, [0], USER, result)
    one_of_two = world.plans.propose_plan(TWO_MODES, AGENT)
    edited = world.plans.mark_plan_edited(one_of_two.plan_id, USER, result)
    assert edited.reason == "rejected by the user: 1 of 2 changes edited by the user"
