"""Every kind of action, done by a real control, seen by the real part that it acts on."""

import socket
from collections.abc import Generator
from pathlib import Path

import pytest
from pythonosc.osc_message import OscMessage
from tests.support.jack import MidiPeer
from tests.support.pulse import PulseServer, pulse_server
from tests.support.running import (
    RunningConductor,
    mapped,
    running_conductor,
    short_home,
    wait_for,
)
from tests.support.xserver import KeyWindow, XServer

pytestmark = [pytest.mark.jack, pytest.mark.x11]
PAD = "{ type = 'Note', note = 36, device = 'pads' }"
KNOB = "{ type = 'CC', cc = 20, device = 'pads' }"
DOWN, UP, TURN = "90 24 64", "80 24 00", "b0 14 40"
OTHER_MODES = "[[modes]]\nname = 'Second'\n[[modes]]\nname = 'Third'\n"


@pytest.fixture(scope="module")
def pulse() -> Generator[PulseServer]:
    with short_home() as folder, pulse_server(folder) as server:
        yield server


@pytest.fixture(scope="module")
def conductor(
    screen: XServer, pads_of_module: MidiPeer, pulse: PulseServer
) -> Generator[RunningConductor]:
    environment = {"DISPLAY": screen.display, **pulse.environment}
    with running_conductor(environment=environment) as running:
        yield running


def play(
    conductor: RunningConductor, pads: MidiPeer, action: str, *messages: str, trigger: str = PAD
) -> None:
    """Map a control to an action, and play it."""
    conductor.use(mapped((trigger, action)))
    conductor.wait_for_device("pads")
    for message in messages or (DOWN, UP):
        pads.send(message)


def reason_of_failure(conductor: RunningConductor, pads: MidiPeer, action: str) -> str:
    """Play an action that fails, and give the reason that the status shows."""
    kind = action.split("'")[1]
    before = conductor.status()["failures"]
    play(conductor, pads, action)
    status = conductor.wait_status(
        lambda s: s["failures"] != before and s["failures"][-1]["action"]["type"] == kind
    )
    assert status["failures"][-1]["reason"] in conductor.cli("status").stdout
    return status["failures"][-1]["reason"]


def test_keystroke_taps_keys(conductor: RunningConductor, pads: MidiPeer, window: KeyWindow):
    play(conductor, pads, "{ type = 'Keystroke', keys = 'shift+a' }", DOWN)
    seen = [(key.name, key.pressed) for key in (window.next_key() for _ in range(4))]
    assert seen == [("Shift_L", True), ("A", True), ("A", False), ("Shift_L", False)]


def test_keystroke_holds_keys_as_long_as_the_pad_is_held(
    conductor: RunningConductor, pads: MidiPeer, window: KeyWindow
):
    play(conductor, pads, "{ type = 'Keystroke', keys = ['b'], hold = 'while_held' }", DOWN)
    assert window.next_key().pressed
    conductor.wait_status(lambda status: status["held_keys"] == ["b"])
    pads.send(UP)
    assert not window.next_key().pressed


def test_text_types_any_text(conductor: RunningConductor, pads: MidiPeer, window: KeyWindow):
    play(conductor, pads, "{ type = 'Text', text = 'Grüße, 5€!' }")
    assert window.next_text(10) == "Grüße, 5€!"


def test_launch_starts_a_program(conductor: RunningConductor, pads: MidiPeer, tmp_path: Path):
    made = tmp_path / "launched"
    action = f"{{ type = 'Launch', app = 'touch', args = ['{made}'] }}"
    conductor.use(mapped((PAD, action), settings="allow_shell = true"))
    conductor.wait_for_device("pads")
    pads.send(DOWN)
    wait_for(made.exists, bool)


def test_launch_with_arguments_is_refused_until_commands_are_allowed(
    conductor: RunningConductor, pads: MidiPeer, tmp_path: Path
):
    made = tmp_path / "launched"
    action = f"{{ type = 'Launch', app = '/bin/sh', args = ['-c', 'touch {made}'] }}"
    assert "allow_shell = true" in reason_of_failure(conductor, pads, action)
    assert not made.exists()


def test_a_program_that_is_not_there_cannot_be_launched_and_the_status_says_so(
    conductor: RunningConductor, pads: MidiPeer
):
    reason = reason_of_failure(conductor, pads, "{ type = 'Launch', app = 'no-such-app' }")
    assert "no-such-app" in reason


def test_shell_is_refused_until_it_is_allowed_and_the_status_says_how(
    conductor: RunningConductor, pads: MidiPeer, tmp_path: Path
):
    made = tmp_path / "made"
    reason = reason_of_failure(conductor, pads, f"{{ type = 'Shell', argv = ['touch', '{made}'] }}")
    assert "allow_shell = true" in reason
    assert not made.exists()


def test_shell_runs_a_program_when_allowed_and_never_a_shell(
    conductor: RunningConductor, pads: MidiPeer, tmp_path: Path
):
    made = tmp_path / "a; b $HOME"
    action = f"{{ type = 'Shell', argv = ['touch', '{made}'] }}"
    conductor.use(mapped((PAD, action), settings="allow_shell = true"))
    conductor.wait_for_device("pads")
    pads.send(DOWN)
    wait_for(made.exists, bool)


def test_a_program_that_takes_too_long_is_ended_and_the_status_says_so(
    conductor: RunningConductor, pads: MidiPeer
):
    action = "{ type = 'Shell', argv = ['sleep', '60'], timeout_s = 0.2 }"
    conductor.use(mapped((PAD, action), settings="allow_shell = true"))
    conductor.wait_for_device("pads")
    pads.send(DOWN)
    conductor.wait_status(lambda s: s["failures"] and "0.2 s" in s["failures"][-1]["reason"])


@pytest.mark.pulse
def test_volume_control_sets_mutes_and_follows_a_knob(
    conductor: RunningConductor, pads: MidiPeer, pulse: PulseServer
):
    play(conductor, pads, "{ type = 'VolumeControl', operation = 'Set', value = 30 }")
    wait_for(pulse.percents, lambda percents: percents[0] == 30)
    play(conductor, pads, "{ type = 'VolumeControl', operation = 'Up' }")
    wait_for(pulse.percents, lambda percents: percents[0] == 35)
    play(conductor, pads, "{ type = 'VolumeControl', operation = 'Down', value = 15 }")
    wait_for(pulse.percents, lambda percents: percents[0] == 20)
    play(conductor, pads, "{ type = 'VolumeControl', operation = 'Mute' }")
    wait_for(pulse.muted, bool)
    play(conductor, pads, "{ type = 'VolumeControl', operation = 'Toggle' }")
    wait_for(pulse.muted, lambda muted: not muted)
    knob = "{ type = 'VolumeControl', operation = 'Set' }"
    play(conductor, pads, knob, "b0 14 7f", trigger=KNOB)
    wait_for(pulse.percents, lambda percents: percents[0] == 100)


@pytest.mark.parametrize(
    ("behaviour", "messages", "modes"),
    [
        ("switch", [DOWN], ["Third"]),
        ("momentary", [DOWN, UP], ["Third", "Default"]),
        ("toggle", [DOWN, UP], ["Third", "Third"]),
        ("next", [DOWN], ["Second"]),
        ("previous", [DOWN], ["Third"]),
    ],
)
def test_mode_change(
    conductor: RunningConductor,
    pads: MidiPeer,
    behaviour: str,
    messages: list[str],
    modes: list[str],
):
    mode = "mode = 'Third', " if behaviour not in ("next", "previous") else ""
    action = f"{{ type = 'ModeChange', {mode}behaviour = '{behaviour}' }}"
    conductor.use(mapped((PAD, action), more=OTHER_MODES))
    conductor.wait_for_device("pads")
    conductor.call("conductor_switch_mode", mode="Default")
    for message, expected in zip(messages, modes, strict=True):
        before = conductor.status()["statistics"]["events_processed"]
        pads.send(message)
        conductor.wait_status(lambda s, before=before: s["statistics"]["events_processed"] > before)
        conductor.wait_status(lambda s, expected=expected: s["mode"] == expected)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("message_type = 'NoteOn', note = 61, velocity = 90, channel = 2", "91 3d 5a"),
        ("message_type = 'NoteOff', note = 61, velocity = 0", "80 3d 00"),
        ("message_type = 'CC', controller = 7, value = { from = 'value' }", "b0 07 64"),
        ("message_type = 'ProgramChange', program = 9", "c0 09"),
        ("message_type = 'PitchBend', pitch = -8192", "e0 00 00"),
        ("message_type = 'Aftertouch', pressure = 33, channel = 16", "df 21"),
    ],
)
def test_send_midi(conductor: RunningConductor, pads: MidiPeer, fields: str, expected: str):
    play(conductor, pads, f"{{ type = 'SendMidi', port = 'pads', {fields} }}")
    pads.wait_for(expected)


def test_midi_forward_passes_a_note_on_and_its_end_follows(
    conductor: RunningConductor, pads: MidiPeer
):
    action = "{ type = 'MidiForward', port = 'pads', channel = 5, transpose = 12 }"
    play(conductor, pads, action, DOWN)
    pads.wait_for("94 30 64")
    pads.send(UP)
    wait_for(lambda: pads.received[-1], lambda last: last in ("84 30 00", "94 30 00"))


def test_osc_send_reaches_a_socket(conductor: RunningConductor, pads: MidiPeer):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(10)
        port = listener.getsockname()[1]
        arguments = "args = [1, 'two', 3.5, { from = 'value' }]"
        play(conductor, pads, f"{{ type = 'OscSend', port = {port}, address = '/a', {arguments} }}")
        message = OscMessage(listener.recv(4096))
    assert message.address == "/a"
    assert message.params == [1, "two", 3.5, pytest.approx(100 / 127, abs=0.001)]


def test_mouse_click_move_and_scroll(
    conductor: RunningConductor, pads: MidiPeer, window: KeyWindow
):
    play(conductor, pads, "{ type = 'MouseClick', x = 100, y = 50, button = 'right' }")
    down, up = window.next_button(), window.next_button()
    assert (down.button, down.pressed, down.x, down.y) == (3, True, 100, 50)
    assert (up.button, up.pressed) == (3, False)

    sequence = (
        "{ type = 'Sequence', actions = [{ type = 'MouseMove', x = 20, y = 5, relative = true },"
        " { type = 'MouseScroll', dy = 1 }] }"
    )
    play(conductor, pads, sequence)
    wheel = window.next_button()
    assert (wheel.button, wheel.x, wheel.y) == (4, 120, 55)
    window.next_button()


def test_sequence_waits_at_a_delay_and_ends_when_a_part_fails(
    conductor: RunningConductor, pads: MidiPeer, window: KeyWindow
):
    parts = [
        "{ type = 'Keystroke', keys = ['a'] }",
        "{ type = 'Delay', duration_ms = 30 }",
        "{ type = 'Keystroke', keys = ['b'] }",
        "{ type = 'Launch', app = 'no-such-app-either' }",
        "{ type = 'Keystroke', keys = ['c'] }",
    ]
    play(conductor, pads, f"{{ type = 'Sequence', actions = [{', '.join(parts)}] }}", DOWN)
    assert window.next_text(2) == "ab"
    conductor.wait_status(lambda s: s["failures"] and "either" in s["failures"][-1]["reason"])
    play(conductor, pads, "{ type = 'Keystroke', keys = ['d'] }")
    assert window.next_text(1) == "d"


def test_repeat_continues_until_the_pad_is_released(
    conductor: RunningConductor, pads: MidiPeer, window: KeyWindow
):
    action = (
        "{ type = 'Repeat', action = { type = 'Keystroke', keys = ['r'] },"
        " delay_ms = 20, until_release = true }"
    )
    play(conductor, pads, action, DOWN)
    assert window.next_text(3) == "rrr"
    pads.send(UP)
    play(conductor, pads, "{ type = 'Keystroke', keys = ['e'] }")
    typed = ""
    while not typed.endswith("e"):
        typed += window.next_text(1)
    done = conductor.status()["statistics"]["actions_executed"]
    play(conductor, pads, "{ type = 'Keystroke', keys = ['f'] }")
    assert window.next_text(1) == "f"
    assert conductor.status()["statistics"]["actions_executed"] == done + 1


def test_a_variable_decides_what_a_conditional_does(
    conductor: RunningConductor, pads: MidiPeer, window: KeyWindow
):
    setter = "{ type = 'SetVariable', name = 'loud', operation = 'toggle' }"
    choice = (
        "{ type = 'Conditional', condition = { type = 'VariableIs', name = 'loud', value = true },"
        " then = { type = 'Keystroke', keys = ['y'] }, else = { type = 'Keystroke', keys = ['n'] } }"
    )
    other_pad = "{ type = 'Note', note = 37, device = 'pads' }"
    conductor.use(mapped((PAD, choice), (other_pad, setter)))
    conductor.wait_for_device("pads")
    for message in (DOWN, UP, "90 25 64", "80 25 00", DOWN, UP):
        pads.send(message)
    assert window.next_text(2) == "ny"


def test_led_sends_a_number_to_a_device_without_a_profile(
    conductor: RunningConductor, pads: MidiPeer
):
    play(conductor, pads, "{ type = 'Led', device = 'pads', control = 'note 40', color = 5 }")
    pads.wait_for("90 28 05")


def test_led_refuses_a_colour_on_a_device_without_a_profile(
    conductor: RunningConductor, pads: MidiPeer
):
    action = "{ type = 'Led', device = 'pads', control = 'note 40', color = 'red' }"
    assert "no profile says how `pads` shows `red`" in reason_of_failure(conductor, pads, action)


def test_a_plugin_without_a_server_fails_and_the_status_says_so(
    conductor: RunningConductor, pads: MidiPeer
):
    reason = reason_of_failure(conductor, pads, "{ type = 'Plugin', server = 'home', tool = 'on' }")
    assert "no MCP server called home" in reason
