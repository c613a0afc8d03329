"""Config changes that affect the engine are distinguished from those that do not."""

import pytest
from tests.support.simulate import config

from conductor.domain.config import Config
from conductor.engine.behaviour_comparison import has_same_behaviour

HOLD = "Note note=36 -> Keystroke keys=shift hold=while_held"
PLAYED = config([HOLD])


def changed(**parts: object) -> Config:
    return Config.model_validate({**PLAYED.to_plain(), **parts})


def plugin(value: object) -> Config:
    action = {"type": "Plugin", "server": "lamp", "tool": "set", "args": {"level": value}}
    row = {"trigger": {"type": "Note", "note": 1}, "action": action}
    return Config.model_validate({"global_mappings": [row]})


@pytest.mark.parametrize(
    "part", [{"llm": {"enabled": False}}, {"settings": {"ui": {"theme": "dark"}}}, {}]
)
def test_what_only_the_chat_or_the_window_uses_is_not_played(part: dict[str, object]):
    assert has_same_behaviour(PLAYED, changed(**part))


@pytest.mark.parametrize(
    "part",
    [
        {"modes": [{"name": "Default"}, {"name": "Other"}]},
        {"settings": {"engine": {"virtual_output": ""}}},
        {"devices": [{"alias": "pads", "matchers": [{"type": "ExactName", "pattern": "Pads"}]}]},
    ],
)
def test_mappings_modes_devices_and_settings_of_the_engine_are_played(part: dict[str, object]):
    assert not has_same_behaviour(PLAYED, changed(**part))


def test_one_and_true_are_different_arguments_of_a_plugin():
    assert plugin(1) == plugin(True)
    assert not has_same_behaviour(plugin(1), plugin(True))
