"""Values of knobs, pedals, sticks, pressure and messages."""

import pytest
from tests.support.simulate import plays, sends

LAYERS = """
VelocityRange note=36 max_velocity=40 -> s
VelocityRange note=36 min_velocity=41 max_velocity=90 -> m
VelocityRange note=36 min_velocity=91 -> h
"""
AS_CC = 'SendMidi port=out message_type=CC controller=7 value={"from":"value"}'


@pytest.mark.parametrize(
    ("velocity", "key"), [(1, "s"), (40, "s"), (41, "m"), (90, "m"), (91, "h"), (127, "h")]
)
def test_velocity_layers_share_out_the_strikes(velocity: int, key: str):
    assert plays(LAYERS, f"down 36 vel {velocity}") == f"0 Keystroke {key}"


def test_a_soft_strike_does_not_count_where_velocity_min_asks_for_more():
    assert plays("Note note=36 velocity_min=50 -> a", "tap 36 vel 49; tap 36 vel 50 @100") == (
        "100 Keystroke a"
    )


def test_a_cc_without_a_range_fires_on_every_value():
    assert plays("CC cc=7 -> a", "cc 7 1 @1; cc 7 2 @2; cc 7 2 @3; cc 8 5 @4") == (
        "1 Keystroke a; 2 Keystroke a; 3 Keystroke a"
    )


def test_a_threshold_fires_on_crossing_and_not_on_every_value_above_it():
    script = "cc 7 10 @1; cc 7 64 @2; cc 7 90 @3; cc 7 127 @4; cc 7 63 @5; cc 7 80 @6"
    assert plays("CC cc=7 value_min=64 -> a", script) == "2 Keystroke a; 6 Keystroke a"


def test_a_rising_and_a_falling_edge_are_the_two_ends_of_a_pedal():
    mappings = """
        CC cc=64 value_min=64 edge=rising -> d
        CC cc=64 value_min=64 edge=falling -> u
    """
    assert plays(mappings, "cc 64 0 @1; cc 64 127 @2; cc 64 0 @3") == "2 Keystroke d; 3 Keystroke u"


def test_a_key_held_by_a_pedal_goes_up_with_it():
    mappings = "CC cc=64 value_min=64 -> Keystroke keys=shift hold=while_held"
    assert plays(mappings, "cc 64 100 @1; cc 64 120 @2; cc 64 10 @3; cc 64 100 @4") == (
        "1 press shift; 3 release shift; 4 press shift"
    )


def test_of_two_zones_of_a_fader_each_fires_when_it_is_entered():
    mappings = "CC cc=7 value_max=63 -> l\nCC cc=7 value_min=64 -> h"
    assert plays(mappings, "cc 7 10 @1; cc 7 20 @2; cc 7 70 @3; cc 7 90 @4; cc 7 5 @5") == (
        "1 Keystroke l; 3 Keystroke h; 5 Keystroke l"
    )


def test_a_zone_that_holds_a_key_lets_it_go_when_the_next_zone_is_entered():
    mappings = """
        CC cc=7 value_max=63 -> Keystroke keys=l hold=while_held
        CC cc=7 value_min=64 -> Keystroke keys=h hold=while_held
    """
    assert plays(mappings, "cc 7 10 @1; cc 7 70 @2; cc 7 10 @3") == (
        "1 press l; 2 release l; 2 press h; 3 press l; 3 release h"
    )


def test_an_aftertouch_zone_fires_when_entered_and_again_only_after_its_hysteresis():
    mappings = "Aftertouch pressure_min=80 hysteresis=10 -> a"
    script = "pressure 79 @1; pressure 80 @2; pressure 75 @3; pressure 85 @4; pressure 69 @5; pressure 80 @6"
    assert plays(mappings, script) == "2 Keystroke a; 6 Keystroke a"


def test_aftertouch_of_one_note_is_not_that_of_another_or_of_the_channel():
    script = "pressure 90 note 36 @1; pressure 90 note 37 @2; pressure 90 @3"
    assert plays("Aftertouch note=36 pressure_min=80 -> a", script) == "1 Keystroke a"


def test_aftertouch_without_a_note_hears_each_note_and_the_channel_apart():
    script = (
        "pressure 90 note 36 @1; pressure 90 note 37 @2; pressure 95 note 36 @3; pressure 90 @4"
    )
    assert plays("Aftertouch pressure_min=80 -> a", script) == (
        "1 Keystroke a; 2 Keystroke a; 4 Keystroke a"
    )


def test_a_pitch_bend_inside_the_dead_zone_is_the_centre():
    script = "bend 8192 @1; bend 8250 @2; bend 8100 @3; bend 8500 @4; bend 8200 @5; bend 8190 @6"
    assert plays("PitchBend dead_zone=100 -> a", script) == (
        "1 Keystroke a; 4 Keystroke a; 5 Keystroke a"
    )


def test_a_bend_zone_fires_on_crossing():
    script = "bend 8192 @1; bend 12000 @2; bend 16383 @3; bend 8192 @4; bend 13000 @5"
    assert plays("PitchBend value_min=12000 -> a", script) == "2 Keystroke a; 5 Keystroke a"


def test_a_stick_that_returns_to_the_centre_does_not_fire_the_other_direction():
    mappings = """
        GamepadAnalogStick axis=left_x direction=right -> r
        GamepadAnalogStick axis=left_x direction=left -> l
    """
    script = "axis left_x 0.9 @1; axis left_x 0.4 @2; axis left_x -0.3 @3; axis left_x 0 @4"
    assert plays(mappings, script) == "1 Keystroke r"
    assert plays(mappings, "axis left_x -0.9 @1; axis left_x 0.2 @2; axis left_x 0.7 @3") == (
        "1 Keystroke l; 3 Keystroke r"
    )


def test_a_stick_thrown_from_one_side_to_the_other_lets_go_before_it_presses_again():
    mappings = "GamepadAnalogStick axis=left_x -> Keystroke keys=a hold=while_held"
    assert plays(mappings, "axis left_x 0.9 @1; axis left_x -0.9 @2; axis left_x 0 @3") == (
        "1 press a; 2 release a; 2 press a; 3 release a"
    )


def test_a_trigger_fires_on_crossing_and_holds_until_it_comes_back():
    mappings = "GamepadTrigger trigger=left threshold=0.5 hysteresis=0.2 -> Keystroke keys=a hold=while_held"
    script = "trigger left 0.6 @1; trigger left 0.4 @2; trigger left 0.9 @3; trigger left 0.2 @4"
    assert plays(mappings, script) == "1 press a; 4 release a"


def test_an_osc_message_fires_by_its_address_or_on_crossing_into_a_range():
    assert plays("OscMessage address=/go -> a", "osc /go @1; osc /stop @2; osc /go 0 @3") == (
        "1 Keystroke a; 3 Keystroke a"
    )
    assert plays(
        "OscMessage address=/f value_min=0.5 -> a", "osc /f 0.1; osc /f 0.6 @2; osc /f 0.7 @3"
    ) == ("2 Keystroke a")


@pytest.mark.parametrize(
    ("pattern", "fires"),
    [("F0 7E ?? 06 02 *", True), ("7E 7F 06 02 41", True), ("F0 7E 7F 06 01 *", False)],
)
def test_a_sysex_pattern_takes_any_byte_and_any_rest(pattern: str, fires: bool):
    row = {
        "trigger": {"type": "Sysex", "pattern": pattern},
        "action": {"type": "Keystroke", "keys": "a"},
    }
    assert plays([row], "sysex F0 7E 7F 06 02 41 F7") == ("0 Keystroke a" if fires else "")


def test_a_program_change_fires_for_its_program():
    assert plays("ProgramChange program=5 -> a", "program 4; program 5 @10; program 5 @20") == (
        "10 Keystroke a; 20 Keystroke a"
    )


def test_an_nrpn_and_an_rpn_of_one_number_are_two_parameters():
    mappings = "Nrpn parameter=300 -> n\nNrpn parameter=300 registered=true -> r"
    assert plays(mappings, "nrpn 300 5 @1; rpn 300 5 @2") == "1 Keystroke n; 2 Keystroke r"


def test_an_nrpn_range_is_crossed_with_all_14_bits():
    script = "nrpn 300 8191 @1; nrpn 300 8192 @2; nrpn 300 16383 @3"
    assert plays("Nrpn parameter=300 value_min=8192 -> a", script) == "2 Keystroke a"


@pytest.mark.parametrize(
    ("trigger", "line", "value"),
    [
        ("CC cc=1", "cc 1 100", 100),
        ("Note note=36", "down 36 vel 33", 33),
        ("PitchBend", "bend 16383", 127),
        ("PitchBend", "bend 0", 0),
        ("GamepadAnalogStick axis=left_x threshold=0", "axis left_x -0.5", 32),
        ("GamepadTrigger trigger=left threshold=0", "trigger left 0.5", 64),
        ("OscMessage address=/f", "osc /f 0.25", 32),
        ("OscMessage address=/f", "osc /f 40", 127),
        ("Nrpn parameter=9", "nrpn 9 16383", 127),
        ("Aftertouch", "pressure 80", 80),
        ("ProgramChange program=12", "program 12", 12),
        ("GamepadButton button=south", "button south down", 127),
        ("Sysex pattern=F001F7", "sysex 01", 127),
    ],
)
def test_the_value_of_every_control_reaches_an_output(trigger: str, line: str, value: int):
    assert sends(f"{trigger} -> {AS_CC}", line) == f"midi out B0 07 {value:02X}"


def test_a_value_goes_through_a_curve():
    curve = '{"from":"value","curve":{"type":"Linear","min":127,"max":0}}'
    row = f"CC cc=1 -> SendMidi port=out message_type=CC controller=7 value={curve}"
    assert sends(row, "cc 1 0; cc 1 127 @1") == "midi out B0 07 7F; midi out B0 07 00"


@pytest.mark.parametrize(
    ("shape", "bends"), [("exponential", "down"), ("logarithmic", "up"), ("s_curve", "down")]
)
def test_bent_curves_keep_the_ends_and_bend_between_them(shape: str, bends: str):
    curve = f'{{"from":"value","curve":{{"type":"Curve","curve_type":"{shape}","intensity":1}}}}'
    row = f"CC cc=1 -> SendMidi port=out message_type=CC controller=7 value={curve}"
    low, bent, high = (
        int(sent[-2:], 16) for sent in sends(row, "cc 1 0; cc 1 32; cc 1 127").split("; ")
    )
    assert (low, high) == (0, 127)
    assert bent < 32 if bends == "down" else bent > 32


def test_a_forwarded_note_is_followed_by_its_end():
    row = "Note note=36 -> MidiForward port=out transpose=12 channel=2"
    assert sends(row, "down 36 vel 90; up 36 @100") == "midi out 91 30 5A; midi out 81 30 00"


def test_a_forwarded_note_that_had_to_wait_is_followed_by_its_end_too():
    rows = "Note note=36 -> MidiForward port=out\nLongPress note=36 -> b"
    assert sends(rows, "down 36 vel 90; up 36 @100") == "midi out 90 24 5A; midi out 80 24 00"
    rows = "DoubleTap note=36 -> MidiForward port=out"
    assert sends(rows, "tap 36; tap 36 vel 80 @100") == "midi out 90 24 50; midi out 80 24 00"


def test_a_note_that_is_held_ends_when_its_control_is_released():
    note = "SendMidi port=out message_type=NoteOn note=60 velocity=90 channel=2 hold=while_held"
    assert sends(f"Note note=36 -> {note}", "down 36; up 36 @300") == (
        "midi out 91 3C 5A; midi out 81 3C 00"
    )
    rows = f"Note note=36 -> {note}\nLongPress note=36 -> b"
    assert sends(rows, "down 36; up 36 @100") == "midi out 91 3C 5A; midi out 81 3C 00"
    assert sends(f"DoubleTap note=36 -> {note}", "tap 36; tap 36 @100") == (
        "midi out 91 3C 5A; midi out 81 3C 00"
    )


def test_other_messages_are_forwarded_once():
    rows = "CC cc=7 -> MidiForward port=out\nPitchBend -> MidiForward port=out channel=3"
    assert sends(rows, "cc 7 64; bend 8193 @1") == "midi out B0 07 40; midi out E2 01 40"


def test_a_sysex_message_is_forwarded_whole():
    assert sends("Sysex pattern=F001* -> MidiForward port=out", "sysex 01 02 03") == (
        "midi out F0 01 02 03 F7"
    )
