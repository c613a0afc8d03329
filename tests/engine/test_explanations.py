"""A trace has the outcome and reason of every candidate, as text and as JSON."""

import json
from typing import Any, get_args

import pytest
from tests.support.simulate import config, explains, mapping, play

from conductor.domain.events import EventKind, InputEvent
from conductor.domain.phrases import describe_event, format_note_name
from conductor.domain.wire_rows import event_from_plain, event_to_plain
from conductor.engine.state import EngineState
from conductor.engine.step import (
    feed_event,
    load_table,
    mute_device,
    release_everything,
    switch_mode,
)
from conductor.engine.table import compile_table

TAP_HOLD = "Note note=36 -> a\nLongPress note=36 duration_ms=500 -> b"


def test_a_press_released_too_early_says_how_long_it_was_held_and_what_was_needed():
    assert explains(TAP_HOLD, "down 36; up 36 @431")[-2:] == [
        "431 b no: held 431 ms, long press needs 500 ms",
        "431 a fired: released after 431 ms",
    ]


def test_a_hold_says_that_the_tap_was_held_too_long():
    assert explains(TAP_HOLD, "down 36; up 36 @900")[-2:] == [
        "500 a no: held too long for a tap",
        "500 b fired: held 500 ms",
    ]


def test_what_waits_is_listed_as_waiting():
    assert explains(TAP_HOLD, "down 36")[:2] == [
        "0 b waiting: the gesture is not decided yet",
        "0 a waiting: the gesture is not decided yet",
    ]


def test_a_shadowed_mapping_is_listed_with_the_one_that_came_first():
    assert explains("Note note=36 -> a\nNote note=36 -> b", "down 36") == [
        "0 b shadowed: `Note 36 (C1), mapping 1 of all modes` comes first",
        "0 a fired: at once: nothing else could follow",
    ]


def test_a_shadowed_change_is_listed_too():
    assert explains("CC cc=1 -> a\nCC cc=1 -> b", "cc 1 5") == [
        "0 a fired: any value fires: 5",
        "0 b shadowed: `CC 1, mapping 1 of all modes` comes first",
    ]


@pytest.mark.parametrize(
    ("mappings", "script", "last"),
    [
        ("Note note=36 velocity_min=50 -> a", "down 36 vel 49", "velocity 49 is below velocity_min 50"),
        ("VelocityRange note=36 max_velocity=40 -> a", "down 36 vel 41", "velocity 41 is outside 1-40"),
        ("CC cc=7 value_min=64 -> a", "cc 7 63", "63 is outside 64 and up"),
        ("CC cc=7 value_min=64 -> a", "cc 7 70; cc 7 80", "80 stays inside 64 and up: it fires on crossing"),
        ("DoubleTap note=36 timeout_ms=200 -> a", "tap 36", "no second press within 200 ms"),
        ("NoteChord notes=[1,2] timeout_ms=40 -> a", "down 1", "not all of its notes were pressed within 40 ms"),
        ("EncoderTurn cc=21 -> a", "cc 21 1", "first value 1: `auto` needs a second value to detect the coding"),
        (
            "EncoderTurn cc=21 direction=clockwise encoding=offset_64 -> a",
            "cc 21 63",
            "turned counter_clockwise, but only clockwise turns fire (offset_64)",
        ),
        ("GamepadAnalogStick axis=left_x -> a", "axis left_x 0.3", "0.30 does not reach 0.5"),
        ("GamepadTrigger trigger=left -> a", "trigger left 0.3", "0.30 does not reach 0.5"),
        ("Aftertouch pressure_min=80 -> a", "pressure 70", "pressure 70 is outside 80-127"),
        ("Sysex pattern=F001F7 -> a", "sysex 02", "the message does not match `F0 01 F7`"),
    ],
)  # fmt: skip
def test_a_refusal_has_the_numbers(mappings: str, script: str, last: str):
    assert explains(mappings, script)[-1].endswith(f" a no: {last}")


def test_a_condition_that_fails_is_named():
    row = mapping("Note note=36 -> a", [{"type": "ModeIs", "mode": "DJ"}])
    assert explains(config([row], modes={"Default": [], "DJ": []}), "down 36") == [
        "0 a no: condition not met: mode is DJ"
    ]


def test_a_note_taken_by_a_chord_says_so():
    mappings = "Note note=36 -> a\nNoteChord notes=[36,38] -> c"
    assert explains(mappings, "down 36; down 38 @10")[-2:] == [
        "50 a no: the chord consumed its note",
        "50 c fired: all notes within 10 ms",
    ]


CHORDS = "NoteChord notes=[36,38] -> c\nNoteChord notes=[36,38,40] -> d"
INCOMPLETE = "no: not all of its notes were pressed within 50 ms"


def test_each_chord_that_stays_incomplete_says_so():
    assert explains(CHORDS, "down 36")[-2:] == [f"50 d {INCOMPLETE}", f"50 c {INCOMPLETE}"]


def test_a_note_that_can_still_be_a_tap_names_only_the_shortest_incomplete_chord():
    told = explains(f"{CHORDS}\nNote note=36 -> a", "down 36")
    assert [line for line in told if INCOMPLETE in line] == [f"50 c {INCOMPLETE}"]


def test_a_double_tap_says_how_far_apart_the_presses_were():
    assert explains("DoubleTap note=36 -> a", "tap 36; tap 36 @120")[-1] == (
        "120 a fired: second press after 120 ms"
    )


def test_the_time_left_for_a_second_press_is_reported():
    told = explains("DoubleTap note=36 timeout_ms=300 -> a", "tap 36")
    assert "20 a waiting: 280 ms left for a second press" in told


def test_a_threshold_says_what_it_crossed():
    assert explains("CC cc=7 value_min=64 -> a", "cc 7 90") == ["0 a fired: 90 entered 64 and up"]


def test_a_timer_s_trace_names_the_control_that_it_is_about():
    _, traces = play(TAP_HOLD, "down 36 dev pads ch 10")
    late = traces[-1].to_plain()["event"]
    assert (late["kind"], late["device"], late["channel"], late["number"]) == (
        "timer",
        "pads",
        10,
        36,
    )


def test_a_mapping_is_called_by_its_description_or_its_place():
    row = {**mapping("Note note=36 -> a"), "description": "copy"}
    names = [
        candidate["mapping"]
        for trace in play([row, "Note note=36 -> b"], "down 36")[1]
        for candidate in trace.to_plain()["candidates"]
    ]
    assert names == ["global #1", "copy"]


SAMPLES: dict[str, InputEvent] = {
    "note_on": InputEvent("note_on", "pads", 10, 36, 100, 0.1),
    "note_off": InputEvent("note_off", "pads", 10, 36, 0, 0.2),
    "cc": InputEvent("cc", "pads", 1, 7, 64, 0.3),
    "nrpn": InputEvent("nrpn", "pads", 1, 300, 8192, 0.4),
    "rpn": InputEvent("rpn", "pads", 1, 0, 256, 0.5),
    "poly_pressure": InputEvent("poly_pressure", "pads", 1, 36, 80, 0.6),
    "channel_pressure": InputEvent("channel_pressure", "pads", 1, 0, 80, 0.7),
    "pitch_bend": InputEvent("pitch_bend", "pads", 1, 0, 8192, 0.8),
    "program_change": InputEvent("program_change", "pads", 1, 5, 5, 0.9),
    "sysex": InputEvent("sysex", "pads", 0, 0, 4, 1.0, b"\xf0\x7e\x01\xf7"),
    "button_down": InputEvent("button_down", "xbox", 0, "south", 1, 1.1),
    "button_up": InputEvent("button_up", "xbox", 0, "south", 0, 1.2),
    "axis": InputEvent("axis", "xbox", 0, "left_x", -0.5, 1.3),
    "gamepad_trigger": InputEvent("gamepad_trigger", "xbox", 0, "left", 0.5, 1.4),
    "osc": InputEvent("osc", "osc", 0, "/a", 0.5, 1.5, (0.5, "x", True, None, "01 FF")),
    "device_gone": InputEvent("device_gone", "pads", 0, 0, 0, 1.6),
    "device_back": InputEvent("device_back", "pads", 0, 0, 0, 1.7),
    "clock": InputEvent("clock", "pads", 0, 0, 0xF8, 1.8),
    "transport": InputEvent("transport", "pads", 0, 0, 0xFA, 1.9),
    "app": InputEvent("app", "", 0, 0, 0, 2.0, ("firefox", "org.firefox", "News")),
    "completed": InputEvent("completed", "", 0, 1, 0, 2.1, "no focus"),
    "timer": InputEvent("timer", "", 0, 0, 0, 2.2),
}


def test_there_is_a_sample_of_every_kind_of_event():
    assert SAMPLES.keys() == set(get_args(EventKind))


EVERYTHING = """
Note note=36 -> Keystroke keys=a hold=while_held
LongPress note=36 -> b
NoteRelease note=36 -> c
CC cc=7 -> SendMidi port=out message_type=CC value={"from":"value"}
Nrpn parameter=300 -> a
Aftertouch -> a
PitchBend -> MidiForward port=out
ProgramChange program=5 -> a
Sysex pattern=F07E* -> MidiForward port=out
GamepadButton button=south -> a
GamepadAnalogStick axis=left_x -> a
GamepadTrigger trigger=left -> a
OscMessage address=/a -> SetVariable name=x
"""


@pytest.mark.parametrize("kind", SAMPLES)
def test_the_trace_of_every_kind_of_event_is_json(kind: str):
    state = EngineState(compile_table(config(EVERYTHING)))
    for trace in feed_event(state, SAMPLES[kind]):
        plain = trace.to_plain()
        assert json.loads(json.dumps(plain)) == plain
        assert trace.get_outcome() == plain["outcome"]


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_kind_of_event_has_words_for_people(kind: str):
    assert describe_event(SAMPLES[kind])


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_event_comes_back_from_its_plain_form(kind: str):
    plain = json.loads(json.dumps(event_to_plain(SAMPLES[kind])))
    assert event_from_plain(plain) == SAMPLES[kind]


def test_the_traces_of_what_is_done_from_outside_are_json_and_say_what_was_done():
    state = EngineState(compile_table(config("Note note=36 -> a", modes={"A": [], "B": []})))
    traces = [
        switch_mode(state, "B", 1.0),
        mute_device(state, "pads", 2.0, muted=True),
        mute_device(state, "pads", 2.5, muted=False),
        load_table(state, compile_table(config("Note note=37 -> a")), 3.0),
        release_everything(state, 4.0),
    ]
    notes = [json.loads(json.dumps(trace.to_plain()))["note"] for trace in traces]
    assert notes[0] == "mode B was chosen"
    assert notes[3] == "config loaded: 1 mappings"


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ("down 36", "waiting"),
        ("down 40", "fired"),
        ("down 41", "unmatched"),
        ("down 42", "mode"),
        ("app firefox", "info"),
    ],
)
def test_a_trace_has_the_colour_of_its_outcome(script: str, outcome: str):
    rows = f"{TAP_HOLD}\nNote note=40 -> a\nNote note=42 -> ModeChange mode=Default"
    assert play(rows, script)[1][0].get_outcome() == outcome


@pytest.mark.parametrize(
    ("note", "name"), [(0, "C-2"), (36, "C1"), (60, "C3"), (61, "C#3"), (127, "G8")]
)
def test_notes_are_named_with_middle_c_as_c3(note: int, name: str):
    assert format_note_name(note) == name


def test_events_are_described_in_words():
    told: dict[str, Any] = {kind: describe_event(event) for kind, event in SAMPLES.items()}
    assert told["note_on"] == "note 36 (C1) ch 10 velocity 100"
    assert told["note_off"] == "note 36 (C1) ch 10 up"
    assert told["sysex"] == "sysex F0 7E 01 F7"
    assert told["axis"] == "left_x = -0.50"
    assert told["button_down"] == "button south down"
    assert told["app"] == "app in front: firefox"
