"""Modes: switch, momentary, toggle, next and previous."""

from typing import Any

from tests.support.simulate import config, play, plays

from conductor.domain.config import Config

NEXT = "Note note=1 -> ModeChange behaviour=next"
PREVIOUS = "Note note=2 -> ModeChange behaviour=previous"


def three(everywhere: list[str], **rest: Any) -> Config:
    """Return modes A, B and C in which note 36 types the mode's letter."""
    modes = {name: [f"Note note=36 -> {name.lower()}"] for name in "ABC"}
    return config(everywhere, modes=dict(modes), **rest)


def modes_after(what: Config, script: str) -> str:
    """Return the mode after each line of a script."""
    lines = script.split("; ")
    reached = (
        play(what, "; ".join(lines[: count + 1]))[0].state.mode for count in range(len(lines))
    )
    return " ".join(reached)


def momentary(note: int, mode: str) -> str:
    return f"Note note={note} -> ModeChange mode={mode} behaviour=momentary"


def test_a_switch_changes_the_mode_for_good_and_with_it_what_a_pad_does():
    what = three(["Note note=1 -> ModeChange mode=B"])
    assert plays(what, "tap 36; tap 1 @100; tap 36 @200") == (
        "0 Keystroke a; 100 Mode B; 200 Keystroke b"
    )


def test_the_start_mode_is_the_first_or_the_one_in_the_settings():
    assert plays(three([]), "tap 36") == "0 Keystroke a"
    assert plays(three([], settings={"engine": {"start_mode": "C"}}), "tap 36") == "0 Keystroke c"


def test_a_momentary_mode_lasts_as_long_as_its_pad_is_held():
    what = three([momentary(1, "B")])
    assert modes_after(what, "down 1; tap 36 @100; up 1 @200") == "B B A"


def test_momentary_modes_are_stacked():
    what = three([momentary(1, "B"), momentary(2, "C")])
    assert modes_after(what, "down 1; down 2 @10; up 2 @20; up 1 @30") == "B C B A"


def test_momentary_modes_may_be_left_out_of_order():
    what = three([momentary(1, "B"), momentary(2, "C")])
    assert modes_after(what, "down 1; down 2 @10; up 1 @20; up 2 @30") == "B C C A"


def test_a_momentary_mode_that_is_active_already_changes_nothing():
    what = three([momentary(1, "A")])
    assert modes_after(what, "down 1; up 1 @10") == "A A"


def test_a_switch_during_a_momentary_mode_stays_after_its_pad_is_released():
    what = three([momentary(1, "B"), "Note note=2 -> ModeChange mode=C"])
    assert modes_after(what, "down 1; tap 2 @10; up 1 @20") == "B C C"


def test_a_momentary_mode_of_a_device_that_goes_away_is_left():
    what = three([momentary(1, "B")])
    assert modes_after(what, "down 1 dev pads; unplug pads @50") == "B A"


def test_a_momentary_mode_on_a_pedal_is_left_when_the_pedal_comes_up():
    what = three(["CC cc=64 value_min=64 -> ModeChange mode=B behaviour=momentary"])
    assert modes_after(what, "cc 64 127; cc 64 100; cc 64 0") == "B B A"


def test_a_momentary_mode_whose_pad_is_up_again_when_it_is_decided_is_not_entered():
    what = three([momentary(1, "B"), "LongPress note=1 -> x"])
    assert modes_after(what, "down 1; up 1 @100; tap 36 @200") == "A A A"


def test_a_toggle_goes_there_and_back_to_where_it_came_from():
    what = three(["Note note=1 -> ModeChange mode=C behaviour=toggle", NEXT.replace("1", "3")])
    assert modes_after(what, "tap 1; tap 1 @100; tap 3 @200; tap 1 @300; tap 1 @400") == (
        "C A B C B"
    )


def test_next_and_previous_walk_through_the_modes_in_file_order_and_around():
    what = three([NEXT, PREVIOUS])
    assert modes_after(what, "tap 1; tap 1 @50; tap 1 @100; tap 2 @150; tap 2 @200") == (
        "B C A C B"
    )


def test_a_mode_s_own_mapping_wins_over_a_global_one_for_the_same_event():
    what = config(
        ["Note note=36 -> g", "Note note=37 -> h"],
        modes={"A": ["Note note=36 -> a"], "B": []},
    )
    script = "tap 36; tap 37 @50; mode B @100; tap 36 @150"
    assert plays(what, script) == "0 Keystroke a; 50 Keystroke h; 150 Keystroke g"


def test_a_mode_s_own_mapping_that_refuses_leaves_the_event_to_the_global_one():
    what = config(["Note note=36 -> g"], modes={"A": ["Note note=36 velocity_min=90 -> a"]})
    assert plays(what, "tap 36 vel 50; tap 36 vel 100 @50") == "0 Keystroke g; 50 Keystroke a"


def test_a_global_long_press_and_a_mode_s_tap_of_one_pad_are_two_gestures():
    what = config(["LongPress note=36 duration_ms=500 -> g"], modes={"A": ["Note note=36 -> a"]})
    assert plays(what, "down 36; up 36 @100") == "100 Keystroke a"
    assert plays(what, "down 36; up 36 @900") == "500 Keystroke g"


def test_the_first_of_two_equal_mappings_of_a_mode_wins():
    assert plays("Note note=36 -> a\nNote note=36 -> b", "tap 36") == "0 Keystroke a"


def test_a_press_belongs_to_the_mode_it_began_in():
    what = config(
        ["Note note=1 -> ModeChange mode=B"],
        modes={"A": ["LongPress note=36 duration_ms=500 -> a"], "B": ["NoteRelease note=36 -> b"]},
    )
    assert plays(what, "down 36; tap 1 @100; up 36 @900") == "100 Mode B; 500 Keystroke a"


def test_a_mapping_that_is_switched_off_does_nothing():
    row = {
        "enabled": False,
        "trigger": {"type": "Note", "note": 36},
        "action": {"type": "Keystroke", "keys": "a"},
    }
    assert plays([row], "tap 36") == ""


def test_a_mode_that_does_not_exist_is_refused_and_the_trace_says_so():
    simulation, traces = play("Note note=36 -> ModeChange mode=Nope", "tap 36")
    assert simulation.state.mode == "Default"
    assert traces[0].to_plain()["note"] == "Invalid mode: 'Nope' does not exist"
