"""A control that is held or moved while another mode is active."""

from typing import Any

from conductor.domain.config import Config
from conductor.engine.script import parse_script
from conductor.engine.simulate import Simulation, list_fired_actions, list_fired_effects

MOMENTARY = {"type": "ModeChange", "mode": "Fx", "behaviour": "momentary"}
SHIFT_LATER = {
    "type": "Sequence",
    "actions": [
        {"type": "ModeChange", "mode": "Fx"},
        {"type": "Delay", "duration_ms": 50},
        {"type": "Keystroke", "keys": ["shift"], "hold": "while_held"},
    ],
}


def played(trigger: dict[str, Any], action: dict[str, Any], script: str) -> Simulation:
    modes = [{"name": "Home", "mappings": [{"trigger": trigger, "action": action}]}, {"name": "Fx"}]
    simulation = Simulation(Config.model_validate({"modes": modes}))
    simulation.play_items(parse_script(script))
    return simulation


def test_a_pedal_leaves_its_momentary_mode_when_it_comes_up():
    pedal = {"type": "CC", "cc": 64, "value_min": 64}
    assert played(pedal, MOMENTARY, "cc 64 127; wait 100; cc 64 0").state.mode == "Home"


def test_a_gamepad_trigger_leaves_its_momentary_mode_when_it_comes_back():
    pull = {"type": "GamepadTrigger", "trigger": "left"}
    assert played(pull, MOMENTARY, "trigger left 1; wait 100; trigger left 0").state.mode == "Home"


def test_a_stick_pressure_and_osc_leave_their_momentary_mode():
    cases = [
        ({"type": "GamepadAnalogStick", "axis": "left_x"}, "axis left_x 1; axis left_x 0"),
        ({"type": "Aftertouch", "pressure_min": 60}, "pressure 90; pressure 0"),
        ({"type": "PitchBend", "value_min": 12000}, "bend 16000; bend 8192"),
        ({"type": "OscMessage", "address": "/a", "value_min": 0.5}, "osc /a 1; osc /a 0"),
        ({"type": "Nrpn", "parameter": 3, "value_min": 9}, "nrpn 3 10; nrpn 3 0"),
    ]
    for trigger, script in cases:
        assert played(trigger, MOMENTARY, script).state.mode == "Home", trigger


def test_a_key_held_by_a_sequence_that_changed_the_mode_goes_up_with_its_pedal():
    pedal = {"type": "CC", "cc": 64, "value_min": 64}
    simulation = played(pedal, SHIFT_LATER, "cc 64 127; wait 100; cc 64 0")
    held = [effect["kind"] for effect in list_fired_effects(simulation.traces)]
    assert held[-2:] == ["press", "release"]


def test_a_fader_that_crossed_in_another_mode_does_not_cross_again():
    top = {"type": "CC", "cc": 7, "value_min": 100}
    script = "cc 7 50; mode Fx; cc 7 120; mode Home; cc 7 121"
    keys = {"type": "Keystroke", "keys": ["a"]}
    assert list_fired_actions(played(top, keys, script).traces) == []
