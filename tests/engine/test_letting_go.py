"""Nothing stays stuck: whatever a control holds is released, whatever happens in between."""

import pytest
from tests.support.simulate import config, play, plays, told

from conductor.engine.script import parse_script
from conductor.engine.simulate import Simulation
from conductor.engine.step import load_table, mute_device, release_everything
from conductor.engine.table import compile_table

HOLD = "Note note=36 -> Keystroke keys=shift hold=while_held"
CHANGE = "Note note=1 -> ModeChange mode=B"
TWO_MODES = config([HOLD, CHANGE], modes={"A": [], "B": []})


def held(script: str = "down 36 dev pads") -> Simulation:
    """Return a simulation in which shift is held."""
    simulation = Simulation(TWO_MODES)
    simulation.play_items(parse_script(script), settle_s=0)
    return simulation


def test_a_held_key_goes_up_at_the_release():
    assert plays(HOLD, "down 36; up 36 @500") == "0 press shift; 500 release shift"


def test_a_held_key_goes_up_when_its_device_goes_away():
    assert plays(HOLD, "down 36 dev pads; unplug pads @500; up 36 dev pads @900") == (
        "0 press shift; 500 release shift"
    )


def test_another_device_that_goes_away_changes_nothing():
    assert plays(HOLD, "down 36 dev pads; unplug keys @500; up 36 dev pads @900") == (
        "0 press shift; 900 release shift"
    )


def test_a_fader_that_comes_back_inside_its_range_has_entered_it_again():
    row = "CC cc=7 value_min=64 -> Keystroke keys=a"
    assert plays(row, "cc 7 100 dev pads; unplug pads @500; cc 7 100 dev pads @900") == (
        "0 Keystroke a; 900 Keystroke a"
    )


def test_a_held_key_goes_up_when_the_mode_changes():
    assert plays(TWO_MODES, "down 36; tap 1 @500; up 36 @900") == (
        "0 press shift; 500 Mode B; 500 release shift"
    )


def test_a_held_key_goes_up_when_the_mode_is_changed_from_outside():
    assert plays(TWO_MODES, "down 36; mode B @500; up 36 @900") == (
        "0 press shift; 500 release shift"
    )


def test_a_held_key_goes_up_when_the_config_reloads():
    trace = load_table(held().state, compile_table(TWO_MODES), 0.5)
    assert told([trace]) == "500 release shift"


def test_a_held_key_goes_up_on_panic_and_only_once():
    state = held().state
    assert told([release_everything(state, 0.5)]) == "500 release shift"
    assert told([release_everything(state, 0.6)]) == ""


def test_a_held_key_goes_up_when_its_device_is_muted():
    simulation = held()
    assert told([mute_device(simulation.state, "pads", 0.5, muted=True)]) == "500 release shift"
    simulation.traces.clear()
    assert told(simulation.play_items(parse_script("tap 36 dev pads @600"))) == ""
    mute_device(simulation.state, "pads", 0.7, muted=False)
    simulation.traces.clear()
    assert told(simulation.play_items(parse_script("tap 36 dev pads @800"))) == (
        "800 press shift; 820 release shift"
    )


def muted_pads(*, enabled: bool = False) -> list[dict[str, object]]:
    matchers = [{"type": "NameContains", "pattern": "Pad"}]
    return [{"alias": "pads", "matchers": matchers, "enabled": enabled}]


def test_a_device_muted_in_the_config_does_nothing_and_the_trace_says_why():
    muted = config(HOLD, devices=muted_pads())
    simulation, traces = play(muted, "tap 36 dev pads; tap 36 dev keys @100")
    assert told(traces) == "100 press shift; 120 release shift"
    assert simulation.traces[0].to_plain()["note"] == "device pads is muted"


def test_a_reload_that_mutes_a_device_forgets_what_it_holds():
    pedal = {"type": "ControlHeld", "cc": 64}
    shifted = {
        "trigger": {"type": "Note", "note": 36, "when": pedal},
        "action": {"type": "Keystroke", "keys": "a"},
    }
    simulation = Simulation(config([shifted]))
    simulation.play_items(parse_script("cc 64 127 dev pads"), settle_s=0)
    load_table(simulation.state, compile_table(config([shifted], devices=muted_pads())), 0.1)
    assert told(simulation.play_items(parse_script("tap 36 dev keys @200"))) == ""


def test_a_mute_by_hand_outlives_a_reload_that_says_nothing_about_it():
    simulation = held()
    mute_device(simulation.state, "pads", 0.5, muted=True)
    load_table(simulation.state, compile_table(TWO_MODES), 0.6)
    simulation.traces.clear()
    assert told(simulation.play_items(parse_script("tap 36 dev pads @700"))) == ""


def test_keys_held_by_two_pads_go_up_each_with_its_own():
    mappings = f"{HOLD}\nNote note=37 -> Keystroke keys=alt hold=while_held"
    assert plays(mappings, "down 36; down 37 @10; up 36 @20; up 37 @30") == (
        "0 press shift; 10 press alt; 20 release shift; 30 release alt"
    )


def test_a_note_struck_twice_without_a_release_lets_go_before_it_presses_again():
    assert plays(HOLD, "down 36; down 36 @100; up 36 @200; up 36 @300") == (
        "0 press shift; 100 release shift; 100 press shift; 200 release shift"
    )


@pytest.mark.parametrize("end", ["unplug pads @300", "mode B @300"])
def test_an_undecided_press_of_a_device_that_went_or_a_mode_that_ended_leaves_nothing_down(
    end: str,
):
    rows = ["Note note=36 -> a", "LongPress note=36 duration_ms=500 -> " + HOLD.split(" -> ")[1]]
    what = config(rows, modes={"A": [], "B": []})
    done = plays(what, f"down 36 dev pads; {end}; up 36 dev pads @900")
    assert done in ("", "500 press shift; 900 release shift")
    assert (done == "") == end.startswith("unplug")


def test_a_device_that_went_away_starts_afresh_when_it_is_back():
    script = "down 36 dev pads; unplug pads @100; plug pads @200; down 36 dev pads @300; up 36 dev pads @400"
    assert plays(HOLD, script) == (
        "0 press shift; 100 release shift; 300 press shift; 400 release shift"
    )


def test_a_held_key_that_comes_late_in_a_sequence_is_held_only_while_the_control_is():
    late = {
        "trigger": {"type": "Note", "note": 36},
        "action": {
            "type": "Sequence",
            "actions": [
                {"type": "Delay", "duration_ms": 100},
                {"type": "Keystroke", "keys": "shift", "hold": "while_held"},
            ],
        },
    }
    assert plays([late], "down 36; up 36 @500") == "100 press shift; 500 release shift"
    assert plays([late], "down 36; up 36 @50") == "100 Keystroke shift"
    assert plays([late], "down 36 dev pads; unplug pads @50") == "100 Keystroke shift"
    assert plays([late], "down 36; up 36 @50; down 36 @80; up 36 @120") == (
        "100 Keystroke shift; 180 Keystroke shift"
    )


def test_a_momentary_mode_and_a_key_held_in_it_end_together():
    both = {
        "trigger": {"type": "NoteChord", "notes": [36, 38]},
        "action": {
            "type": "Sequence",
            "actions": [
                {"type": "ModeChange", "mode": "B", "behaviour": "momentary"},
                {"type": "Keystroke", "keys": "shift", "hold": "while_held"},
            ],
        },
    }
    what = config([both], modes={"A": [], "B": []})
    simulation, traces = play(what, "down 36; down 38 @10; up 38 @400; up 36 @500")
    assert told(traces) == "50 Mode B (momentary); 50 press shift; 400 release shift"
    assert simulation.state.mode == "A"
    assert not simulation.state.holding
