"""Values from a control: one format for all actions."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from conductor.domain.actions import Action, Fire
from conductor.domain.actions.base import ActionBase
from conductor.domain.config import Config

HALF = Fire(64 / 127, message=bytes((0xB0, 7, 64)))
TOP = Fire(1.0, steps=3, message=bytes((0xB0, 7, 127)))
REVERSED = {"from": "value", "min": 10, "max": 20, "invert": True}
LINE = {"type": "Linear", "min": 127, "max": 0}
ACTIONS: dict[str, dict[str, Any]] = {
    "value of SendMidi": {"type": "SendMidi", "port": "o", "message_type": "CC"},
    "pitch of SendMidi": {"type": "SendMidi", "port": "o", "message_type": "PitchBend"},
    "value of VolumeControl": {"type": "VolumeControl", "operation": "Set"},
    "value of SetVariable": {"type": "SetVariable", "name": "v"},
    "x of MouseMove": {"type": "MouseMove", "relative": True},
    "dy of MouseScroll": {"type": "MouseScroll"},
    "args of OscSend": {"type": "OscSend", "port": 9000, "address": "/a"},
    "args of Plugin": {"type": "Plugin", "server": "lamp", "tool": "level"},
}


def made(where: str, value: dict[str, Any]) -> ActionBase:
    """Build an action with a value from the control in the field that `where` names."""
    name = where.split()[0]
    given: Any = value
    if where == "args of OscSend":
        given = [value]
    elif where == "args of Plugin":
        given = {"level": value}
    return TypeAdapter[Any](Action).validate_python({**ACTIONS[where], name: given})


def number(where: str, value: dict[str, Any], fire: Fire) -> Any:
    """Return the resolved value of that field."""
    item = made(where, value).resolve_to_plain(fire)[where.split()[0]]
    if isinstance(item, list):
        return item[0]
    return item["level"] if isinstance(item, dict) else item


@pytest.mark.parametrize("where", ACTIONS)
def test_every_action_takes_the_range_and_turns_it_around(where: str) -> None:
    assert number(where, REVERSED, TOP) == 10
    assert number(where, REVERSED, Fire(0.0)) == 20
    assert number(where, {"from": "value", "min": 20, "max": 10}, TOP) == 10


@pytest.mark.parametrize("where", ["dy of MouseScroll", "args of OscSend", "value of SetVariable"])
def test_steps_count_backwards_when_inverted(where: str) -> None:
    assert number(where, {"from": "steps", "invert": True}, TOP) == -3


@pytest.mark.parametrize(
    ("where", "low", "high"),
    [
        ("value of SendMidi", 0, 127),
        ("pitch of SendMidi", -8192, 8191),
        ("value of VolumeControl", 0, 100),
        ("value of SetVariable", 0, 127),
        ("x of MouseMove", 0, 127),
        ("dy of MouseScroll", 0, 127),
        ("args of OscSend", 0, 1),
        ("args of Plugin", 0, 127),
    ],
)
def test_without_a_range_a_value_has_that_of_its_field(where: str, low: int, high: int) -> None:
    value = {"from": "value"}
    assert (number(where, value, Fire(0.0)), number(where, value, TOP)) == (low, high)
    turned = {"from": "value", "curve": LINE}
    assert (number(where, turned, Fire(0.0)), number(where, turned, TOP)) == (high, low)


def test_volume_stays_in_half_of_its_range() -> None:
    half = {"from": "value", "max": 50}
    assert number("value of VolumeControl", half, TOP) == 50
    assert number("value of VolumeControl", half, HALF) == 25
    assert number("value of VolumeControl", {"from": "value", "max": 900}, TOP) == 100


def test_decimals_are_kept_where_the_field_takes_them() -> None:
    value = {"from": "value", "max": 10, "decimals": 1}
    for where in ("args of OscSend", "args of Plugin", "value of SetVariable"):
        assert number(where, value, HALF) == 5.0
    assert number("args of OscSend", {"from": "value", "max": 1}, HALF) == 0.5039
    assert number("value of SendMidi", value, HALF) == 5


def test_a_forwarded_message_takes_the_shape_and_the_curve_of_older_configs() -> None:
    forward = {"type": "MidiForward", "port": "o"}
    adapter = TypeAdapter[Any](Action)
    turned = adapter.validate_python({**forward, "value": {"from": "value", "invert": True}})
    assert turned.transform_message(HALF.message) == bytes((0xB0, 7, 63))
    older = adapter.validate_python({**forward, "curve": LINE})
    assert older.transform_message(HALF.message) == bytes((0xB0, 7, 63))
    assert older.to_plain() == {**forward, "value": {"from": "value", "curve": LINE}}
    with pytest.raises(ValueError, match="a message has no steps"):
        adapter.validate_python({**forward, "value": {"from": "steps"}})


def test_what_is_written_is_what_was_given() -> None:
    row = {"trigger": {"type": "CC", "cc": 1}, "action": made("value of SendMidi", REVERSED)}
    config = Config.model_validate({"modes": [{"name": "D"}], "global_mappings": [row]})
    assert config.global_mappings[0].action.to_plain()["value"] == REVERSED


@pytest.mark.parametrize(
    ("where", "limit"),
    [("dy of MouseScroll", 127), ("x of MouseMove", 32_767), ("value of VolumeControl", 100)],
)
def test_a_control_passes_no_limit_that_a_number_has(where: str, limit: int) -> None:
    wide = {"from": "value", "min": -1e9, "max": 1e9}
    assert number(where, wide, TOP) == limit
    assert number(where, wide, Fire(0.0, message=bytes((0xB0, 7, 0)))) in (-limit, 0)


def test_down_never_raises_the_volume() -> None:
    down = TypeAdapter[Any](Action).validate_python(
        {
            "type": "VolumeControl",
            "operation": "Down",
            "value": {"from": "value", "min": -100, "max": 0},
        }
    )
    assert down.resolve_to_plain(Fire(0.0))["value"] == 0


@pytest.mark.parametrize("end", ["min", "max"])
def test_a_range_has_an_end_that_can_be_reckoned_with(end: str) -> None:
    with pytest.raises(ValidationError):
        made("args of OscSend", {"from": "value", end: 1.7e308})


def test_the_missing_curve_of_plans_kept_before_is_read() -> None:
    forward = {"type": "MidiForward", "port": "o", "curve": None}
    assert TypeAdapter[Any](Action).validate_python(forward).to_plain().get("value") is None
