"""Trigger suggestions for captured events: each is valid, fits, and is ranked correctly."""

from typing import Any

import pytest
from hypothesis import given, settings
from pydantic import TypeAdapter
from tests.engine.streams import streams

from conductor.domain.control_names import ControlNames, NamedControl
from conductor.domain.events import EventKind, InputEvent
from conductor.domain.patterns import Suggestion, suggest_for_last_gesture, suggest_triggers
from conductor.domain.settings import LearnSettings
from conductor.domain.triggers import Trigger

LEARN = LearnSettings()
TRIGGER: TypeAdapter[Trigger] = TypeAdapter(Trigger)


def event(
    kind: EventKind, number: int | str, value: float, at_ms: float, data: Any = None
) -> InputEvent:
    channel = 0 if kind in ("button_down", "button_up", "axis", "osc", "sysex") else 10
    return InputEvent(kind, "pads", channel, number, value, at_ms / 1000, data)


def press(note: int, at_ms: float, held_ms: float = 80, velocity: int = 100) -> list[InputEvent]:
    return [
        event("note_on", note, velocity, at_ms),
        event("note_off", note, 0, at_ms + held_ms),
    ]


def values(number: int, *all_values: int) -> list[InputEvent]:
    return [event("cc", number, value, at * 20) for at, value in enumerate(all_values)]


def found(*played: list[InputEvent]) -> list[Suggestion]:
    in_order = sorted((one for each in played for one in each), key=lambda one: one.time)
    return suggest_triggers(in_order, LEARN)


def best(*played: list[InputEvent]) -> dict[str, Any]:
    return found(*played)[0].trigger


def kinds(*played: list[InputEvent]) -> list[str]:
    return [suggestion.trigger["type"] for suggestion in found(*played)]


def test_one_strike_is_a_note_of_its_device_and_channel():
    assert best(press(36, 0)) == {"type": "Note", "note": 36, "device": "pads", "channel": 10}


def test_a_press_held_long_is_a_long_press_first_and_a_note_second():
    assert kinds(press(36, 0, held_ms=800)) == ["LongPress", "Note"]
    assert best(press(36, 0, held_ms=800))["duration_ms"] == 600


def test_a_press_just_long_enough_is_a_long_press_that_it_would_itself_reach():
    assert 50 <= best(press(36, 0, held_ms=500))["duration_ms"] <= 500


def test_a_press_a_little_too_short_is_only_a_note():
    assert kinds(press(36, 0, held_ms=499)) == ["Note"]


def test_two_quick_presses_are_a_double_tap_with_room_to_spare():
    assert kinds(press(36, 0), press(36, 200)) == ["DoubleTap", "Note"]
    assert best(press(36, 0), press(36, 200))["timeout_ms"] == 300


def test_two_presses_that_no_finger_makes_are_no_double_tap():
    assert kinds(press(36, 0), press(36, 1)) == ["Note"]
    assert kinds(press(36, 0), press(36, 1), press(36, 200)) == ["DoubleTap", "Note"]


def test_two_slow_presses_are_no_double_tap():
    assert kinds(press(36, 0), press(36, 401)) == ["Note"]


def test_notes_struck_together_are_a_chord_before_they_are_notes():
    chord, *rest = found(press(38, 0), press(36, 20), press(40, 45))
    assert chord.trigger == {
        "type": "NoteChord", "notes": [36, 38, 40], "device": "pads", "channel": 10,
    }  # fmt: skip
    assert "within 45 ms" in chord.why
    assert {suggestion.trigger["type"] for suggestion in rest} == {"Note"}


def test_a_chord_names_its_notes_in_order_of_pitch():
    assert best(press(100, 0), press(36, 5), press(9, 9))["notes"] == [9, 36, 100]


def test_notes_struck_one_after_the_other_are_no_chord():
    assert kinds(press(36, 0), press(38, 60)) == ["Note", "Note"]


def test_a_chord_played_several_times_is_suggested_once():
    together = [press(36, 0), press(38, 10), press(36, 1000), press(38, 1010)]
    assert kinds(*together).count("NoteChord") == 1


def test_a_slow_chord_has_a_window_in_which_it_would_fire():
    slow = LearnSettings(chord_ms=200)
    played = [*press(36, 0, held_ms=400), *press(38, 150, held_ms=400)]
    trigger = suggest_triggers(sorted(played, key=lambda one: one.time), slow)[0].trigger
    assert (trigger["type"], trigger["timeout_ms"]) == ("NoteChord", 200)


def test_a_chord_as_slow_as_the_usual_window_is_long_has_a_longer_one():
    played = [*press(36, 0, held_ms=400), *press(38, 50, held_ms=400)]
    trigger = suggest_triggers(
        sorted(played, key=lambda one: one.time), LearnSettings(chord_ms=60)
    )[0]
    assert trigger.trigger["timeout_ms"] == 100


def test_notes_of_two_channels_are_no_chord():
    other = [one._replace(channel=1) for one in press(38, 5)]
    assert "NoteChord" not in kinds(press(36, 0), other)


def test_buttons_pressed_together_are_a_chord_of_buttons():
    played = [event("button_down", name, 1, at) for at, name in enumerate(("south", "east"))]
    assert best(played) == {
        "type": "GamepadButtonChord", "buttons": ["east", "south"], "device": "pads",
    }  # fmt: skip


def test_a_button_is_tapped_held_and_double_tapped_like_a_note():
    held = [event("button_down", "south", 1, 0), event("button_up", "south", 0, 900)]
    assert kinds(held) == ["LongPress", "GamepadButton"]
    twice = [event("button_down", "south", 1, 0), event("button_down", "south", 1, 200)]
    assert kinds(twice) == ["DoubleTap", "GamepadButton"]


def test_soft_and_hard_strikes_are_two_layers_that_meet_between_them():
    layers = [
        suggestion.trigger
        for suggestion in found(press(36, 0, velocity=30), press(36, 1000, velocity=110))
        if suggestion.trigger["type"] == "VelocityRange"
    ]
    assert [(layer["min_velocity"], layer["max_velocity"]) for layer in layers] == [
        (1, 70),
        (71, 127),
    ]


def test_strikes_of_about_one_strength_are_no_layers():
    assert kinds(press(36, 0, velocity=90), press(36, 1000, velocity=110)) == ["Note"]


@pytest.mark.parametrize(
    ("sent", "coding"),
    [
        ((1, 1, 2, 127, 127, 1), "twos_complement"),
        ((65, 65, 66, 63, 63, 65), "offset_64"),
        ((1, 1, 2, 65, 65, 1), "sign_magnitude"),
    ],
)
def test_steps_are_an_encoder_with_its_coding(sent: tuple[int, ...], coding: str):
    trigger = best(values(21, *sent))
    assert (trigger["type"], trigger["encoding"]) == ("EncoderTurn", coding)


@pytest.mark.parametrize("sent", [[1] * 20 + [65] * 100, [65] * 20 + [1] * 100, [1] + [65] * 50])
def test_an_encoder_s_coding_is_told_from_the_whole_session_not_from_its_last_turn(
    sent: list[int],
):
    assert found(values(7, *sent))[0].trigger["encoding"] == "sign_magnitude"


def test_a_fader_that_rests_at_its_end_is_still_a_fader():
    assert kinds(values(7, *range(64, 128), *[127] * 30))[0] == "CC"


ROLES = ControlNames(
    {
        "pads": [
            NamedControl("cc", 7, 10, "Fader 1", "fader"),
            NamedControl("cc", 21, None, "Dial 1", "encoder"),
        ]
    }
)


@pytest.mark.parametrize("sent", [(9, 19, 127), (20, 90, 3), (30, 70, 110, 127)])
def test_a_knob_that_is_moved_by_jumps_is_no_encoder(sent: tuple[int, ...]):
    assert best(values(7, *sent))["type"] == "CC"


@pytest.mark.parametrize("sent", [(1, 1, 2, 1), (127, 127), (9, 19, 127)])
def test_a_control_that_the_profile_calls_a_fader_is_one(sent: tuple[int, ...]):
    first, *_ = suggest_triggers(values(7, *sent), LEARN, ROLES)
    assert (first.trigger, first.score) == (
        {"type": "CC", "cc": 7, "device": "pads", "channel": 10},
        0.95,
    )


def test_an_encoder_can_also_be_mapped_by_its_values():
    assert kinds(values(21, 1, 1, 2, 127)) == ["EncoderTurn", "CC"]


def test_a_gesture_played_again_replaces_the_one_before():
    held, tapped = press(36, 0, held_ms=900), press(36, 3000)
    assert kinds(held, tapped)[0] == "LongPress"
    last = suggest_for_last_gesture([*held, *tapped], LEARN)
    assert [suggestion.trigger["type"] for suggestion in last] == ["Note"]
    other = suggest_for_last_gesture([*held, *press(40, 3000)], LEARN)
    assert [suggestion.trigger["note"] for suggestion in other] == [40]


def test_a_long_press_is_one_gesture_and_strikes_after_a_pause_are_still_layers():
    held = suggest_for_last_gesture(press(36, 0, held_ms=4000), LEARN)
    assert held[0].trigger["type"] == "LongPress"
    strikes = [*press(36, 0, velocity=30), *press(36, 3000, velocity=110)]
    layers = [one.trigger["type"] for one in suggest_for_last_gesture(strikes, LEARN)]
    assert layers.count("VelocityRange") == 2


def test_a_fader_is_a_knob_first_and_an_absolute_encoder_second():
    assert kinds(values(7, 40, 41, 43, 46, 50, 55)) == ["CC", "EncoderTurn"]


def test_a_controller_that_knows_two_values_is_a_button():
    trigger = best(values(64, 127, 0))
    assert (trigger["type"], trigger["value_min"]) == ("CC", 64)


@pytest.mark.parametrize(
    ("played", "kind", "fields"),
    [
        (event("channel_pressure", 0, 90, 0), "Aftertouch", {"pressure_min": 45}),
        (event("poly_pressure", 36, 90, 0), "Aftertouch", {"note": 36, "pressure_min": 45}),
        (event("pitch_bend", 0, 16000, 0), "PitchBend", {"dead_zone": 200}),
        (event("program_change", 5, 5, 0), "ProgramChange", {"program": 5}),
        (event("nrpn", 300, 5, 0), "Nrpn", {"parameter": 300}),
        (event("rpn", 0, 5, 0), "Nrpn", {"parameter": 0, "registered": True}),
        (event("axis", "left_x", -0.9, 0), "GamepadAnalogStick", {"direction": "negative"}),
        (event("gamepad_trigger", "left", 0.9, 0), "GamepadTrigger", {"trigger": "left"}),
        (event("osc", "/a", 1.0, 0), "OscMessage", {"address": "/a"}),
        (event("sysex", 0, 4, 0, b"\xf0\x7e\x01\xf7"), "Sysex", {"pattern": "F0 7E 01 F7"}),
    ],
)
def test_every_other_control_is_suggested_by_its_kind(
    played: InputEvent, kind: str, fields: dict[str, Any]
):
    trigger = best([played])
    assert trigger["type"] == kind
    assert fields.items() <= trigger.items()


def test_pressure_that_came_with_a_strike_ranks_below_the_strike():
    squeezed = [event("poly_pressure", 36, value, 10 + value) for value in (20, 60, 90)]
    assert kinds(press(36, 0), squeezed) == ["Note", "Aftertouch"]


def test_a_stick_barely_moved_ranks_below_a_button():
    drift = [event("axis", "left_x", 0.2, 5)]
    assert kinds([event("button_down", "south", 1, 0)], drift) == [
        "GamepadButton",
        "GamepadAnalogStick",
    ]


def test_a_long_sysex_message_is_suggested_by_how_it_begins():
    data = bytes([0xF0, *range(100), 0xF7])
    pattern = best([event("sysex", 0, len(data), 0, data)])["pattern"]
    assert pattern == "F0 00 01 02 03 04 05 06 *"


def test_a_press_of_minutes_is_suggested_as_the_longest_long_press():
    assert best(press(36, 0, held_ms=300_000))["duration_ms"] == 60_000


def test_a_whole_arm_on_the_keys_is_no_chord():
    assert "NoteChord" not in kinds(*(press(note, note) for note in range(11)))


def test_a_chord_is_heard_among_what_another_device_plays():
    other = [one._replace(device="keys") for one in press(60, 5)]
    assert kinds(press(36, 0), other, press(38, 10))[0] == "NoteChord"


def test_what_is_no_control_is_passed_over():
    assert found([event("clock", 0, 0xF8, 0), event("device_gone", 0, 0, 5)]) == []
    assert found([event("note_off", 36, 0, 0)]) == []


@settings(max_examples=60, deadline=None)
@given(streams(outside=False))
def test_every_suggestion_of_any_stream_is_a_valid_trigger_with_a_reason(items: list[Any]):
    suggestions = suggest_triggers(items, LEARN)
    for suggestion in suggestions:
        TRIGGER.validate_python(suggestion.trigger)
        assert suggestion.why
        assert 0 <= suggestion.score <= 1
    scores = [suggestion.score for suggestion in suggestions]
    assert scores == sorted(scores, reverse=True)
