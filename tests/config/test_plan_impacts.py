"""The impact of a plan, and its gesture coverage while it is pending."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.config.plan_world import AGENT, NEW_MODE, USER, World

from conductor.domain.coverage import Coverage


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.database.close()


def test_a_plan_says_what_it_can_affect_and_what_gestures_show_later(world: World):
    plan = world.plans.propose_plan(NEW_MODE, AGENT)
    assert plan.impact is not None
    assert plan.impact.summary == "May change: note 36"

    found = Coverage(gestures_played=12, differing=3, finished=True)
    assert world.gestures[plan.plan_id](plan.plan_id, found)
    assert world.plans.get_plan(plan.plan_id).coverage == found
    assert world.coverage == [(plan.plan_id, found)]
    assert world.start().get_plan(plan.plan_id).coverage == found


def test_gestures_of_a_plan_that_is_rejected_end(world: World):
    plan = world.plans.propose_plan(NEW_MODE, AGENT)
    world.plans.reject_plan(plan.plan_id, USER)
    assert not world.gestures[plan.plan_id](plan.plan_id, Coverage(finished=True))
    assert world.plans.get_plan(plan.plan_id).status == "rejected"
