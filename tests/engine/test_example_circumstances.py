"""Examples: values of the control, partial actions, and the situations in which examples are played."""

from typing import Any

import pytest
from tests.engine.test_examples import COPY, PASTE, Expect, keys, named, pressed, problem, tried
from tests.support.in_one_call import pin_example
from tests.support.simulate import config, does

from conductor.domain.plan import Example
from conductor.engine.examples.check import run_example

INVERTED = {"from": "value", "curve": {"type": "Linear", "min": 127, "max": 0}}
KNOB = named(
    "knob",
    "CC cc=7",
    {"type": "SendMidi", "port": "s", "message_type": "CC", "value": INVERTED},
)


def test_a_value_of_the_control_is_expected_as_its_number():
    assert tried([KNOB], "cc 7 127", [("SendMidi", {"value": 0})]).passed
    assert tried([KNOB], "cc 7 127", [("SendMidi", {"value": INVERTED})]).passed
    assert problem([KNOB], "cc 7 0", ("SendMidi", {"value": 0})) == (
        "expected SendMidi with value=0, but MIDI CC to s (value 127) at 0 ms (`knob`) fired"
    )


def test_a_volume_that_follows_its_control_is_expected_in_percent():
    row = does("CC cc=8", {"type": "VolumeControl", "operation": "Set"})
    assert tried([row], "cc 8 32", [("VolumeControl", {"operation": "Set", "value": 25})]).passed
    assert not tried([row], "cc 8 33", [("VolumeControl", {"value": 25})]).passed


BRANCH = {
    "type": "Conditional",
    "condition": {"type": "VariableIs", "name": "shift"},
    "then": keys("t"),
    "else": {
        "type": "Sequence",
        "actions": [keys("a"), {"type": "Delay", "duration_ms": 50}, keys("b")],
    },
}


def parts(*expected: Expect, **given: Any) -> str | None:
    wanted = [
        {"type": kind, "fields": fields, "at_ms": at[0] if at else None}
        for kind, fields, *at in expected
    ]
    example = {
        "name": "try",
        "gesture": "tap 1",
        "expect": [{"type": "Conditional"}],
        "effects": wanted,
    }
    row = does("Note note=1", BRANCH)
    return run_example(config([row]), Example.model_validate({**example, **given})).problem


def test_the_parts_of_an_action_and_the_branch_that_it_takes_can_be_expected():
    assert parts(pressed("a"), pressed("b", 50)) is None
    assert parts(pressed("t"), variables={"shift": True}) is None
    assert parts(pressed("a")) == (
        "nothing more should fire, but Keystroke b at 50 ms (`Note 1 (C#-2), mapping 1 of all "
        "modes`) did"
    )
    assert "expected Keystroke t, but Keystroke a at 0 ms" in str(parts(pressed("t")))


@pytest.mark.parametrize(
    ("when", "given"),
    [
        (
            {"type": "TimeRange", "start": "18:00", "end": "20:00"},
            {"clock": {"weekday": 5, "minute": 1100}},
        ),
        ({"type": "DayOfWeek", "days": [7]}, {"clock": {"weekday": 7, "minute": 0}}),
        ({"type": "AppFrontmost", "app": "gimp"}, {"app": "gimp"}),
        ({"type": "VariableIs", "name": "layer", "value": 2}, {"variables": {"layer": 2}}),
    ],
    ids=["time", "day", "app", "variable"],
)
def test_an_example_may_say_what_it_is_played_with(when: dict[str, Any], given: dict[str, Any]):
    rows = [does("Note note=1", keys("a"), [when])]
    plain = {"name": "try", "gesture": "tap 1", "expect": [{"type": "Keystroke"}]}
    assert not run_example(config(rows), Example.model_validate(plain)).passed
    assert run_example(config(rows), Example.model_validate({**plain, **given})).passed


def test_a_device_and_a_channel_may_be_given():
    plain = {"name": "try", "gesture": "tap 36", "expect": [{"type": "Keystroke"}]}
    for given, passes in (
        ({"device": "pads"}, True),
        ({"device": "keys"}, False),
        ({"channel": 3}, False),
    ):
        assert (
            run_example(config([COPY]), Example.model_validate({**plain, **given})).passed == passes
        )


def test_a_time_may_have_a_tolerance():
    def expects(**fields: Any) -> bool:
        wanted = {"type": "Keystroke", "at_ms": 400, **fields}
        example = {"name": "try", "gesture": "down 36; up 36 @900", "expect": [wanted]}
        return run_example(config([PASTE]), Example.model_validate(example)).passed

    assert not expects()
    assert expects(tolerance_ms=100)
    assert not expects(tolerance_ms=99)
    assert expects(any_time=True)


def test_an_example_that_may_happen_at_any_time_stays_so_when_it_is_kept():
    wanted = {"type": "Keystroke", "any_time": True, "fields": {"keys": "a"}}
    example = pin_example(
        Example.model_validate({"name": "x", "gesture": "tap 1", "expect": [wanted]}),
        config(["Note note=1 -> a"]),
    )
    assert example.pinned
    assert run_example(config(["Note note=1 -> a", "LongPress note=1 -> b"]), example).passed


def test_what_does_not_hold_is_not_pinned():
    example = Example(name="x", gesture="tap 1")
    assert pin_example(example, config(["Note note=1 -> a"])) == example
    broken = Example(name="x", gesture="tap")
    assert pin_example(broken, config()) == broken


def test_controls_on_two_devices_and_channels_keep_their_own():
    rows = [
        "Note note=1 device=pads channel=10 -> a",
        "Note note=2 device=pads channel=10 -> b",
        "Note note=3 device=keys channel=2 -> c",
    ]
    expect = [{"type": "Keystroke", "fields": {"keys": key}} for key in "abc"]
    gesture = "tap 1; tap 2; tap 3"
    kept = pin_example(
        Example.model_validate({"name": "x", "gesture": gesture, "expect": expect}), config(rows)
    )
    assert (kept.device, kept.channel) == ("pads", 10)
    assert [(one.control, one.device, one.channel) for one in kept.controls] == [
        ("note 3", "keys", 2)
    ]
    assert run_example(config(rows), kept).passed
    moved = [*rows[:2], "Note note=3 device=pads channel=10 -> c"]
    assert not run_example(config(moved), kept).passed


def test_a_control_keeps_its_own_channel_of_the_same_device():
    rows = [
        "Note note=1 device=pads channel=10 -> a",
        "Note note=2 device=pads channel=10 -> b",
        "Note note=3 device=pads channel=2 -> c",
    ]
    expect = [{"type": "Keystroke", "fields": {"keys": key}} for key in "abc"]
    example = {"name": "x", "gesture": "tap 1; tap 2; tap 3", "expect": expect}
    kept = pin_example(Example.model_validate(example), config(rows))
    assert [(one.control, one.device, one.channel) for one in kept.controls] == [
        ("note 3", "pads", 2)
    ]
    moved = [*rows[:2], "Note note=3 device=pads channel=10 -> c"]
    assert not run_example(config(moved), kept).passed
