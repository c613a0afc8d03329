"""Chords: notes played together are one gesture, which consumes them."""

import pytest
from tests.support.simulate import play, plays

CHORD = "NoteChord notes=[36,38] timeout_ms=50 -> c"
WITH_TAPS = f"Note note=36 -> a\nNote note=38 -> b\n{CHORD}"
WITH_RELEASES = f"{CHORD}\nNoteRelease note=36 -> r\nNoteRelease note=38 -> s"
TWO_SIZES = """
NoteChord notes=[36,38] timeout_ms=50 -> c
NoteChord notes=[36,38,40] timeout_ms=50 -> d
"""


def test_a_chord_settles_at_the_end_of_its_window_and_its_notes_do_nothing_else():
    script = "down 36 @100; down 38 @130; up 36 @500; up 38 @500"
    assert plays(WITH_TAPS, script) == "150 Keystroke c"


def test_a_note_released_early_decides_the_chord_at_once():
    assert plays(WITH_TAPS, "down 36 @100; down 38 @110; up 36 @130; up 38 @140") == (
        "130 Keystroke c"
    )


def test_a_note_outside_the_window_is_a_tap_of_its_own():
    assert plays(WITH_TAPS, "down 36 @100; down 38 @151; wait 500") == (
        "150 Keystroke a; 201 Keystroke b"
    )


def test_a_single_note_waits_no_longer_than_the_window():
    assert plays(WITH_TAPS, "down 36 @100; up 36 @900") == "150 Keystroke a"


def test_a_single_note_released_inside_the_window_is_a_tap_at_once():
    assert plays(WITH_TAPS, "down 36 @100; up 36 @120") == "120 Keystroke a"


def test_notes_struck_one_after_the_other_are_no_chord_even_inside_the_window():
    assert plays(WITH_TAPS, "tap 36 @100; tap 38 @121") == "120 Keystroke a; 141 Keystroke b"


def test_a_chord_also_uses_up_the_releases_of_its_notes():
    script = "down 36 @0; down 38 @10; up 36 @300; up 38 @310"
    assert plays(WITH_RELEASES, script) == "50 Keystroke c"


def test_after_a_chord_the_next_press_of_a_note_is_its_own_again():
    script = "down 36; down 38 @10; up 36 @300; up 38 @310; tap 36 @500"
    assert plays(WITH_RELEASES, script) == "50 Keystroke c; 520 Keystroke r"


@pytest.mark.parametrize("order", [(36, 38, 40), (40, 36, 38), (38, 40, 36)])
def test_a_longer_chord_beats_its_subset(order: tuple[int, int, int]):
    script = "".join(f"down {note} @{at}\n" for note, at in zip(order, (0, 10, 20), strict=True))
    assert plays(TWO_SIZES, script) == "50 Keystroke d"


def test_the_subset_fires_when_the_longer_chord_stays_incomplete():
    assert plays(TWO_SIZES, "down 36; down 38 @10") == "50 Keystroke c"


def test_overlapping_chords_share_no_note():
    mappings = "NoteChord notes=[36,38] -> c\nNoteChord notes=[38,40] -> d\nNote note=40 -> t"
    assert plays(mappings, "down 36; down 38 @30; down 40 @45") == "50 Keystroke c; 95 Keystroke t"


def test_notes_of_two_devices_make_no_chord():
    assert plays(WITH_TAPS, "down 36 dev left; down 38 @10 dev right") == (
        "50 Keystroke a; 60 Keystroke b"
    )


def test_notes_of_two_channels_make_no_chord():
    assert plays(WITH_TAPS, "down 36 ch 1; down 38 @10 ch 2") == "50 Keystroke a; 60 Keystroke b"


def test_gamepad_buttons_make_chords_and_are_used_up():
    mappings = """
        GamepadButton button=south -> a
        GamepadButtonChord buttons=["south","east"] timeout_ms=80 -> c
    """
    together = "button south down; button east down @40; button south up @300; button east up @300"
    assert plays(mappings, together) == "80 Keystroke c"
    assert plays(mappings, "button south") == "20 Keystroke a"


def test_a_key_held_by_a_chord_goes_up_once_with_the_first_released_note():
    mappings = "NoteChord notes=[36,38] -> Keystroke keys=shift hold=while_held"
    script = "down 36; down 38 @10; up 38 @400; up 36 @500"
    assert plays(mappings, script) == "50 press shift; 400 release shift"


def test_a_held_key_of_a_chord_that_is_over_already_is_only_tapped():
    mappings = "NoteChord notes=[36,38] -> Keystroke keys=shift hold=while_held"
    assert plays(mappings, "down 36; down 38 @10; up 38 @30; up 36 @40") == "30 Keystroke shift"


def test_a_note_held_long_that_became_no_chord_is_still_a_long_press():
    mappings = f"{WITH_TAPS}\nLongPress note=36 duration_ms=500 -> l"
    assert plays(mappings, "down 36; up 36 @900") == "500 Keystroke l"
    assert plays(mappings, "down 36; up 36 @300") == "300 Keystroke a"


def test_a_note_decided_as_a_long_press_is_no_part_of_a_later_chord():
    mappings = """
        LongPress note=36 duration_ms=100 -> l
        NoteChord notes=[36,38] timeout_ms=500 -> c
        Note note=38 -> b
    """
    simulation, _ = play(mappings, "down 36; down 38 @200; wait 1000")
    assert plays(mappings, "down 36; down 38 @200; wait 1000") == "100 Keystroke l; 700 Keystroke b"
    assert simulation.state.chords == {}


def test_a_tap_waits_for_the_longer_of_a_double_tap_and_a_chord():
    mappings = """
        Note note=36 -> a
        DoubleTap note=36 timeout_ms=100 -> d
        NoteChord notes=[36,38] timeout_ms=400 -> c
    """
    assert plays(mappings, "down 36; down 38 @200; wait 500") == "400 Keystroke c"
    assert plays(mappings, "down 36; wait 500") == "400 Keystroke a"
    assert plays(mappings, "tap 36; tap 36 @80") == "80 Keystroke d"


def test_a_chord_of_a_device_and_channel_hears_only_those():
    mappings = "NoteChord notes=[36,38] device=pads channel=10 -> c"
    assert plays(mappings, "down 36 dev pads ch 10; down 38 @10 dev pads ch 10") == "50 Keystroke c"
    assert plays(mappings, "down 36 dev pads ch 9; down 38 @10 dev pads ch 9") == ""
    assert plays(mappings, "down 36 dev keys ch 10; down 38 @10 dev keys ch 10") == ""
