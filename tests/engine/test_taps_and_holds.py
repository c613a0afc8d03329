"""Tap or hold: a tap waits only when a hold is in force, and the two never both happen."""

import pytest
from tests.support.simulate import play, plays

COPY_PASTE = """
Note note=36 -> cmd+c
LongPress note=36 duration_ms=500 -> cmd+v
"""
COPY, PASTE = "Keystroke cmd+c", "Keystroke cmd+v"


def test_a_tap_alone_fires_at_once():
    assert plays("Note note=36 -> cmd+c", "down 36 @100; up 36 @900") == f"100 {COPY}"


def test_a_tap_beside_a_long_press_fires_on_release():
    assert plays(COPY_PASTE, "down 36 @100; up 36 @300") == f"300 {COPY}"


def test_a_long_press_fires_when_its_time_has_come_and_not_at_the_release():
    assert plays(COPY_PASTE, "down 36 @100; up 36 @3000") == f"600 {PASTE}"


@pytest.mark.parametrize("held_ms", [1, 20, 499, 499.9, 500, 500.1, 501, 5000])
@pytest.mark.parametrize("start_ms", [0, 100, 300, 700, 1100])
def test_tap_copies_and_hold_pastes_but_never_both(held_ms: float, start_ms: int):
    done = plays(COPY_PASTE, f"down 36 @{start_ms}; up 36 @{start_ms + held_ms}")
    expected = COPY if held_ms < 500 else PASTE
    assert done.endswith(expected)
    assert ";" not in done


@pytest.mark.parametrize("start_ms", [0, 100, 200, 300, 400, 600, 700, 900])
@pytest.mark.parametrize("duration_ms", [100, 200, 300, 600, 700])
def test_a_release_exactly_at_the_limit_is_a_hold(start_ms: int, duration_ms: int):
    mappings = f"Note note=36 -> a\nLongPress note=36 duration_ms={duration_ms} -> b"
    limit_ms = start_ms + duration_ms
    assert plays(mappings, f"down 36 @{start_ms}; up 36 @{limit_ms}") == f"{limit_ms} Keystroke b"


def test_a_long_press_alone_does_nothing_when_released_early():
    assert plays("LongPress note=36 duration_ms=500 -> b", "down 36; up 36 @499") == ""


def test_of_several_long_presses_the_longest_reached_fires_at_the_release():
    mappings = """
        Note note=36 -> a
        LongPress note=36 duration_ms=500 -> b
        LongPress note=36 duration_ms=1000 -> c
    """
    script = "down 36 @{}; up 36 @{}"
    assert plays(mappings, script.format(0, 400)) == "400 Keystroke a"
    assert plays(mappings, script.format(0, 700)) == "700 Keystroke b"
    assert plays(mappings, script.format(0, 2000)) == "1000 Keystroke c"


def test_a_long_press_that_waits_for_another_control_does_not_delay_taps_of_this_one():
    assert plays("Note note=36 -> a\nLongPress note=37 -> b", "down 36 @5; up 36 @90") == (
        "5 Keystroke a"
    )


def test_a_tap_struck_again_before_its_release_counts_as_two():
    done = plays(COPY_PASTE, "down 36 @0; down 36 @100; up 36 @200")
    assert done == f"100 {COPY}; 200 {COPY}"


def test_a_long_press_of_a_gamepad_button_leaves_its_tap_for_short_presses():
    mappings = "GamepadButton button=south -> a\nLongPress button=south duration_ms=300 -> b"
    script = "button south down @0; button south up @100; button south down @500; wait 400"
    assert plays(mappings, script) == "100 Keystroke a; 800 Keystroke b"


def test_a_key_held_by_a_long_press_stays_down_until_the_release():
    mappings = "LongPress note=36 duration_ms=500 -> Keystroke keys=shift hold=while_held"
    assert plays(mappings, "down 36; up 36 @800") == "500 press shift; 800 release shift"


def test_a_held_key_of_a_tap_that_had_to_wait_goes_down_and_up_at_the_release():
    mappings = """
        Note note=36 -> Keystroke keys=a hold=while_held
        LongPress note=36 duration_ms=500 -> b
    """
    assert plays(mappings, "down 36; up 36 @100") == "100 Keystroke a"


def test_a_release_fires_beside_the_tap_and_after_it():
    assert plays("Note note=36 -> a\nNoteRelease note=36 -> b", "down 36 @10; up 36 @50") == (
        "10 Keystroke a; 50 Keystroke b"
    )


def test_a_release_fires_after_a_hold_too():
    mappings = "LongPress note=36 duration_ms=100 -> a\nNoteRelease note=36 -> b"
    assert plays(mappings, "down 36; up 36 @300") == "100 Keystroke a; 300 Keystroke b"


def test_a_release_without_a_press_does_nothing():
    assert plays("NoteRelease note=36 -> b", "up 36 @50") == ""


def test_a_tap_resolved_by_time_keeps_the_velocity_of_its_strike():
    row = 'Note note=36 -> SetVariable name=v value={"from":"value"}'
    simulation, _ = play(f"{row}\nLongPress note=36 -> b", "down 36 vel 33; up 36 @50")
    assert simulation.state.get_variable("v") == 33
