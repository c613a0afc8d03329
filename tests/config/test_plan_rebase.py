"""A plan stays open when only the look of the window, the names of controls or comments change."""

import pytest
from tests.config.plan_world import NEW_MODE, TEXT, USER, World

from conductor.domain.change_kinds import Change, ReplaceConfig, UpdateSettings
from conductor.domain.config import Config, Mode
from conductor.domain.plan import Requester
from conductor.errors import PlanStale

CHAT = Requester(caller="chat", client="openai/gpt")
LOOKS = (
    {"ui": {"theme": "light", "language": "de"}},
    {"names": {"pads": {"note 41": "Kick"}}},
)


def change_settings(world: World, settings: dict[str, object]) -> None:
    world.store.commit_changes(
        (UpdateSettings(settings=settings),), world.store.config_hash, "as the user"
    )


@pytest.mark.parametrize("by", [USER, CHAT])
@pytest.mark.parametrize("settings", LOOKS)
def test_a_plan_is_applied_after_the_look_or_a_name_was_changed(
    world: World, by: Requester, settings: dict[str, object]
):
    plan = world.plans.propose_plan(NEW_MODE, by)
    change_settings(world, settings)
    kept = world.plans.get_plan(plan.plan_id)
    assert (kept.status, kept.base_state_hash) == ("pending", world.store.config_hash)
    assert '+ name = "DJ"' in kept.diff_preview
    world.plans.approve_plan(plan.plan_id, USER)
    assert world.plans.apply_plan(plan.plan_id, USER).status == "applied"
    assert world.modes() == ["Default", "DJ"]
    now = world.store.current_config.settings.to_plain()
    assert {name: now[name] for name in settings} == settings


def test_a_comment_in_the_file_leaves_a_plan_open(world: World):
    plan = world.plans.propose_plan(NEW_MODE, CHAT)
    world.store.path.write_text(TEXT + "# more\n")
    world.store.reload_file()
    assert world.plans.get_plan(plan.plan_id).status == "pending"
    world.plans.approve_plan(plan.plan_id, USER)
    world.plans.apply_plan(plan.plan_id, USER)
    assert "# more" in world.store.config_text


def test_a_plan_is_stale_after_a_change_of_what_conductor_does(world: World):
    plan = world.plans.propose_plan(NEW_MODE, CHAT)
    change_settings(world, {"ui": {"theme": "light"}, "engine": {"allow_shell": True}})
    change_settings(world, {"ui": {"theme": "dark"}})
    with pytest.raises(PlanStale):
        world.plans.approve_plan(plan.plan_id, USER)


@pytest.mark.parametrize(
    "proposal",
    [
        (UpdateSettings(settings={"ui": {"theme": "light"}}),),
        (ReplaceConfig(config=Config(modes=(Mode(name="Only"),))),),
    ],
)
def test_a_plan_that_would_change_nothing_or_take_the_look_back_is_stale(
    world: World, proposal: tuple[Change, ...]
):
    world.store.commit_changes(NEW_MODE, world.store.config_hash, "as the user")
    plan = world.plans.propose_plan(proposal, CHAT)
    change_settings(world, {"ui": {"theme": "light"}})
    assert world.plans.get_plan(plan.plan_id).status == "stale"
