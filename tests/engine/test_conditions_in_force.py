"""`when`: a mapping counts only while its conditions hold."""

from typing import Any

from tests.support.simulate import config, mapping, plays

IN_DJ = {"type": "ModeIs", "mode": "DJ"}
PEDAL = {"type": "ControlHeld", "cc": 64}
ARMED = {"type": "VariableIs", "name": "armed"}
MODES: dict[str, Any] = {"Default": [], "DJ": []}
ARM = "CC cc=1 value_min=64 -> SetVariable name=armed"


def when(condition: Any, row: str = "Note note=36 -> a") -> dict[str, Any]:
    return mapping(row, [condition])


def test_a_mapping_for_a_mode_fires_only_in_it():
    one = config([when(IN_DJ)], modes=MODES)
    assert plays(one, "tap 36; mode DJ; tap 36 @100; mode Default; tap 36 @200") == (
        "100 Keystroke a"
    )


def test_a_mapping_for_an_app_fires_only_while_it_is_in_front():
    row = when({"type": "AppFrontmost", "app": "firefox"})
    script = "tap 36; app firefox News @100; tap 36 @200; app code @300; tap 36 @400"
    assert plays([row], script) == "200 Keystroke a"


def test_an_app_is_known_by_its_window_title_too():
    row = when({"type": "AppFrontmost", "app": "untitled"})
    assert plays([row], "app code main.py; tap 36 @10; app code Untitled-1 @20; tap 36 @30") == (
        "30 Keystroke a"
    )


def test_a_mapping_for_a_time_fires_only_at_that_time():
    row = when({"type": "TimeRange", "start": "22:00", "end": "06:00"})
    assert plays([row], "tap 36", lambda _now: (1, 23 * 60)) == "0 Keystroke a"
    assert plays([row], "tap 36", lambda _now: (1, 12 * 60)) == ""


def test_the_time_is_looked_at_when_the_control_moves():
    row = when({"type": "TimeRange", "start": "12:01", "end": "12:01"})

    def minutes(now: float) -> tuple[int, int]:
        return 1, 720 + int(now // 60)

    assert plays([row], "tap 36; tap 36 @60000; tap 36 @120000", minutes) == "60000 Keystroke a"


def test_a_mapping_for_working_days_rests_on_sunday():
    row = when({"type": "DayOfWeek", "days": [1, 2, 3, 4, 5]})
    assert plays([row], "tap 36", lambda _now: (5, 600)) == "0 Keystroke a"
    assert plays([row], "tap 36", lambda _now: (7, 600)) == ""


def test_a_pedal_makes_a_second_layer():
    rows = [when(PEDAL, "Note note=36 -> b"), "Note note=36 -> a"]
    script = "tap 36; cc 64 127 @100; tap 36 @200; cc 64 0 @300; tap 36 @400"
    assert plays(rows, script) == "0 Keystroke a; 200 Keystroke b; 400 Keystroke a"


def test_a_held_note_shifts_another_one():
    rows = [when({"type": "ControlHeld", "note": 48}, "Note note=36 -> b"), "Note note=36 -> a"]
    script = "down 48; tap 36 @50; up 48 @100; tap 36 @150"
    assert plays(rows, script) == "50 Keystroke b; 150 Keystroke a"


def test_a_held_button_shifts_a_note():
    row = when({"type": "ControlHeld", "button": "l1"})
    assert plays([row], "button l1 down; tap 36 @50; button l1 up @100; tap 36 @150") == (
        "50 Keystroke a"
    )


def test_a_held_control_of_one_device_does_not_count_for_another():
    row = when({"type": "ControlHeld", "note": 48, "device": "left"})
    assert plays([row], "down 48 dev right; tap 36 @50; down 48 dev left @60; tap 36 @90") == (
        "90 Keystroke a"
    )


def test_a_control_held_by_a_device_that_goes_away_is_held_no_more():
    row = when({"type": "ControlHeld", "note": 48})
    assert plays([row], "down 48 dev left; unplug left @20; tap 36 @50") == ""


def test_a_variable_arms_a_mapping():
    assert plays([when(ARMED), ARM], "tap 36; cc 1 127 @100; tap 36 @200") == (
        "100 Set armed; 200 Keystroke a"
    )


def test_a_variable_that_was_never_set_counts_as_false_and_zero():
    assert plays([when({**ARMED, "value": False})], "tap 36") == "0 Keystroke a"
    assert plays([when({**ARMED, "operator": "<", "value": 1})], "tap 36") == "0 Keystroke a"


def test_and_or_and_not_combine_conditions():
    both = {"type": "And", "conditions": [PEDAL, ARMED]}
    either = {"type": "Or", "conditions": [PEDAL, ARMED]}
    neither = {"type": "Not", "condition": either}
    rows = [
        when(both, "Note note=36 -> b"),
        when(either, "Note note=36 -> e"),
        when(neither, "Note note=36 -> n"),
        ARM,
    ]
    script = "tap 36; cc 64 127 @100; tap 36 @200; cc 1 127 @300; tap 36 @400"
    assert plays(rows, script) == ("0 Keystroke n; 200 Keystroke e; 300 Set armed; 400 Keystroke b")


def test_several_conditions_must_all_hold():
    row = mapping("Note note=36 -> a", [PEDAL, ARMED])
    script = "cc 64 127; tap 36 @10; cc 1 127 @20; tap 36 @30; cc 64 0 @40; tap 36 @50"
    assert plays([row, ARM], script) == "20 Set armed; 30 Keystroke a"


def test_a_long_press_whose_condition_fails_does_not_delay_the_tap():
    rows = ["Note note=36 -> a", when(PEDAL, "LongPress note=36 duration_ms=500 -> l")]
    assert plays(rows, "down 36; up 36 @200") == "0 Keystroke a"
    assert plays(rows, "cc 64 127; down 36 @10; up 36 @200") == "200 Keystroke a"


def test_a_chord_whose_condition_fails_does_not_delay_the_tap():
    rows = ["Note note=36 -> a", when(PEDAL, "NoteChord notes=[36,38] -> c")]
    assert plays(rows, "down 36; down 38 @10") == "0 Keystroke a"


def test_conditions_are_looked_at_when_the_press_begins():
    rows = ["Note note=36 -> a", when(PEDAL, "LongPress note=36 duration_ms=500 -> l")]
    assert plays(rows, "cc 64 127; down 36 @10; cc 64 0 @100; up 36 @900") == "510 Keystroke l"
