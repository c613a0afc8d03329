"""A reload fires nothing by itself: memories of unchanged mappings and running actions are kept."""

from tests.support.simulate import Rows, config, does, told

from conductor.domain.config import Config
from conductor.domain.trace import Trace
from conductor.engine.script import parse_script
from conductor.engine.simulate import Simulation
from conductor.engine.step import feed_event, load_table
from conductor.engine.table import compile_table

FADER = "CC cc=7 value_min=64 -> a"


def reloaded(before: Config | Rows, first: str, then: Config | Rows, script: str) -> str:
    """Play, reload and play on; return the effects from the reload on."""
    simulation, _ = play_now(before, first)
    table = compile_table(then if isinstance(then, Config) else config(then))
    traces: list[Trace] = [load_table(simulation.state, table, simulation.state.now)]
    for item in parse_script(script):
        traces += feed_event(simulation.state, item)  # pyright: ignore[reportArgumentType]
    return told(traces)


def play_now(what: Config | Rows, script: str) -> tuple[Simulation, list[Trace]]:
    """Play without letting time pass afterwards."""
    simulation = Simulation(what if isinstance(what, Config) else config(what))
    return simulation, simulation.play_items(parse_script(script), settle_s=0)


def test_a_fader_inside_its_range_does_not_fire_again_after_a_reload():
    assert reloaded(FADER, "cc 7 100", FADER, "cc 7 101 @50; cc 7 10 @60; cc 7 90 @70") == (
        "70 Keystroke a"
    )


def test_it_does_not_fire_again_when_only_its_action_or_place_has_changed():
    changed = "Note note=1 -> x\nCC cc=7 value_min=64 -> b"
    assert reloaded(FADER, "cc 7 100", changed, "cc 7 101 @50") == ""


def test_a_mapping_whose_trigger_has_changed_knows_the_value_of_its_control():
    changed = "CC cc=7 value_min=70 -> a"
    assert reloaded(FADER, "cc 7 100", changed, "cc 7 101 @50") == ""
    assert reloaded(FADER, "cc 7 66", changed, "cc 7 101 @50") == "50 Keystroke a"


def test_a_mapping_of_a_mode_that_is_not_active_remembers_too():
    what = config(modes={"A": [FADER], "B": []})
    script = "mode A @50; cc 7 101 @60"
    simulation, _ = play_now(what, "cc 7 100; mode B @10")
    load_table(simulation.state, compile_table(what), 0.02)
    simulation.traces.clear()
    assert told(simulation.play_items(parse_script(script))) == ""


def test_an_encoder_keeps_the_coding_it_was_found_to_have():
    row = "EncoderTurn cc=21 direction=clockwise -> r"
    first = "cc 21 65; cc 21 65 @10; cc 21 63 @20"
    assert reloaded(row, first, row, "cc 21 65 @50") == "50 Keystroke r"


def test_a_held_key_goes_up_and_its_release_does_nothing_more():
    row = "Note note=36 -> Keystroke keys=shift hold=while_held"
    assert reloaded(row, "down 36", row, "up 36 @50") == "0 release shift"


def test_a_press_that_was_undecided_is_dropped():
    rows = "Note note=36 -> a\nLongPress note=36 duration_ms=500 -> b"
    assert reloaded(rows, "down 36", rows, "up 36 @100; tap 36 @800") == "820 Keystroke a"


def test_a_chord_that_was_undecided_is_dropped():
    row = "NoteChord notes=[36,38] -> c"
    assert reloaded(row, "down 36", row, "down 38 @10; wait 500; tap 1") == ""


def test_a_running_sequence_continues():
    actions = [{"type": "Delay", "duration_ms": 100}, {"type": "Keystroke", "keys": "b"}]
    row = does("Note note=36", {"type": "Sequence", "actions": actions})
    assert reloaded([row], "tap 36", "CC cc=1 -> x", "cc 1 5 @500") == (
        "100 Keystroke b; 500 Keystroke x"
    )


def test_the_mode_stays_when_it_still_exists_and_is_the_first_when_not():
    before = config(modes={"A": [], "B": []})
    simulation, _ = play_now(before, "mode B")
    load_table(simulation.state, compile_table(config(modes={"C": [], "B": []})), 1.0)
    assert simulation.state.mode == "B"
    load_table(simulation.state, compile_table(config(modes={"C": [], "D": []})), 2.0)
    state = simulation.state
    assert (state.mode, state.base_mode, state.previous_mode) == ("C", "C", "C")


def test_a_momentary_mode_ends_with_the_reload():
    row = "Note note=1 -> ModeChange mode=B behaviour=momentary"
    what = config([row], modes={"A": [], "B": []})
    simulation, _ = play_now(what, "down 1")
    load_table(simulation.state, compile_table(what), 1.0)
    assert (simulation.state.mode, simulation.state.momentary) == ("A", [])


def test_variables_and_the_app_in_front_stay():
    profile = {"name": "web", "match": {"executable": "firefox"}, "mappings": ["Note note=1 -> p"]}
    what = config(["Note note=2 -> SetVariable name=x value=5"], profiles=[profile])
    simulation, _ = play_now(what, "app firefox; tap 2")
    load_table(simulation.state, compile_table(what), 1.0)
    assert (simulation.state.get_variable("x"), simulation.state.profile) == (5, "web")


def test_a_profile_added_for_the_app_in_front_is_in_force_at_once():
    profile = {"name": "web", "match": {"executable": "firefox"}, "mappings": ["Note note=1 -> p"]}
    after = config(profiles=[profile])
    assert reloaded("Note note=1 -> a", "app firefox", after, "tap 1 @50") == "50 Keystroke p"
