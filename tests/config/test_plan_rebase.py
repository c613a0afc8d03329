"""A plan stays open when something changes that it does not change too."""

import pytest
from tests.config.plan_world import AGENT, NEW_MODE, TEXT, USER, World

from conductor.domain.actions.text import TextAction
from conductor.domain.change_kinds import (
    Change,
    CreateMapping,
    CreateMode,
    DeleteMode,
    ReplaceConfig,
    UpdateMapping,
    UpdateMode,
    UpdateSettings,
)
from conductor.domain.config import Config, Mapping, Mode
from conductor.domain.coverage import Coverage
from conductor.domain.plan import Requester
from conductor.domain.triggers.note import NoteTrigger
from conductor.errors import PlanStale, StaleConfig

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


def press(note: int, text: str = "") -> Mapping:
    return Mapping(trigger=NoteTrigger(note=note), action=TextAction(text=text or str(note)))


def create(note: int, text: str = "") -> tuple[Change, ...]:
    return (CreateMapping(mode="Default", mapping=press(note, text)),)


def update(index: int, text: str) -> tuple[Change, ...]:
    return (UpdateMapping(mode="Default", index=index, action=TextAction(text=text)),)


def commit(world: World, changes: tuple[Change, ...]) -> None:
    world.store.commit_changes(changes, world.store.config_hash, "as the user", USER)


@pytest.mark.parametrize("by", [USER, CHAT])
def test_a_plan_is_proved_again_after_a_change_of_something_else(world: World, by: Requester):
    commit(world, (*create(36), *create(37)))
    first, second, third = (
        world.plans.propose_plan(changes, by)
        for changes in (create(40), create(41), update(0, "other"))
    )
    world.plans.approve_plan(first.plan_id, USER)
    world.plans.apply_plan(first.plan_id, USER)
    for plan in (second, third):
        moved = world.plans.get_plan(plan.plan_id)
        assert (moved.status, moved.base_state_hash) == ("pending", world.store.config_hash)
        assert moved.coverage == Coverage()
        world.plans.approve_plan(plan.plan_id, USER, base_hash=moved.base_state_hash)
        assert world.plans.apply_plan(plan.plan_id, USER).status == "applied"
    (default,) = world.store.current_config.modes
    assert [row.action for row in default.mappings] == [
        TextAction(text=text) for text in ("other", "37", "40", "41")
    ]
    assert set(world.gestures) == {plan.plan_id for plan in (first, second, third)}


def test_a_plan_that_was_proved_again_is_not_applied_by_who_saw_the_old_proof(world: World):
    plan = world.plans.propose_plan(create(40), CHAT)
    commit(world, create(41))
    with pytest.raises(StaleConfig, match="look at it again"):
        world.plans.approve_plan(plan.plan_id, USER, base_hash=plan.base_state_hash)
    assert world.plans.get_plan(plan.plan_id).status == "pending"


@pytest.mark.parametrize(
    ("proposal", "change"),
    [
        (update(0, "mine"), update(0, "yours")),
        (update(0, "mine"), (CreateMapping(mode="Default", index=0, mapping=press(50)),)),
        ((DeleteMode(name="Live"),), (UpdateMode(name="Live", color="red"),)),
        ((CreateMapping(mode="Live", mapping=press(1)),), (DeleteMode(name="Live"),)),
        (create(40), create(40, "other")),
        (
            (UpdateSettings(settings={"engine": {"cmd_key": "super"}}),),
            (UpdateSettings(settings={"engine": {"allow_shell": True}}),),
        ),
    ],
)
def test_a_plan_is_stale_after_a_change_of_what_it_changes(
    world: World, proposal: tuple[Change, ...], change: tuple[Change, ...]
):
    commit(world, (*create(36), *create(37), CreateMode(name="Live")))
    plan = world.plans.propose_plan(proposal, CHAT)
    commit(world, change)
    with pytest.raises(PlanStale):
        world.plans.approve_plan(plan.plan_id, USER)


def test_a_plan_of_an_agent_is_not_proved_again(world: World):
    plan = world.plans.propose_plan(create(40), AGENT)
    world.plans.approve_plan(plan.plan_id, USER)
    commit(world, create(41))
    assert world.plans.get_plan(plan.plan_id).base_state_hash == plan.base_state_hash
    with pytest.raises(PlanStale):
        world.plans.apply_plan(plan.plan_id, AGENT)


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
