"""Double taps: two presses close together are one gesture; a third starts over."""

from tests.support.simulate import plays

TAP_OR_DOUBLE = "Note note=36 -> a\nDoubleTap note=36 timeout_ms=300 -> b"
TAP_DOUBLE_HOLD = TAP_OR_DOUBLE + "\nLongPress note=36 duration_ms=500 -> c"


def test_two_quick_taps_are_one_double_tap_at_the_second_press():
    assert plays(TAP_OR_DOUBLE, "tap 36 @0; tap 36 @200") == "200 Keystroke b"


def test_a_single_tap_waits_for_the_second_no_longer_than_the_limit():
    assert plays(TAP_OR_DOUBLE, "tap 36 @100") == "400 Keystroke a"


def test_a_single_press_that_stays_down_also_fires_at_the_limit():
    assert plays(TAP_OR_DOUBLE, "down 36 @100; up 36 @2000") == "400 Keystroke a"


def test_slow_taps_are_two_taps():
    assert plays(TAP_OR_DOUBLE, "tap 36 @0; tap 36 @400") == "300 Keystroke a; 700 Keystroke a"


def test_presses_exactly_the_limit_apart_are_two_taps():
    assert plays(TAP_OR_DOUBLE, "tap 36 @100; tap 36 @400") == "400 Keystroke a; 700 Keystroke a"


def test_a_third_tap_starts_over():
    assert plays(TAP_OR_DOUBLE, "tap 36 @0; tap 36 @100; tap 36 @200") == (
        "100 Keystroke b; 500 Keystroke a"
    )


def test_four_taps_are_two_double_taps():
    script = "tap 36 @0; tap 36 @100; tap 36 @200; tap 36 @290"
    assert plays(TAP_OR_DOUBLE, script) == "100 Keystroke b; 290 Keystroke b"


def test_with_a_long_press_all_three_gestures_are_distinguished():
    assert plays(TAP_DOUBLE_HOLD, "tap 36") == "300 Keystroke a"
    assert plays(TAP_DOUBLE_HOLD, "tap 36; tap 36 @100") == "100 Keystroke b"
    assert plays(TAP_DOUBLE_HOLD, "down 36; up 36 @900") == "500 Keystroke c"


def test_a_press_released_between_the_double_tap_and_the_long_press_is_a_tap_at_its_release():
    assert plays(TAP_DOUBLE_HOLD, "down 36; up 36 @400") == "400 Keystroke a"


def test_a_double_tap_whose_second_press_is_held_is_no_long_press():
    assert plays(TAP_DOUBLE_HOLD, "tap 36; down 36 @100; up 36 @2000") == "100 Keystroke b"


def test_a_double_tap_alone_leaves_a_single_tap_without_effect():
    assert plays("DoubleTap note=36 -> b", "tap 36; tap 36 @1000") == ""


def test_a_key_held_by_a_double_tap_goes_up_with_the_second_release():
    mappings = "DoubleTap note=36 -> Keystroke keys=b hold=while_held"
    script = "tap 36; down 36 @100; up 36 @700"
    assert plays(mappings, script) == "100 press b; 700 release b"


def test_taps_of_two_notes_are_no_double_tap():
    mappings = f"{TAP_OR_DOUBLE}\nNote note=37 -> c"
    assert plays(mappings, "tap 36; tap 37 @100") == "100 Keystroke c; 300 Keystroke a"


def test_gamepad_buttons_are_double_tapped_too():
    assert plays("DoubleTap button=east -> b", "button east; button east @200") == "200 Keystroke b"


def test_the_release_of_each_press_of_a_double_tap_fires():
    mappings = "DoubleTap note=36 -> a\nNoteRelease note=36 -> r"
    assert (
        plays(mappings, "tap 36; tap 36 @100") == "20 Keystroke r; 100 Keystroke a; 120 Keystroke r"
    )
