"""Generated gestures: values and times on both sides of limits, and each combination of conditions."""

from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.simulate import config, does, words

from conductor.domain.config import Config
from conductor.domain.triggers import TRIGGER_KINDS
from conductor.engine.gestures.space import (
    GestureSpace,
    build_engine_state,
    build_gesture_space,
    count_gestures,
    generate_gestures,
)
from conductor.engine.gestures.values import build_sysex_messages
from conductor.engine.table import compile_table

KEY: dict[str, Any] = {"type": "Keystroke", "keys": "a"}


def space_of(*triggers: str, when: Sequence[Any] = (), **rest: Any) -> GestureSpace:
    made = config([does(trigger, KEY, when) for trigger in triggers], **rest)
    return whole(made)


def whole(made: Config) -> GestureSpace:
    return build_gesture_space(
        [made], [(scope, mapping) for scope, _, mapping in made.list_all_mappings()]
    )


def values(space: GestureSpace) -> list[float]:
    return [touch.value for touch in space.touches]


VALUES: dict[str, list[float]] = {
    "CC cc=7": [0, 64, 127],
    "CC cc=7 value_min=40 value_max=80": [0, 39, 40, 64, 80, 81, 127],
    "CC cc=7 value_min=0": [0, 64, 127],
    "EncoderTurn cc=7": [0, 1, 2, 63, 64, 65, 127],
    "Aftertouch note=60 pressure_min=50 pressure_max=90": [0, 45, 46, 49, 50, 64, 90, 91, 94, 95, 127],
    "PitchBend value_min=9000": [0, 8192, 8999, 9000, 16383],
    "PitchBend dead_zone=100": [0, 8091, 8092, 8192, 8292, 8293, 16383],
    "Nrpn parameter=5 value_max=300": [0, 300, 301, 8192, 16383],
    "OscMessage address=/x value_min=0.5": [0.0, 0.499, 0.5, 0.501, 1.0],
    "ProgramChange program=5": [5],
    "GamepadTrigger trigger=left": [0.0, 0.4, 0.41, 0.49, 0.5, 1.0],
    "Note note=36": [100, 0],
    "Note note=36 velocity_min=60": [1, 59, 60, 0],
    "VelocityRange note=36 min_velocity=30 max_velocity=60": [1, 29, 30, 60, 61, 0],
    "LongPress button=south": [1, 0],
}  # fmt: skip


@pytest.mark.parametrize(("trigger", "expected"), VALUES.items())
def test_values_on_both_sides_of_each_limit_are_played(trigger: str, expected: list[float]) -> None:
    assert values(space_of(trigger)) == expected


def test_a_stick_is_pushed_to_both_sides_and_back_to_where_it_fires_again() -> None:
    found = values(space_of("GamepadAnalogStick axis=left_x threshold=0.5"))
    assert {0.0, 0.1, 0.11, 0.39, 0.4, 0.49, 0.5, 1.0} <= set(found)
    assert sorted(found) == sorted(-one for one in found)


def test_every_kind_of_trigger_has_touches() -> None:
    samples = {
        "Note": "note=36", "VelocityRange": "note=36", "LongPress": "note=36",
        "DoubleTap": "note=36", "NoteChord": "notes=[36,38]", "NoteRelease": "note=36",
        "CC": "cc=7", "EncoderTurn": "cc=7", "Aftertouch": "", "PitchBend": "",
        "ProgramChange": "program=1", "Nrpn": "parameter=1", "Sysex": "pattern=F07EF7",
        "GamepadButton": "button=south", "GamepadButtonChord": 'buttons=["south","east"]',
        "GamepadAnalogStick": "axis=left_x", "GamepadTrigger": "trigger=left",
        "OscMessage": "address=/x",
    }  # fmt: skip
    assert set(samples) == set(TRIGGER_KINDS)
    for kind, fields in samples.items():
        assert space_of(f"{kind} {fields}".strip()).touches


def test_a_message_is_made_for_each_pattern_for_what_two_share_and_for_none() -> None:
    triggers = [
        TRIGGER_KINDS["Sysex"].model_validate(words(f"Sysex pattern={pattern}"))
        for pattern in ("F07E??06F7", "F0??0006F7", "F041*")
    ]
    messages = [message.hex().upper() for message in build_sysex_messages(triggers)]
    assert messages == [
        "F07E7A06F7",
        "F07A0006F7",
        "F0417BF7",
        "F07E0006F7",
        "F0410006F7",
        "F07D7E7D7EF7",
    ]


def test_any_pressure_is_that_of_the_channel_of_the_notes_in_use_and_of_another() -> None:
    space = space_of("Aftertouch", "Aftertouch note=40")
    places = {(touch.kind, touch.number) for touch in space.touches}
    assert places == {("channel_pressure", 0), ("poly_pressure", 40), ("poly_pressure", 61)}


def test_a_control_is_played_on_each_device_and_channel_named_and_on_another() -> None:
    space = space_of("Note note=36 device=pads", "Note note=36 channel=1", "CC cc=7 device=pads")
    assert {(t.kind, t.device, t.channel) for t in space.touches if t.kind != "note_off"} == {
        ("note_on", "pads", 1),
        ("note_on", "pads", 2),
        ("note_on", "virtual", 1),
        ("cc", "pads", 1),
    }


def test_times_lie_1_ms_on_both_sides_of_each_limit_and_count_from_each_press() -> None:
    space = space_of("LongPress note=36 duration_ms=500", "DoubleTap note=36 timeout_ms=300")
    times = {
        round((gesture[1].time - gesture[0].time) * 1000, 3)
        for gesture in generate_gestures(space, 2)
        if len(gesture) == 2
    }
    assert times == {20, 299, 300, 301, 499, 500, 501}
    third = {
        round((gesture[2].time - gesture[0].time) * 1000, 3)
        for gesture in generate_gestures(space, 3)
        if len(gesture) == 3 and round((gesture[1].time - gesture[0].time) * 1000, 3) == 20
    }
    assert third == {40, 299, 300, 301, 499, 500, 501}


def test_gestures_come_shortest_first_in_the_same_order_and_only_press_what_is_up() -> None:
    space = space_of("NoteChord notes=[36,38]", "CC cc=7")
    first, second = list(generate_gestures(space, 3)), list(generate_gestures(space, 3))
    assert first == second
    assert [len(one) for one in first] == sorted(len(one) for one in first)
    assert len(set(first)) == len(first)
    for gesture in first:
        down: set[object] = set()
        for event in gesture:
            if event.kind == "note_on":
                assert event.number not in down
                down.add(event.number)
            elif event.kind == "note_off":
                down.remove(event.number)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_they_are_counted_without_making_them(depth: int) -> None:
    space = space_of("NoteChord notes=[36,38] timeout_ms=60", "LongPress note=36", "CC cc=7")
    assert count_gestures(space, depth) == len(list(generate_gestures(space, depth)))


def variable(value: object, operator: str = "==") -> dict[str, Any]:
    return {"type": "VariableIs", "name": "bank", "operator": operator, "value": value}


CONDITIONS: dict[str, tuple[list[Any], int]] = {
    "none": ([], 1),
    "a variable that compares with two values": ([variable(2, "<"), variable(1)], 3),
    "a variable that is set or not": ([variable(True)], 2),
    "a mode and an app": (
        [{"type": "ModeIs", "mode": "B"}, {"type": "AppFrontmost", "app": "code"}],
        4,
    ),
    "two apps, which a title can name both": (
        [{"type": "AppFrontmost", "app": "code"}, {"type": "AppFrontmost", "app": "main"}],
        4,
    ),
    "times of day and days": (
        [
            {"type": "TimeRange", "start": "09:00", "end": "17:00"},
            {"type": "DayOfWeek", "days": [6, 7]},
        ],
        4,
    ),
    "a control that is held, and one within Not and Or": (
        [
            {"type": "ControlHeld", "cc": 64},
            {"type": "Not", "condition": {"type": "ControlHeld", "note": 40}},
        ],
        4,
    ),
    "a control that the gesture plays itself": ([{"type": "ControlHeld", "note": 36}], 1),
}


@pytest.mark.parametrize(("when", "expected"), CONDITIONS.values(), ids=CONDITIONS)
def test_there_is_a_context_for_each_combination_of_truths(when: list[Any], expected: int) -> None:
    made = config([does("Note note=36", KEY, when)], modes={"A": [], "B": [], "C": []})
    space = whole(made)
    assert len(space.contexts) == expected
    assert space.missing == ()
    table = compile_table(made)
    truths = {
        tuple(condition.is_met(build_engine_state(table, context)) for condition in made.global_mappings[0].trigger.when)
        for context in space.contexts
    }  # fmt: skip
    assert len(truths) == expected


def test_modes_and_profiles_that_have_the_mappings_are_entered() -> None:
    made = config(
        modes={"A": ["Note note=36 -> a"], "B": ["Note note=36 -> b"], "C": [], "D": []},
        profiles=[
            {"name": "web", "match": {"title_regex": r"^(?:News|Mail) - \d+.*$"}, "mappings": ["CC cc=7 -> a"]},
            {"name": "odd", "match": {"title_regex": "[^\\W_]{2}[0-9]{4}x"}, "mappings": ["CC cc=7 -> a"]},
        ],
    )  # fmt: skip
    space = whole(made)
    table = compile_table(made)
    seen = {
        (state.mode, state.profile)
        for state in (build_engine_state(table, c) for c in space.contexts)
    }
    assert seen == {(mode, profile) for mode in "ABC" for profile in (None, "web")}
    assert space.missing == ("the app of profile odd",)
