"""What Conductor is for: a control is touched, and another program is told. Real parts all the way."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.support.jack import MidiPeer
from tests.support.joystick import RemoteStage
from tests.support.running import (
    JOYSTICK_LAUNCHER,
    RunningConductor,
    free_udp_port,
    mapped,
    running_conductor,
    send_osc,
    short_home,
)
from tests.support.xserver import KeyEvent, KeyWindow, XServer

pytestmark = [pytest.mark.jack, pytest.mark.x11]


@pytest.fixture(scope="module")
def stage_path() -> Generator[Path]:
    with short_home() as folder:
        yield folder / "stage.sock"


@pytest.fixture(scope="module")
def conductor(
    screen: XServer, pads_of_module: MidiPeer, stage_path: Path
) -> Generator[RunningConductor]:
    """Run a Conductor whose gamepads can be played."""
    environment = {"DISPLAY": screen.display}
    launcher = (JOYSTICK_LAUNCHER, str(stage_path))
    with running_conductor(environment=environment, launcher=launcher) as running:
        yield running


@pytest.fixture
def stage(conductor: RunningConductor, stage_path: Path) -> Generator[RemoteStage]:
    stage = RemoteStage(stage_path)
    yield stage
    stage.close()


def test_a_note_of_another_process_presses_keys_in_the_window_in_front(
    conductor: RunningConductor, pads: MidiPeer, window: KeyWindow
):
    trigger = "{ type = 'Note', note = 36, device = 'pads' }"
    conductor.use(mapped((trigger, "{ type = 'Keystroke', keys = ['ctrl', 'c'] }")))
    conductor.wait_for_device("pads")

    pads.send("90 24 64")

    held = frozenset({"ctrl"})
    assert [window.next_key() for _ in range(4)] == [
        KeyEvent("Control_L", pressed=True),
        KeyEvent("c", pressed=True, modifiers=held),
        KeyEvent("c", pressed=False, modifiers=held),
        KeyEvent("Control_L", pressed=False, modifiers=held),
    ]


def test_a_controller_becomes_a_midi_message_at_another_process(
    conductor: RunningConductor, pads: MidiPeer
):
    trigger = "{ type = 'CC', cc = 20, device = 'pads' }"
    action = (
        "{ type = 'SendMidi', port = 'Synth', message_type = 'CC', controller = 74, channel = 3,"
        " value = { from = 'value' } }"
    )
    conductor.use(mapped((trigger, action)))
    with MidiPeer("Synth") as synth:
        conductor.wait_for_device("raw:Synth In:in", "midi_output")
        pads.send("B0 14 55")
        synth.wait_for("b2 4a 55")


@pytest.mark.gamepad
def test_a_gamepad_button_types_a_key(
    conductor: RunningConductor, stage: RemoteStage, window: KeyWindow
):
    trigger = "{ type = 'GamepadButton', button = 'south' }"
    conductor.use(mapped((trigger, "{ type = 'Keystroke', keys = ['g'] }")))
    pad = stage.attach("Test Pad")

    pad.press(0)

    assert window.next_text(1) == "g"
    pad.detach()


def test_an_osc_datagram_types_a_key(conductor: RunningConductor, window: KeyWindow):
    port = free_udp_port()
    trigger = "{ type = 'OscMessage', address = '/go' }"
    action = "{ type = 'Keystroke', keys = ['o'] }"
    conductor.use(mapped((trigger, action), settings=f"osc_port = {port}"))
    conductor.wait_for_device("osc", "osc")

    send_osc(port, "/go", 1)

    assert window.next_text(1) == "o"
