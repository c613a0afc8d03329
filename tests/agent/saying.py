"""Passes slash commands to the parser and checks the results."""

from collections.abc import Sequence
from typing import Any

from tests.support.simulate import config, mapping

from conductor.agent.slash.commands import SlashAnswer, SlashCall, SlashText, parse_command
from conductor.domain.config import Config, Mapping
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.events import InputEvent
from conductor.tools.catalog import REGISTRY

STAGE = config(
    "LongPress note=40 duration_ms=500 -> cmd+z",
    modes={
        "Default": "Note note=36 device=pads channel=10 -> cmd+c\nNote note=37 -> cmd+v",
        "Live Set": "CC cc=9 -> VolumeControl operation=Set",
    },
    profiles=[
        {"name": "Web", "match": {"executable": "firefox"}, "mappings": "Note note=36 -> f5"}
    ],
    devices=[{"alias": "pads", "matchers": [{"type": "NameContains", "pattern": "Mikro"}]}],
)


def said(
    text: str,
    now: Config = STAGE,
    recent_events: Sequence[InputEvent] = (),
    names: ControlNames = NO_CONTROL_NAMES,
) -> SlashAnswer:
    answer = parse_command(text, now, recent_events, names)
    if isinstance(answer, SlashCall):
        tool = REGISTRY.find_tool(answer.tool)
        assert tool is not None
        assert tool.tier in ("read_only", "stateful", "config_change", "privileged")
        tool.params.model_validate(answer.arguments)
        assert answer.words
    return answer


def called(text: str, now: Config = STAGE, recent_events: Sequence[InputEvent] = ()) -> SlashCall:
    answer = said(text, now, recent_events)
    assert isinstance(answer, SlashCall), answer
    return answer


def refused(text: str, now: Config = STAGE, recent_events: Sequence[InputEvent] = ()) -> str:
    answer = said(text, now, recent_events)
    assert isinstance(answer, SlashText), answer
    assert not answer.ok
    return answer.text


def row(answer: SlashCall) -> Mapping:
    fields = ("trigger", "action", "description")
    return Mapping.model_validate({k: answer.arguments[k] for k in fields if k in answer.arguments})


def seen(
    kind: Any, number: int | str, value: float, device: str = "pads", channel: int = 10
) -> Any:
    return InputEvent(kind, device, channel, number, value, 1.0)


def meant(text: str) -> Mapping:
    return Mapping.model_validate(mapping(text))
