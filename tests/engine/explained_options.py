"""Expected explanations of gestures with options: what decided them, and how long events were queued."""

from collections.abc import Iterator
from itertools import product

from tests.engine.explained import Row, muted, panicked, reloaded
from tests.engine.explained_rows import row
from tests.support.simulate import config

TAP = "Note note=36 -> a"
OTHER = "Note note=40 -> o"
HOLD = "LongPress note=36 duration_ms=400"
DOUBLE = "DoubleTap note=36 timeout_ms=300"
CHORD = "NoteChord notes=[36,38] timeout_ms=50"
QUIET = "require_prior_idle_ms=150"
PRESSED, LET_GO = (
    "note 40 was pressed while it was down",
    "note 40 was pressed and released while it was down",
)
LAYERED = config(
    f"LongPress note=36 duration_ms=200 keep_order=true -> ModeChange mode=B behaviour=momentary\n{CHORD} -> c",
    modes={"A": "Note note=40 -> i", "B": "Note note=41 -> b", "C": ""},
)  # fmt: skip

STREAKS = [
    row(f"{HOLD} {QUIET} -> b", "down 40; down 36 @80; wait 500; up 36", "not_fired", "prior_idle",
        "note 40 was pressed 80 ms before; the long press needs 150 ms without a press", remedy=("150 ms or more after any other control",)),
    row(f"{HOLD} {QUIET} -> b\n{TAP}", "down 40; down 36 @80; wait 500; up 36", "acted", "prior_idle", "did A", "no other gesture is waited for"),
    row(f"{HOLD} {QUIET} -> b\n{TAP}", "down 40; down 36 @150; wait 500; up 36", "acted", "too_long", "did B"),
    row(f"{DOUBLE} {QUIET} -> d\n{TAP}", "down 40; down 36 @80; up 36 @90; tap 36 @100", "acted", "prior_idle", "did A"),
    row(f"{DOUBLE} {QUIET} -> d", "down 40; down 36 @80; up 36 @90", "not_fired", "prior_idle", "the double tap needs 150 ms without a press"),
    row(f"{CHORD} {QUIET} -> c", "down 40; down 36 @20; down 38 @30; wait 99; up 36; up 38", "not_fired", "prior_idle",
        "the chord needs 150 ms without a press"),
    row(f"{CHORD} {QUIET} -> c", "down 40; down 36 @150; down 38 @160; wait 99; up 36; up 38", "acted", None, "all notes within 10 ms"),
    row(f"{HOLD} {QUIET} -> b", "button south down; down 36 @149; wait 500; up 36", "not_fired", "prior_idle", "button south was pressed 149 ms before"),
    row(f"{HOLD} quick_tap_ms=150 -> b\n{TAP}", "tap 36; wait 50; down 36; wait 500; up 36", "acted", "quick_tap", "did A"),
    row(f"{HOLD} quick_tap_ms=150 -> b", "tap 36; wait 50; down 36; wait 500; up 36", "not_fired", "quick_tap",
        "70 ms after a tap; a press within 150 ms repeats the tap", remedy=("wait 150 ms after the tap",)),
    row(f"{HOLD} quick_tap_ms=60 -> b\n{TAP}", "tap 36; wait 50; down 36; wait 500; up 36", "acted", "too_long", "did B"),
    row(f"{HOLD} quick_tap_ms=150 {QUIET} -> b", "tap 36; tap 40; wait 40; down 36; wait 500; up 36", "not_fired", "prior_idle", "note 40 was pressed 60 ms before"),
    row(f"{HOLD} {QUIET} -> b\n{HOLD.replace('400', '600')} -> c", "down 40; down 36 @80; wait 700; up 36", "acted", "prior_idle", "did C"),
]  # fmt: skip

DECIDED = [
    row(f"{HOLD} hold_on_other_press=true -> b\n{TAP}", "down 36; down 40 @50; up 36 @60", "acted", "other_press", f"did B ({PRESSED})",
        ask=("note_off",)),
    row(f"{HOLD} hold_on_other_press=true -> b\n{DOUBLE} -> d", "down 36; button south down @50; up 36 @60", "acted", "other_gesture",
        "button south was pressed while it was down", ask=("note_off",)),
    row(f"{HOLD} permissive_hold=true -> b\n{TAP}", "down 36; down 40 @50; up 40 @70; up 36 @90", "acted", "other_press", f"did B ({LET_GO})",
        ask=("timer",)),
    row(f"{HOLD} permissive_hold=true -> b\n{TAP}", "down 36; down 40 @50; up 36 @70; up 40 @90", "unmapped", None, "no mapping listens to this control", ask=("note_on",)),
    row(f"{HOLD} permissive_hold=true -> b", "down 36; down 40 @50; up 40 @60; up 36 @70", "unmapped", None, "it decided for the hold `global #0`", ask=("note_on",)),
    row(f"{HOLD} hold_on_other_press=true -> b", "down 36; down 40 @50; up 36 @70", "unmapped", None, "it decided for the hold `global #0`"),
    row(f"{HOLD} hold_on_other_press=true -> b\nNote note=40 channel=9 -> z", "down 36; down 40 @50; up 36 @70", "not_fired", "channel",
        "listens to channel 9", "it decided for the hold `global #0`"),
    row(f"{HOLD} hold_on_other_press=true -> b", "down 36; up 36 @50; down 40 @60", "unmapped", None, "no mapping listens to this control"),
    row(f"{HOLD} hold_on_other_press=true -> b\n{CHORD} -> c", "down 36; down 40 @20; up 36 @30", "acted", "other_gesture", f"({PRESSED})", ask=("timer",)),
    row(f"{HOLD} -> b\n{TAP}", "down 36; down 40 @50; up 36 @60", "acted", "too_short", "did A", ask=("note_off",)),
]  # fmt: skip

COMPLETE = [
    row(f"{CHORD} fire_when_complete=true -> c", "down 36; down 38 @20; wait 99; up 36; up 38", "acted", None,
        "complete: all notes within 20 ms, and no longer chord can follow"),
    row(f"{CHORD} fire_when_complete=true -> c\n{TAP}", "down 36; down 38 @20; wait 99; up 36; up 38", "acted", "chord_consumed", "complete: all notes within 20 ms"),
    row(f"{CHORD} fire_when_complete=true -> c\nNoteChord notes=[36,38,40] timeout_ms=30 -> l", "down 36; down 38 @20; wait 99; up 36; up 38",
        "acted", "half_chord", "did C", "complete"),
    row(f"{CHORD} fire_when_complete=true -> c\nNoteChord notes=[36,38,40] timeout_ms=50 fire_when_complete=true -> l",
        "down 36; down 38 @20; down 40 @25; wait 99; up 36; up 38; up 40", "acted", "shadowed", "did L", "complete: all notes within 25 ms"),
    row(f"{CHORD} fire_when_complete=true -> c\nLongPress note=38 duration_ms=400 -> b", "down 36; down 38 @20; wait 500; up 36; up 38",
        "acted", "chord_consumed", "did C"),
    row(f"{CHORD} fire_when_complete=true -> c", "down 36; wait 60; down 38; wait 99; up 36; up 38", "not_fired", "half_chord", "not all of its notes were pressed within 50 ms"),
]  # fmt: skip

ORDER = f"{HOLD} keep_order=true -> b\n{OTHER}"
WAITED = "waited {} ms for the gesture of note 36"
IN_ORDER = [
    row(f"{HOLD} hold_on_other_press=true -> b", "down 36", "undecided", None, "hold it 300 ms longer, or press another control", settle_s=0.1),
    row(f"{HOLD} permissive_hold=true -> b", "down 36", "undecided", None, "hold it 300 ms longer, or tap another control", settle_s=0.1),
    row(f"{HOLD} keep_order=true -> b\nLongPress note=40 duration_ms=500 -> l", "down 36; down 40 @50; up 36 @100", "undecided", None, "350 ms left", settle_s=0.1),
    row(ORDER, "down 36; down 40 @50; up 40 @60; up 36 @120", "acted", None, "did O", f"the press of note 40 {WAITED.format(70)}",
        f"the release of note 40 {WAITED.format(60)}"),
    row(ORDER, "down 36; down 40 @50; up 40 @60; up 36 @120", "acted", None, "did O", WAITED.format(70), ask=("timer",)),
    row(ORDER, "down 36; down 40 @50", "undecided", None, "waits until the gesture of note 36 is decided", settle_s=0.1),
    row(ORDER, "down 36; down 40 @50; up 40 @60", "undecided", None, "waits until the gesture of note 36 is decided", settle_s=0.1),
    row(ORDER, "down 36; down 41 @50; up 41 @60; up 36 @120", "unmapped", None, "no mapping listens to this control", f"note 41 {WAITED.format(70)}"),
    row(ORDER, ("down 36; down 40 @50", panicked), "not_fired", "dropped", "it was dropped while queued: everything was released", remedy=("play it again",)),
    row(ORDER, ("down 36; down 40 @50", muted), "not_fired", "dropped", "it was dropped while queued: its device was muted"),
    row(ORDER, "down 36; down 40 @50; unplug pads @60", "not_fired", "dropped", "it was dropped while queued: its device was disconnected", ask=("note_on",)),
    row(ORDER, ("down 36; down 40 @50", reloaded), "acted", None, "did O", WAITED.format(0)),
    row(f"{HOLD} keep_order=true -> b\nNoteRelease note=40 -> r", "down 36; down 40 @50; up 40 @60; up 36 @120", "acted", None, "did R", "the control was released"),
    row(f"{HOLD} keep_order=true -> b\nNoteRelease note=40 -> r", "down 40; down 36 @50; up 40 @60", "undecided", None, "`global #1`: the release waits until", settle_s=0.1, ask=("note_off",)),
    row(f"{HOLD} keep_order=true -> b\nNoteRelease note=40 -> r", ("down 40; down 36 @50; up 40 @60", panicked), "not_fired", "dropped", "everything was released", ask=("note_off",)),
    row(f"{HOLD} keep_order=true -> b\nLongPress note=40 duration_ms=100 -> l", "down 36; down 40 @50; up 40 @110; up 36 @300", "not_fired", "too_short",
        "held 60 ms, long press needs 100 ms", f"the press of note 40 {WAITED.format(250)}"),
    row(f"{HOLD} keep_order=true -> b\nLongPress note=40 duration_ms=100 -> l", "down 36; down 40 @50; up 40 @150; up 36 @300", "acted", None, "did L (held 100 ms)"),
    row(f"{HOLD} keep_order=true -> b\nDoubleTap note=40 timeout_ms=100 -> d", "down 36; down 40 @50; up 40 @60; down 40 @90; up 40 @99; up 36 @300", "acted", None,
        "did D (second press after 40 ms)", f"{WAITED.format(250)}", f"{WAITED.format(210)}"),
    row(f"{HOLD} keep_order=true -> b\nCC cc=7 value_min=64 -> k", "down 36; cc 7 90 @50; up 36 @120", "acted", None, "did K", f"cc 7 {WAITED.format(70)}", ask=("cc",)),
    row(f"{HOLD} keep_order=true -> b\nCC cc=7 value_min=64 -> k", "down 36; cc 7 60 @50; up 36 @120", "not_fired", "value", "60 is outside 64", f"cc 7 {WAITED.format(70)}", ask=("cc",)),
    row(f"{ORDER}\nLongPress note=38 duration_ms=300 keep_order=true -> m", "down 36; down 38 @50; down 40 @60; up 36 @100; up 38 @150; up 40 @200", "acted", None,
        "did O", "waited 90 ms for the gesture of note 36 and note 38"),
    row(LAYERED, "down 36; down 41 @50; up 41 @60; wait 500", "acted", None, "did B", WAITED.format(150)),
    row(LAYERED, "down 36; down 40 @50; up 40 @60; wait 500", "not_fired", "mode", "it belongs to mode A, and mode B was active", WAITED.format(150), ask=("note_on",)),
    row(LAYERED, "down 36; down 41 @50; up 41 @60; up 36 @100", "not_fired", "mode", "it belongs to mode B, and mode A was active", WAITED.format(50), ask=("note_on",)),
    row(f"{CHORD} keep_order=true -> c\n{OTHER}", "down 36; down 40 @10; down 38 @20; wait 99", "acted", None, "did C", ask=("note_on",)),
    row(f"{DOUBLE} keep_order=true -> d\n{OTHER}", "tap 36; down 40 @50; up 40 @60", "acted", None, "did O", WAITED.format(250)),
]  # fmt: skip


def planted() -> Iterator[Row]:
    """Return each waiting gesture with a press of another control at distances on either side of its quiet."""
    gestures = {
        HOLD: ("wait 500; up 36", "the long press"),
        DOUBLE: ("up 36; wait 50; tap 36", "the double tap"),
        CHORD: ("wait 10; down 38; wait 200; up 36; up 38", "the chord"),
    }
    for (trigger, (rest, words)), quiet_ms, early_ms in product(
        gestures.items(), (90, 200), (-1, 0, 1)
    ):
        what = f"{trigger} require_prior_idle_ms={quiet_ms} -> g"
        gap_ms = quiet_ms - early_ms
        pressed = f"down 40; down 36 @{gap_ms}"
        if early_ms <= 0:
            yield row(what, f"{pressed}; {rest}", "acted", None, "did G")
        else:
            said = f"note 40 was pressed {gap_ms} ms before; {words} needs {quiet_ms} ms without a press"
            yield row(what, f"{pressed}; wait 500; up 36", "not_fired", "prior_idle", said)


WITH_OPTIONS: list[Row] = [*STREAKS, *DECIDED, *COMPLETE, *IN_ORDER, *planted()]
