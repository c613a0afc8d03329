"""Messages about delays stay true beside the options of gestures."""

from tests.domain.test_conflicts import of

MUSIC = "Note note=40 -> MidiForward port=out"


def test_a_hold_that_is_not_always_waited_for_leaves_something_to_the_next():
    rows = ["LongPress note=1 duration_ms=200 {} -> a", "LongPress note=1 duration_ms=200 -> b"]
    assert any("`global #1` never fires" in one for one in of([rows[0].format(""), rows[1]]))
    for option in ("require_prior_idle_ms=100", "quick_tap_ms=100"):
        assert of([rows[0].format(option), rows[1]]) == []


def test_a_tap_that_waits_says_when_it_does_not():
    [told] = of(
        [
            "Note note=1 -> a",
            "LongPress note=1 duration_ms=200 quick_tap_ms=90 require_prior_idle_ms=80 -> b",
        ]
    )
    assert told.endswith(
        "until it is released; less than 90 ms after a tap it is at once, and held; "
        "not within 80 ms after another control"
    )


def test_a_chord_that_fires_when_complete_waits_for_the_longer_one_only():
    rows = [
        "NoteChord notes=[1,2] timeout_ms=50 fire_when_complete=true -> a",
        "NoteChord notes=[1,2,3] timeout_ms=30 -> b",
    ]
    [told] = of(rows)
    assert told.endswith("`global #0` waits up to 30 ms for it")


def test_music_that_waits_for_an_ordered_gesture_is_warned_of():
    hold = "LongPress note=1 duration_ms=200 keep_order=true -> a"
    assert of([hold, MUSIC]) == [
        (
            "warning tap_delayed: `global #0` keeps the order: while it is undecided, `global #1` of its device "
            "waits up to 200 ms"
        )
    ]
    assert of([hold, "Note note=40 -> b"]) == []
