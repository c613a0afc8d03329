"""Gesture options: other controls, earlier taps and chords may decide sooner, or events are queued."""

from typing import Any

import pytest
from tests.support.simulate import Rows, config, explains, play, plays

from conductor.domain.events import InputEvent
from conductor.domain.trace import Trace
from conductor.engine.order import MAX_QUEUED_EVENTS
from conductor.engine.script import parse_script
from conductor.engine.simulate import Simulation
from conductor.engine.state import EngineState
from conductor.engine.step import feed_event, load_table, mute_device, release_everything
from conductor.engine.table import compile_table

X_OR_Y = """
Note note=1 -> Keystroke keys=x hold=while_held
LongPress note=1 duration_ms=100 {} -> Keystroke keys=y hold=while_held
Note note=2 -> Keystroke keys=b hold=while_held
Note note=3 -> Keystroke keys=z hold=while_held
"""


def keys(options: str) -> str:
    return X_OR_Y.format(options)


def script(line: str) -> str:
    """Read kanata's `d:a t:50 u:a`: a is note 1, b is 2, z is 3."""
    notes, now, items = {"a": 1, "b": 2, "z": 3}, 0, list[str]()
    for word in line.split():
        what, _, which = word.partition(":")
        if what == "t":
            now += int(which)
        else:
            items.append(f"{'down' if what == 'd' else 'up'} {notes[which]} @{now}")
    return "; ".join(items)


# Cases that kanata publishes for tap-hold-press, tap-hold-release, tap repress and prior idle. Its times of
# outputs are a few ms later, because it sends one event a millisecond; a tap's key that was released is tapped.
REPRESS_ONE, REPRESS_TWO = "20 Keystroke x; 40 press x", "20 Keystroke x; 320 press y"
KANATA: list[tuple[str, str, str]] = [
    ("quick_tap_ms=100", "d:a t:20 u:a t:20 d:a t:200", REPRESS_ONE),
    ("quick_tap_ms=100", "d:a t:20 u:a t:200 d:a t:200", REPRESS_TWO),
    ("quick_tap_ms=100", "d:a t:50 u:a t:50", "50 Keystroke x"),
    ("quick_tap_ms=100", "d:a t:150 u:a t:50", "100 press y; 150 release y"),
    ("permissive_hold=true keep_order=true", "d:a t:50 d:z t:75", "100 press y; 100 press z"),
    (
        "permissive_hold=true keep_order=true",
        "d:a t:50 d:b t:25 u:b t:50 u:a t:50",
        "75 press y; 75 press b; 75 release b; 125 release y",
    ),
    ("hold_on_other_press=true", "d:a t:50 d:b t:75 u:b u:a", "50 press y; 50 press b; 125 release b; 125 release y"),
    ("keep_order=true", "d:a t:50 d:b u:b t:100", "100 press y; 100 press b; 100 release b"),
    ("keep_order=true", "d:a t:30 d:b t:20 u:a t:20 u:b", "50 Keystroke x; 50 press b; 70 release b"),
    (
        "require_prior_idle_ms=150",
        "d:b t:10 u:b t:10 d:a t:50 u:a t:50",
        "0 press b; 10 release b; 20 press x; 70 release x",
    ),
    (
        "require_prior_idle_ms=150",
        "d:b t:10 u:b t:200 d:a t:250 u:a",
        "0 press b; 10 release b; 310 press y; 460 release y",
    ),
    ("require_prior_idle_ms=150", "d:a t:250 u:a t:50", "100 press y; 250 release y"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "line", "does"), KANATA)
def test_it_does_what_kanata_publishes(options: str, line: str, does: str):
    assert plays(keys(options), script(line)) == does


def test_without_options_the_other_control_overtakes_and_decides_nothing():
    assert plays(keys(""), "down 1; down 2 @20; up 2 @40; up 1 @60") == (
        "20 press b; 40 release b; 60 Keystroke x"
    )


@pytest.mark.parametrize("event", ["down 77", "button south down", "down 2 ch 5"])
def test_any_control_of_the_device_counts_as_another_also_one_without_a_mapping(event: str):
    done = plays(keys("hold_on_other_press=true"), f"down 1; {event} @50; up 1 @60")
    assert done.split("; ")[0] == "50 press y"


def test_a_control_of_another_device_is_no_other_control():
    done = plays(keys("hold_on_other_press=true"), "down 1 dev l; down 2 @50 dev r; up 1 @60 dev l")
    assert done == "50 press b; 60 Keystroke x"


def test_the_second_note_of_a_chord_completes_it_instead_of_deciding_for_the_hold():
    mappings = keys("hold_on_other_press=true") + "NoteChord notes=[1,2] timeout_ms=50 -> c"
    assert plays(mappings, "down 1; down 2 @30; up 1 @200; up 2 @200") == "50 Keystroke c"
    assert plays(mappings, "down 1; down 3 @30; up 1 @200").startswith("30 press y; 30 press z")


def test_a_note_that_was_down_before_does_not_make_a_permissive_hold_when_it_goes_up():
    done = plays(keys("permissive_hold=true"), "down 2; down 1 @10; up 2 @30; up 1 @50")
    assert done == "0 press b; 30 release b; 50 Keystroke x"


def test_of_two_holds_the_one_that_asks_for_it_is_decided_by_another_control():
    mappings = """
        LongPress note=1 duration_ms=100 hold_on_other_press=true -> a
        LongPress note=1 duration_ms=400 -> b
        LongPress note=1 duration_ms=900 hold_on_other_press=true -> c
    """
    assert plays(mappings, "down 1; down 2 @50; wait 999") == "50 Keystroke a"
    assert plays(mappings, "down 1; down 2 @500; wait 999") == "500 Keystroke a"


def test_a_hold_says_which_control_decided_it():
    told = explains(keys("hold_on_other_press=true"), "down 1; down 2 @50")
    assert "50 x no: note 2 was pressed while it was down" in told
    assert "50 y fired: note 2 was pressed while it was down" in told


@pytest.mark.parametrize(("gap_ms", "is_tap"), [(99, True), (100, False), (101, False)])
def test_a_press_is_the_tap_again_when_it_starts_less_than_so_long_after_the_tap(
    gap_ms: int, is_tap: bool
):
    done = plays(keys("quick_tap_ms=100"), f"tap 1; down 1 @{gap_ms}; up 1 @{gap_ms + 500}")
    again = f"{gap_ms} press x; {gap_ms + 500} release x"
    assert done.endswith(again) is is_tap


def test_a_hold_is_no_tap_so_the_press_after_it_may_be_a_hold():
    done = plays(keys("quick_tap_ms=400"), "down 1; up 1 @150; down 1 @200; wait 500")
    assert done == "100 press y; 150 release y; 300 press y"


def test_a_tap_in_another_mode_does_not_count():
    rows = keys("quick_tap_ms=400")
    what = config(modes={"A": [row for row in rows.splitlines() if row], "B": "Note note=1 -> m"})
    done = plays(what, "mode B; tap 1; mode A @50; down 1 @60; up 1 @300")
    assert done == "0 Keystroke m; 160 press y; 300 release y"


@pytest.mark.parametrize(("gap_ms", "waits"), [(149, False), (150, True), (151, True)])
@pytest.mark.parametrize(
    "row",
    [
        "LongPress note=1 duration_ms=100 require_prior_idle_ms=150 -> h",
        "DoubleTap note=1 timeout_ms=100 require_prior_idle_ms=150 -> h",
        "NoteChord notes=[1,9] timeout_ms=100 require_prior_idle_ms=150 -> h",
    ],
)
def test_in_a_typing_streak_no_gesture_is_waited_for(row: str, gap_ms: int, waits: bool):
    done = plays(f"Note note=1 -> t\n{row}", f"tap 40; down 1 @{gap_ms}; up 1 @{gap_ms + 20}")
    assert done.startswith(f"{gap_ms} Keystroke t") is not waits


def test_a_press_that_waits_for_its_turn_counts_as_pressed_before():
    rows = "Note note=2 -> t\nNoteChord notes=[1,2] timeout_ms=50 require_prior_idle_ms=150 keep_order=true -> c"
    assert plays(rows, "down 1; down 3 @10; down 2 @20; wait 99") == "20 Keystroke t"


def test_the_notes_of_the_chord_itself_do_not_break_the_quiet_that_it_asks_for():
    row = "NoteChord notes=[1,2] timeout_ms=50 require_prior_idle_ms=150 -> c"
    assert plays(row, "down 1; down 2 @20; wait 100") == "50 Keystroke c"


def test_a_streak_says_what_was_pressed_before():
    told = explains(keys("require_prior_idle_ms=150"), "tap 2; down 1 @70")
    assert (
        "70 y no: note 2 was pressed 70 ms before; the long press needs 150 ms without a press"
        in told
    )


EARLY = "NoteChord notes=[1,2] timeout_ms=50 fire_when_complete=true -> c"


def test_a_chord_fires_with_its_last_note_when_nothing_longer_can_come():
    assert plays(EARLY, "down 2; down 1 @30; wait 100") == "30 Keystroke c"


@pytest.mark.parametrize(
    ("longer_ms", "fires_at"),
    [(20, "20 Keystroke c"), (50, "50 Keystroke c"), (90, "90 Keystroke c")],
)
def test_a_chord_waits_for_a_longer_one_as_long_as_that_may_come(longer_ms: int, fires_at: str):
    rows = f"{EARLY}\nNoteChord notes=[1,2,3] timeout_ms={longer_ms} -> d"
    assert plays(rows, "down 1; down 2 @10; wait 200") == fires_at


def test_the_longer_chord_fires_when_it_comes_and_early_only_when_it_asks_for_it():
    rows = f"{EARLY}\nNoteChord notes=[1,2,3] timeout_ms=50 -> d"
    assert plays(rows, "down 1; down 2 @10; down 3 @20; wait 200") == "50 Keystroke d"
    rows = f"{EARLY}\nNoteChord notes=[1,2,3] timeout_ms=50 fire_when_complete=true -> d"
    assert plays(rows, "down 1; down 2 @10; down 3 @20; wait 200") == "20 Keystroke d"


def test_a_key_of_a_chord_that_fired_early_is_held_until_the_first_note_goes_up():
    row = EARLY.replace("-> c", "-> Keystroke keys=c hold=while_held")
    assert plays(row, "down 1; down 2 @10; up 1 @300; up 2 @400") == "10 press c; 300 release c"


LAYER = """
LongPress note=1 duration_ms=200 keep_order=true {} -> ModeChange mode=B behaviour=momentary
"""


def layers(options: str = "") -> Any:
    return config(LAYER.format(options), modes={"A": "Note note=2 -> a", "B": "Note note=2 -> b"})


def test_a_note_behind_a_layer_key_is_judged_in_the_layer():
    assert (
        plays(layers(), "down 1; tap 2 @50; up 1 @300") == "200 Mode B (momentary); 200 Keystroke b"
    )
    assert plays(layers("permissive_hold=true"), "down 1; tap 2 @50; up 1 @300") == (
        "70 Mode B (momentary); 70 Keystroke b"
    )
    assert plays(layers(), "down 1; tap 2 @50; up 1 @100") == "100 Keystroke a"


def test_knobs_wait_too_and_keep_their_order():
    rows = keys("keep_order=true") + "CC cc=7 -> k"
    assert plays(rows, "down 1; cc 7 5 @10; cc 7 6 @20; down 2 @30; up 1 @60; up 2 @90") == (
        "60 Keystroke x; 60 Keystroke k; 60 Keystroke k; 60 press b; 90 release b"
    )


def test_gestures_that_waited_are_measured_by_the_times_of_their_own_events():
    rows = keys("keep_order=true") + "LongPress note=2 duration_ms=60 -> l\n"
    assert plays(rows, "down 1; down 2 @10; up 2 @69; wait 500") == "100 press y; 100 Keystroke b"
    assert plays(rows, "down 1; down 2 @10; up 2 @70; wait 500") == "100 press y; 100 Keystroke l"
    assert plays(rows, "down 1; down 2 @80; wait 500") == "100 press y; 140 Keystroke l"


def test_an_event_that_waits_says_for_what_and_then_how_long_it_waited():
    told = explains(keys("keep_order=true"), "down 1; down 2 @70; wait 500")
    assert "70 note: waits until the gesture of note 1 is decided" in told
    assert "100 b fired: at once: nothing else could follow" in told
    assert "100 note: waited 30 ms for the gesture of note 1" in told


def test_what_follows_an_event_that_waited_leads_back_to_its_arrival():
    _, traces = play(keys("keep_order=true"), "down 1; down 2 @70; wait 500")
    arrival = next(trace for trace in traces if trace.event.number == 2)
    [judged] = [trace for trace in traces if trace.gesture == arrival.sequence]
    assert (arrival.get_outcome(), judged.get_outcome(), judged.event.kind) == (
        "waiting",
        "fired",
        "timer",
    )


def test_each_event_is_seen_once_so_that_a_recording_of_the_traces_plays_the_same():
    what = keys("keep_order=true permissive_hold=true")
    line = "down 1; down 2 @20; up 2 @40; cc 7 9 @50; up 1 @60; down 3 @70; up 3 @80"
    _, traces = play(what, line)
    heard = [trace.event for trace in traces if trace.event.kind not in ("timer", "completed")]
    assert heard == parse_script(line)


def test_two_keep_order_pads_come_out_in_the_order_of_their_presses():
    rows = """
        Note note=1 -> a
        LongPress note=1 duration_ms=200 keep_order=true -> c
        Note note=2 -> b
        LongPress note=2 duration_ms=200 keep_order=true -> d
    """
    assert plays(rows, "down 1; down 2 @10; up 2 @50; up 1 @90") == "90 Keystroke a; 90 Keystroke b"
    assert plays(rows, "down 1; down 2 @10; up 1 @50; up 2 @90") == "50 Keystroke a; 90 Keystroke b"
    assert plays(rows, "down 1; down 2 @50; up 2 @260; up 1 @270") == (
        "200 Keystroke c; 250 Keystroke d"
    )


def test_a_chord_waits_for_its_own_notes_but_lets_others_wait():
    rows = "NoteChord notes=[1,2] timeout_ms=50 keep_order=true -> c\nNote note=3 -> z"
    assert (
        plays(rows, "down 1; down 3 @10; down 2 @20; wait 99") == "50 Keystroke c; 50 Keystroke z"
    )


def before_and_after(rows: Rows, first: str, do: Any, then: str) -> tuple[str, EngineState]:
    """Play, do something from outside, play on; return what was pressed and released from then on."""
    simulation = Simulation(config(rows))
    simulation.play_items(parse_script(first), settle_s=0)
    simulation.traces.clear()
    traces: list[Trace] = [do(simulation.state)]
    traces += simulation.play_items(parse_script(then))
    said = [
        f"{effect.kind} {'+'.join(effect.action.to_plain()['keys'])}"
        for trace in traces
        for effect in trace.effects
    ]
    return "; ".join(said), simulation.state


WAITING = "down 2; down 1 @10; up 2 @20; down 3 @30"


@pytest.mark.parametrize(
    ("do", "done"),
    [
        (lambda state: release_everything(state, 0.04), "release b"),  # pyright: ignore
        (lambda state: mute_device(state, "virtual", 0.04, muted=True), "release b"),  # pyright: ignore
        (lambda state: feed_event(state, InputEvent("device_gone", "virtual", 0, 0, 0, 0.04))[0], "release b"),  # pyright: ignore
        (lambda state: load_table(state, compile_table(config(keys("keep_order=true"))), 0.04),  # pyright: ignore
         "release b; press z; release z"),
    ],
)  # fmt: skip
def test_whatever_ends_the_wait_leaves_no_key_stuck(do: Any, done: str):
    said, state = before_and_after(keys("keep_order=true"), WAITING, do, "up 3 @60; up 1 @70")
    assert said == done
    assert not any((state.waiting, state.undecided, state.holding, state.down))


def test_a_flood_of_events_does_not_wait_without_end():
    state = EngineState(compile_table(config(keys("keep_order=true") + "CC cc=7 -> k")))
    feed_event(state, InputEvent("note_on", "pads", 1, 1, 100, 0.0))
    fired = 0
    for number in range(MAX_QUEUED_EVENTS + 1):
        traces = feed_event(state, InputEvent("cc", "pads", 1, 7, number % 128, 0.001))
        fired += sum(len(trace.fired) for trace in traces)
    assert fired == MAX_QUEUED_EVENTS + 1
    assert state.waiting == {}


def test_deep_nests_of_waiting_gestures_are_worked_off():
    notes = range(1, 100)
    rows = [f"LongPress note={n} duration_ms=60000 keep_order=true -> a" for n in notes]
    rows += [f"Note note={n} -> b" for n in notes]
    down = [InputEvent("note_on", "pads", 1, n, 100, n / 1000) for n in notes]
    up = [InputEvent("note_off", "pads", 1, n, 0, 1 - n / 1000) for n in reversed(notes)]
    traces = Simulation(config(rows)).play_items([*down, *up])
    assert [trace.event.number for trace in traces if trace.fired] == list(notes)
