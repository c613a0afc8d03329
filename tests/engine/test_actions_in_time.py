"""Timing of sequences, delays, repetitions and conditionals."""

from typing import Any

from tests.support.simulate import action, config, does, play, plays, told

from conductor.domain.events import InputEvent
from conductor.engine.play import MAX_RUNNING_ACTIONS
from conductor.engine.script import parse_script
from conductor.engine.simulate import Simulation
from conductor.engine.step import feed_event


def sequence(*parts: str | dict[str, Any]) -> dict[str, Any]:
    actions = [action(part) if isinstance(part, str) else part for part in parts]
    return {"type": "Sequence", "actions": actions}


def repeat(what: str | dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"type": "Repeat", "action": action(what) if isinstance(what, str) else what, **fields}


def if_armed(then: str, otherwise: str | None = None) -> dict[str, Any]:
    condition = {"type": "VariableIs", "name": "armed"}
    rest = {} if otherwise is None else {"else": action(otherwise)}
    return {"type": "Conditional", "condition": condition, "then": action(then), **rest}


WAIT_100 = "Delay duration_ms=100"
ARM = "Note note=1 -> SetVariable name=armed operation=toggle"


def note(does_what: dict[str, Any]) -> dict[str, Any]:
    return does("Note note=36", does_what)


def test_a_sequence_does_one_thing_after_the_other_and_waits_between():
    row = note(sequence("a", WAIT_100, "b", "c", WAIT_100, "d"))
    assert plays([row], "tap 36 @10") == (
        "10 Keystroke a; 110 Keystroke b; 110 Keystroke c; 210 Keystroke d"
    )


def test_nothing_else_waits_with_a_sequence():
    rows = [note(sequence("a", WAIT_100, "b")), "Note note=37 -> c"]
    assert plays(rows, "tap 36; tap 37 @50") == "0 Keystroke a; 50 Keystroke c; 100 Keystroke b"


def test_two_sequences_of_one_pad_run_side_by_side():
    row = note(sequence(WAIT_100, "a", WAIT_100, "b"))
    assert plays([row], "tap 36; tap 36 @50") == (
        "100 Keystroke a; 150 Keystroke a; 200 Keystroke b; 250 Keystroke b"
    )


def test_a_tap_and_a_release_decided_at_one_moment_both_play_to_their_end():
    rows = [
        note(sequence("a", WAIT_100, "b")),
        "LongPress note=36 -> l",
        does("NoteRelease note=36", sequence("r", WAIT_100, "s")),
    ]
    assert plays(rows, "down 36; up 36 @50") == (
        "50 Keystroke a; 50 Keystroke r; 150 Keystroke b; 150 Keystroke s"
    )


def test_a_step_on_a_worker_is_waited_for():
    simulation = Simulation(config([note(sequence("Text text=hi", "b"))]))
    first = feed_event(simulation.state, parse_script("down 36")[0])  # pyright: ignore[reportArgumentType]
    assert told(first) == "0 Text 'hi'"
    run = first[0].effects[0].run
    done = feed_event(simulation.state, InputEvent("completed", "", 0, run, 1, 0.3))
    assert told(done) == "300 Keystroke b"
    assert simulation.state.runs == {}


def test_a_step_that_fails_stops_its_sequence_and_the_trace_says_why():
    simulation = Simulation(config([note(sequence("Text text=hi", "b"))]))
    first = feed_event(simulation.state, parse_script("down 36")[0])  # pyright: ignore[reportArgumentType]
    run = first[0].effects[0].run
    failed = feed_event(simulation.state, InputEvent("completed", "", 0, run, 0, 0.3, "no focus"))
    assert told(failed) == ""
    assert failed[0].to_plain()["note"] == "stopped: no focus"
    assert simulation.state.runs == {}
    assert told(feed_event(simulation.state, InputEvent("completed", "", 0, run, 1, 0.4))) == ""


def test_a_repetition_counts():
    assert plays([note(repeat("a", count=3, delay_ms=50))], "tap 36") == (
        "0 Keystroke a; 50 Keystroke a; 100 Keystroke a"
    )
    assert plays([note(repeat("a", count=2))], "tap 36") == "0 Keystroke a; 1 Keystroke a"


def test_a_repetition_until_release_stops_with_it():
    row = note(repeat("a", until_release=True, delay_ms=100))
    assert plays([row], "down 36; up 36 @250") == (
        "0 Keystroke a; 100 Keystroke a; 200 Keystroke a"
    )


def test_a_repetition_until_release_with_a_count_stops_at_whichever_comes_first():
    row = note(repeat("a", until_release=True, delay_ms=100, count=2))
    assert plays([row], "down 36; up 36 @900") == "0 Keystroke a; 100 Keystroke a"
    assert plays([row], "down 36; up 36 @50") == "0 Keystroke a"


def test_a_repetition_until_release_whose_control_is_up_already_happens_once():
    rows = [note(repeat("a", until_release=True, delay_ms=100)), "LongPress note=36 -> l"]
    assert plays(rows, "down 36; up 36 @50; wait 900") == "50 Keystroke a"


def test_a_repetition_until_release_that_starts_late_happens_once_when_the_control_is_up():
    row = note(sequence(WAIT_100, repeat("a", until_release=True, delay_ms=50)))
    assert plays([row], "down 36; up 36 @20; wait 900") == "100 Keystroke a"
    assert plays([row], "down 36; up 36 @170; wait 900") == "100 Keystroke a; 150 Keystroke a"


def test_a_repetition_ends_when_the_mode_changes():
    row = note(repeat("a", until_release=True, delay_ms=100))
    what = config([row], modes={"A": [], "B": []})
    assert plays(what, "down 36; mode B @150; up 36 @900") == "0 Keystroke a; 100 Keystroke a"


def test_a_sequence_continues_when_the_mode_changes():
    what = config([note(sequence("a", WAIT_100, "b"))], modes={"A": [], "B": []})
    assert plays(what, "tap 36; mode B @50") == "0 Keystroke a; 100 Keystroke b"


def test_repetitions_of_sequences_keep_their_order():
    row = note(repeat(sequence("a", WAIT_100, "b"), count=2, delay_ms=30))
    assert (
        plays([row], "tap 36") == "0 Keystroke a; 100 Keystroke b; 130 Keystroke a; 230 Keystroke b"
    )


def test_a_choice_looks_at_its_condition_when_its_turn_comes():
    rows = [note(sequence(WAIT_100, if_armed("a", "b"))), ARM]
    assert plays(rows, "tap 36; wait 200") == "100 Keystroke b"
    assert plays(rows, "tap 36; tap 1 @50") == "50 Set armed; 100 Keystroke a"


def test_a_choice_without_an_else_does_nothing_when_its_condition_fails():
    assert plays([note(if_armed("a"))], "tap 36") == ""


def test_a_choice_may_depend_on_a_held_control():
    condition = {"type": "ControlHeld", "cc": 64}
    row = note({"type": "Conditional", "condition": condition, "then": action("a")})
    assert plays([row], "tap 36; cc 64 127 @50; tap 36 @100") == "100 Keystroke a"


def test_a_variable_is_set_added_to_and_toggled():
    rows = """
        Note note=1 -> SetVariable name=x value=5
        Note note=2 -> SetVariable name=x operation=add value=-2
        Note note=3 -> SetVariable name=on operation=toggle
    """
    state = play(rows, "tap 1; tap 2 @50; tap 2 @100; tap 3 @150")[0].state
    assert (state.get_variable("x"), state.get_variable("on")) == (1, True)
    assert play(rows, "tap 3; tap 3 @50")[0].state.get_variable("on") is False
    assert play(rows, "tap 2")[0].state.get_variable("x") == -2


def test_a_variable_set_early_in_a_sequence_is_seen_later_in_it():
    row = note(sequence("SetVariable name=armed", if_armed("a", "b")))
    assert plays([row], "tap 36") == "0 Set armed; 0 Keystroke a"


def test_a_mode_change_in_a_sequence_keeps_what_follows():
    what = config([note(sequence("ModeChange mode=B", "a"))], modes={"A": [], "B": []})
    assert plays(what, "tap 36") == "0 Mode B; 0 Keystroke a"


def test_more_runs_than_fit_are_refused_and_the_trace_says_so():
    row = note(sequence("Delay duration_ms=600000", "a"))
    script = "; ".join(f"tap 36 @{at}" for at in range(0, 50 * (MAX_RUNNING_ACTIONS + 1), 50))
    simulation = Simulation(config([row]))
    traces = simulation.play_items(parse_script(script), settle_s=0)
    assert len(simulation.state.runs) == MAX_RUNNING_ACTIONS
    refused = [trace for trace in traces if trace.note]
    assert [trace.to_plain()["note"] for trace in refused] == [
        f"{MAX_RUNNING_ACTIONS} actions are still running, so this action was not started"
    ]
