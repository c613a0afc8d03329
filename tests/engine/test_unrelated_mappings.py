"""What a mapping does never depends on an unrelated mapping that listens to the same control."""

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.engine.streams import MODES, Item, Player, configs, streams, triggers
from tests.support.prove import proves, scaled
from tests.support.simulate import config

from conductor.domain.config import Config, Mapping
from conductor.engine.script import parse_script
from conductor.engine.simulate import Simulation, list_fired_actions

NEVER = {"type": "Never"}


def with_idle_mapping(what: Config, mode: str, trigger: dict[str, Any]) -> Config:
    """Return the config with one more mapping at the end of a mode, which never fires."""
    row = Mapping.model_validate(
        {"trigger": {**trigger, "when": [NEVER]}, "action": {"type": "Text", "text": "never"}}
    )
    modes = tuple(
        one.model_copy(update={"mappings": (*one.mappings, row)}) if one.name == mode else one
        for one in what.modes
    )
    return what.model_copy(update={"modes": modes})


def effects_played(what: Config, items: list[Item]) -> list[tuple[Any, ...]]:
    player = Player(what)
    player.play(items)
    return [
        (trace.time, effect.kind, effect.ref.scope, effect.ref.index, effect.action, effect.fire)
        for trace in player.traces
        for effect in trace.effects
    ]


@proves
@settings(
    max_examples=scaled(16),
    deadline=None,
    phases=[Phase.reuse, Phase.generate],  # shrinking whole configs takes minutes
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(configs, st.sampled_from(MODES), triggers, streams())
def test_an_idle_mapping_changes_no_effect(
    what: Config, mode: str, trigger: dict[str, Any], items: list[Item]
):
    items = [item for item in items if getattr(item, "what", "") != "load"]
    other = with_idle_mapping(what, mode, trigger)
    assert effects_played(other, items) == effects_played(what, items)


@pytest.mark.parametrize("in_a", ["", "CC cc=20 value_min=126 -> b"])
def test_a_fall_begun_in_another_mode_is_seen_whether_or_not_that_mode_maps_the_control(in_a: str):
    what = config(modes={"A": in_a, "B": "CC cc=20 value_min=64 edge=falling -> a"})
    simulation = Simulation(what)
    fired = list_fired_actions(simulation.play_items(parse_script("cc 20 100; mode B; cc 20 50")))
    assert len(fired) == 1
