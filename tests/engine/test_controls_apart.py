"""The state of a control is kept per device, channel and number."""

from tests.support.simulate import plays


def test_a_double_tap_needs_one_device():
    assert plays("DoubleTap note=36 -> a", "tap 36 dev one; tap 36 dev two @100") == ""


def test_a_double_tap_needs_one_channel():
    assert plays("DoubleTap note=36 -> a", "tap 36 ch 1; tap 36 ch 2 @100") == ""


def test_a_release_on_another_channel_does_not_end_a_hold():
    mappings = "LongPress note=36 duration_ms=500 -> a"
    assert plays(mappings, "down 36 ch 1; up 36 ch 2 @100; wait 900") == "500 Keystroke a"


def test_a_threshold_is_crossed_by_each_channel_for_itself():
    script = "cc 7 100 ch 1 @1; cc 7 100 ch 2 @2; cc 7 110 ch 1 @3; cc 7 100 dev other ch 1 @4"
    assert plays("CC cc=7 value_min=64 -> a", script) == (
        "1 Keystroke a; 2 Keystroke a; 4 Keystroke a"
    )


def test_an_encoder_coding_is_learned_per_device():
    mappings = "EncoderTurn cc=21 direction=clockwise -> r"
    script = "cc 21 65 dev a @1; cc 21 1 dev b @2; cc 21 65 dev a @3; cc 21 1 dev b @4; cc 21 65 dev a @5"
    assert plays(mappings, script).split("; ") == [
        "3 Keystroke r",
        "4 Keystroke r",
        "5 Keystroke r",
    ]


def test_a_key_held_from_one_device_is_not_released_by_another():
    mappings = "Note note=36 -> Keystroke keys=shift hold=while_held"
    script = "down 36 dev one; down 36 dev two @10; up 36 dev one @20; up 36 dev two @30"
    assert plays(mappings, script) == (
        "0 press shift; 10 press shift; 20 release shift; 30 release shift"
    )


def test_a_mapping_for_a_device_and_channel_hears_only_those():
    mappings = "Note note=36 device=pads channel=10 -> a\nNote note=36 -> b"
    script = "tap 36 dev pads ch 10; tap 36 dev pads ch 1 @100; tap 36 dev keys ch 10 @200"
    assert plays(mappings, script) == "0 Keystroke a; 100 Keystroke b; 200 Keystroke b"


def test_a_note_a_cc_and_a_button_of_one_number_are_three_controls():
    mappings = "Note note=36 -> n\nCC cc=36 -> c\nProgramChange program=36 -> p"
    assert plays(mappings, "tap 36 @1; cc 36 5 @30; program 36 @40") == (
        "1 Keystroke n; 30 Keystroke c; 40 Keystroke p"
    )
