"""Every kind of MIDI and OSC trigger, played over JACK by another process: it fires when it should only."""

import pytest
from tests.support.jack import MidiPeer
from tests.support.running import RunningConductor, free_udp_port, mapped, send_osc

pytestmark = pytest.mark.jack
FIRED = "c0 01"
PLAYED_LAST = "c0 02"
SAY_FIRED = "{ type = 'SendMidi', port = 'pads', message_type = 'ProgramChange', program = 1 }"
SAY_LAST = "{ type = 'SendMidi', port = 'pads', message_type = 'ProgramChange', program = 2 }"
LAST = "{ type = 'Note', note = 127, device = 'pads' }"


def firings(conductor: RunningConductor, pads: MidiPeer, trigger: str, messages: list[str]) -> int:
    """Play messages, and count how often the trigger fired; a last pad shows when all have passed."""
    conductor.use(mapped((trigger, SAY_FIRED), (LAST, SAY_LAST)))
    conductor.wait_for_device("pads")
    for message in [*messages, "90 7f 64", "80 7f 00"]:
        pads.send(message)
    pads.wait_for(PLAYED_LAST, 20)
    return pads.received.count(FIRED)


@pytest.mark.parametrize(
    ("trigger", "messages", "expected"),
    [
        pytest.param(
            "{ type = 'Note', note = 36, velocity_min = 50, channel = 10 }",
            ["99 24 64", "89 24 00", "99 24 20", "89 24 00", "90 24 64", "80 24 00"],
            1,
            id="Note",
        ),
        pytest.param(
            "{ type = 'VelocityRange', note = 36, min_velocity = 40, max_velocity = 80 }",
            ["90 24 27", "80 24 00", "90 24 28", "80 24 00", "90 24 51", "80 24 00"],
            1,
            id="VelocityRange",
        ),
        pytest.param(
            "{ type = 'NoteRelease', note = 36 }",
            ["90 24 64", "90 24 00", "90 24 64", "80 24 40"],
            2,
            id="NoteRelease",
        ),
        pytest.param(
            "{ type = 'DoubleTap', note = 36, timeout_ms = 5000 }",
            ["90 24 64", "80 24 00", "90 24 64", "80 24 00"],
            1,
            id="DoubleTap",
        ),
        pytest.param(
            "{ type = 'NoteChord', notes = [60, 64, 67], timeout_ms = 2000 }",
            ["90 3c 64", "90 40 64", "90 43 64", "80 3c 00", "80 40 00", "80 43 00"],
            1,
            id="NoteChord",
        ),
        pytest.param(
            "{ type = 'CC', cc = 20, value_min = 64, edge = 'rising' }",
            ["b0 14 10", "b0 14 50", "b0 14 60", "b0 14 10", "b0 14 50", "b0 15 7f"],
            2,
            id="CC",
        ),
        pytest.param(
            "{ type = 'EncoderTurn', cc = 21, direction = 'clockwise', encoding = 'twos_complement' }",
            ["b0 15 01", "b0 15 7f", "b0 15 01"],
            2,
            id="EncoderTurn",
        ),
        pytest.param(
            "{ type = 'Aftertouch', note = 36, pressure_min = 64, hysteresis = 10 }",
            ["a0 24 50", "a0 24 3a", "a0 24 50", "a0 24 10", "a0 24 50", "a0 25 50"],
            2,
            id="Aftertouch of a key",
        ),
        pytest.param(
            "{ type = 'Aftertouch', pressure_min = 64 }",
            ["d0 50", "d0 10", "d0 50"],
            2,
            id="Aftertouch of a channel",
        ),
        pytest.param(
            "{ type = 'PitchBend', value_min = 12000 }",
            ["e0 00 40", "e0 00 70", "e0 00 71", "e0 00 40"],
            1,
            id="PitchBend",
        ),
        pytest.param(
            "{ type = 'ProgramChange', program = 5 }", ["c0 05", "c0 06"], 1, id="ProgramChange"
        ),
        pytest.param(
            "{ type = 'Nrpn', parameter = 300, value_min = 8192 }",
            ["b0 63 02", "b0 62 2c", "b0 06 50", "b0 26 00"],
            1,
            id="Nrpn",
        ),
        pytest.param(
            "{ type = 'Nrpn', parameter = 0, registered = true, value_min = 256 }",
            ["b0 65 00", "b0 64 00", "b0 06 02"],
            1,
            id="Nrpn, registered",
        ),
        pytest.param(
            "{ type = 'Sysex', pattern = 'F0 7E ?? 06 02 *' }",
            ["f0 7e 10 06 02 41 2b 02 f7", "f0 7e 10 06 01 f7"],
            1,
            id="Sysex",
        ),
        pytest.param(
            "{ type = 'Note', note = 36, when = { type = 'ControlHeld', note = 40 } }",
            ["90 24 64", "80 24 00", "90 28 64", "90 24 64", "80 24 00", "80 28 00"],
            1,
            id="a condition",
        ),
    ],
)
def test_a_trigger_fires_when_it_should_and_else_not(
    conductor: RunningConductor,
    pads: MidiPeer,
    trigger: str,
    messages: list[str],
    expected: int,
):
    assert firings(conductor, pads, trigger, messages) == expected


def test_a_long_press_fires_while_the_pad_is_held_and_a_tap_instead_when_it_is_not(
    conductor: RunningConductor, pads: MidiPeer
):
    hold = "{ type = 'LongPress', note = 36, duration_ms = 100, device = 'pads' }"
    tap = "{ type = 'Note', note = 36, device = 'pads' }"
    conductor.use(mapped((hold, SAY_FIRED), (tap, SAY_LAST)))
    conductor.wait_for_device("pads")
    pads.send("90 24 64")
    pads.wait_for(FIRED)
    pads.send("80 24 00")
    pads.send("90 24 64")
    pads.send("80 24 00")
    pads.wait_for(PLAYED_LAST)
    assert sorted(pads.received) == [FIRED, PLAYED_LAST]


def test_an_osc_message_fires_when_its_number_enters_the_range(
    conductor: RunningConductor, pads: MidiPeer
):
    port = free_udp_port()
    trigger = "{ type = 'OscMessage', address = '/1/fader1', value_min = 0.5 }"
    last = "{ type = 'OscMessage', address = '/last' }"
    rows = ((trigger, SAY_FIRED), (last, SAY_LAST))
    conductor.use(mapped(*rows, settings=f"osc_port = {port}"))
    conductor.wait_for_device("osc", "osc")
    for address, value in (
        ("/1/fader1", 0.2),
        ("/1/fader1", 0.7),
        ("/1/fader2", 0.7),
        ("/last", 1),
    ):
        send_osc(port, address, value)
    pads.wait_for(PLAYED_LAST)
    assert pads.received.count(FIRED) == 1
