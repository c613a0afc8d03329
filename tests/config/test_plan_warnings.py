"""How plans word their warnings."""

import pytest
from tests.config.plan_world import USER, World
from tests.support.simulate import config

from conductor.config.problem_places import format_problem
from conductor.domain.actions.launch import LaunchAction
from conductor.domain.change_kinds import CreateMapping
from conductor.domain.config import Mapping
from conductor.domain.triggers.note import NoteTrigger
from conductor.domain.validate import Problem


@pytest.mark.parametrize(
    ("app", "warning"),
    [
        ("obs studio", "This mapping runs a program: 'obs studio'"),
        ("https://twitch.tv/dashboard", "This mapping opens a link: https://twitch.tv/dashboard"),
    ],
)
def test_a_plan_tells_a_program_from_a_link(world: World, app: str, warning: str):
    mapping = Mapping(trigger=NoteTrigger(note=36), action=LaunchAction(app=app))
    plan = world.plans.propose_plan((CreateMapping(mapping=mapping),), USER)
    assert warning in plan.warnings


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("modes[1].mappings[0].action", "Mapping 1 of mode Live"),
        ("global_mappings[1].action", "Mapping 2 of all modes"),
        ("profiles[0].mappings[0].trigger", "Mapping 1 of profile web"),
        ("settings.engine.start_mode", "settings.engine.start_mode"),
    ],
)
def test_a_warning_names_the_mapping_by_its_place_in_the_window(path: str, place: str):
    profile = {"name": "web", "match": {"executable": "firefox"}}
    known = config(modes={"Default": [], "Live": []}, profiles=[profile])
    assert format_problem(Problem(path=path, message="odd"), known) == f"{place}: odd"
