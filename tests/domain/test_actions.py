"""Actions: the output calls of each kind."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from conductor.domain.actions import ACTION_KINDS, Action, walk_actions
from conductor.domain.actions.base import Fire
from conductor.domain.actions.launch import LaunchAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.lights import Light
from conductor.errors import ActionFailed

KEY = {"type": "Keystroke", "keys": ["a"]}


class Recorder:
    """A fake port that records every call: name, then arguments."""

    def __init__(self, calls: list[tuple[Any, ...]]) -> None:
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        def record(*args: Any) -> str:
            self._calls.append((name, *args))
            return ""

        return record


class RecordedPorts:
    """Fake ports that record into one list."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        recorder: Any = Recorder(self.calls)
        self.keyboard = self.mouse = self.programs = self.volume = recorder
        self.midi = self.osc = self.plugins = self.lights = self.voice = recorder


def run(raw: dict[str, Any], fire: Fire | None = None) -> list[tuple[Any, ...]]:
    ports = RecordedPorts()
    TypeAdapter[Action](Action).validate_python(raw).run(fire or Fire(1.0), ports)
    return ports.calls


def midi(fire: Fire | None = None, **fields: Any) -> str:
    [(_, port, message)] = run({"type": "SendMidi", "port": "Synth", **fields}, fire)
    assert port == "Synth"
    return bytes(message).hex(" ")


def test_a_keystroke_presses_its_keys_and_lets_them_go():
    keys = ("cmd", "shift", "c")
    calls = run({"type": "Keystroke", "keys": "shift+cmd+c"})
    assert calls == [("press_keys", keys), ("release_keys", keys)]


def test_a_text_is_typed_as_it_stands():
    assert run({"type": "Text", "text": "Grüße\n"}) == [("type_text", "Grüße\n")]


def test_an_app_is_opened_with_its_arguments():
    calls = run({"type": "Launch", "app": "firefox", "args": ["--new-window"]})
    assert calls == [("launch", "firefox", ("--new-window",))]


def test_no_shell_sees_a_command():
    [(name, argv, timeout_s, cancelled)] = run(
        {"type": "Shell", "command": "echo 'a b' $HOME; rm -rf /", "timeout_s": 3}
    )
    assert (name, timeout_s, cancelled()) == ("run", 3.0, False)
    assert argv == ("echo", "a b", "$HOME;", "rm", "-rf", "/")


@pytest.mark.parametrize(
    ("fields", "value", "percent"),
    [
        ({"operation": "Up"}, 1.0, 5),
        ({"operation": "Down", "value": 12}, 1.0, 12),
        ({"operation": "Set", "value": 30}, 1.0, 30),
        ({"operation": "Set"}, 0.5, 50),
        ({"operation": "Set", "value": {"from": "value"}}, 0.25, 25),
    ],
)
def test_the_volume_is_changed_by_percent(fields: dict[str, Any], value: float, percent: int):
    calls = run({"type": "VolumeControl", **fields}, Fire(value))
    assert calls == [("change_volume", fields["operation"], percent)]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"message_type": "NoteOn", "note": 60, "velocity": 100}, "90 3c 64"),
        ({"message_type": "NoteOff", "note": 60, "velocity": 0, "channel": 16}, "8f 3c 00"),
        ({"message_type": "CC", "controller": 74, "value": 127, "channel": 2}, "b1 4a 7f"),
        ({"message_type": "ProgramChange", "program": 5}, "c0 05"),
        ({"message_type": "Aftertouch", "pressure": 64}, "d0 40"),
        ({"message_type": "PitchBend"}, "e0 00 40"),
        ({"message_type": "PitchBend", "pitch": -8192}, "e0 00 00"),
        ({"message_type": "PitchBend", "pitch": 8191}, "e0 7f 7f"),
        ({"message_type": "PitchBend", "pitch": 1}, "e0 01 40"),
    ],
)
def test_a_midi_message_has_the_bytes_of_its_kind(fields: dict[str, Any], message: str):
    assert midi(**fields) == message


@pytest.mark.parametrize(
    ("value", "fields", "message"),
    [
        (0.5, {"message_type": "CC", "controller": 1, "value": {"from": "value"}}, "b0 01 40"),
        (1.0, {"message_type": "NoteOn", "velocity": {"from": "value"}}, "90 3c 7f"),
        (0.0, {"message_type": "PitchBend", "pitch": {"from": "value"}}, "e0 00 00"),
        (1.0, {"message_type": "PitchBend", "pitch": {"from": "value"}}, "e0 7f 7f"),
        (
            1.0,
            {"message_type": "Aftertouch", "pressure": {"from": "value", "curve": "Fixed"}},
            "d0 64",
        ),
    ],
)
def test_a_midi_value_may_come_from_the_control(value: float, fields: dict[str, Any], message: str):
    assert midi(Fire(value), **fields) == message


def test_a_midi_value_from_steps_stays_in_its_range():
    fields = {"message_type": "CC", "value": {"from": "steps"}}
    assert [midi(Fire(0, steps), **fields) for steps in (-5, 3)] == ["b0 00 00", "b0 00 03"]


@given(
    st.sampled_from(["NoteOn", "NoteOff", "CC", "ProgramChange", "PitchBend", "Aftertouch"]),
    st.integers(1, 16),
    st.floats(0, 1),
)
def test_every_midi_message_is_sound_whatever_the_control_says(
    kind: Any, channel: int, value: float
):
    names = ("note", "velocity", "value", "program", "pitch", "pressure")
    fields = {name: {"from": "value"} for name in names}
    raw = {"port": "A", "message_type": kind, "channel": channel, **fields}
    message = SendMidiAction.model_validate(raw).build_message(Fire(value))
    assert message[0] & 0x0F == channel - 1
    assert message[0] >= 0x80
    assert all(byte < 0x80 for byte in message[1:])


@pytest.mark.parametrize(
    ("fields", "came", "goes"),
    [
        ({}, "90 3c 64", "90 3c 64"),
        ({"channel": 3}, "90 3c 64", "92 3c 64"),
        ({"transpose": 12}, "90 3c 64", "90 48 64"),
        ({"transpose": -12}, "83 3c 00", "83 30 00"),
        ({"transpose": 127}, "90 3c 64", "90 7f 64"),
        ({"transpose": 12}, "b0 07 64", "b0 07 64"),
        ({"channel": 2, "transpose": 5}, "f8", "f8"),
        ({"curve": {"type": "Fixed", "value": 10}}, "90 3c 64", "90 3c 0a"),
        ({"curve": {"type": "Fixed", "value": 10}}, "d0 64", "d0 0a"),
        ({"curve": {"type": "Fixed", "value": 10}}, "e0 00 40", "e0 00 40"),
    ],
)
def test_a_forwarded_message_is_changed_as_asked(fields: dict[str, Any], came: str, goes: str):
    action = MidiForwardAction.model_validate({"port": "Out", **fields})
    assert action.transform_message(bytes.fromhex(came)).hex(" ") == goes


def test_a_curve_never_turns_a_forwarded_strike_into_a_release():
    action = MidiForwardAction.model_validate(
        {"port": "Out", "curve": {"type": "Linear", "min": 0, "max": 0}}
    )
    assert action.transform_message(bytes.fromhex("903c64"))[2] == 1


def test_what_is_no_midi_message_cannot_be_forwarded_and_says_so():
    with pytest.raises(ActionFailed, match="no MIDI message"):
        run({"type": "MidiForward", "port": "Out"}, Fire(1.0))


def test_osc_arguments_are_sent_as_written_or_from_the_control():
    args = [1, 2.5, "go", True, {"from": "value"}, {"from": "steps"}]
    raw = {"type": "OscSend", "host": "10.0.0.2", "port": 9000, "address": "/a", "args": args}
    assert run(raw, Fire(0.25, 3)) == [
        ("send", "10.0.0.2", 9000, "/a", [1, 2.5, "go", True, 0.25, 3])
    ]


@pytest.mark.parametrize(
    ("raw", "calls"),
    [
        ({"type": "MouseClick"}, [("click", "left", 1)]),
        (
            {"type": "MouseClick", "button": "right", "x": 3, "y": 4, "count": 2},
            [("move_to", 3, 4), ("click", "right", 2)],
        ),
        ({"type": "MouseMove", "x": 3, "y": 4}, [("move_to", 3, 4)]),
        (
            {"type": "MouseMove", "x": {"from": "steps"}, "relative": True},
            [("move_by", -2, 0)],
        ),
        ({"type": "MouseScroll", "dy": {"from": "steps"}}, [("scroll", 0, -2)]),
    ],
)
def test_the_mouse_does_what_it_is_told(raw: dict[str, Any], calls: list[tuple[Any, ...]]):
    assert run(raw, Fire(0.5, -2)) == calls


@pytest.mark.parametrize(
    ("fields", "light"),
    [
        ({"control": "note 36", "color": "Green"}, Light("note", 36, None, "green")),
        ({"control": 36, "color": 7, "channel": 10}, Light("note", 36, 10, 7)),
        ({"control": "36", "color": "red  Blinking"}, Light("note", 36, None, "red blinking")),
        (
            {"control": "CC 102", "color": "off", "set_up": True},
            Light("cc", 102, None, "off", True),
        ),
    ],
)
def test_a_light_is_left_to_the_lights_of_the_device(fields: dict[str, Any], light: Light):
    assert run({"type": "Led", "device": "pads", **fields}) == [("show_light", "pads", light)]


def test_a_plugin_gets_its_arguments_and_its_time_limit():
    raw = {"type": "Plugin", "server": "lights", "tool": "set", "args": {"on": True}}
    [call] = run(raw)
    assert call[:5] == ("call_tool", "lights", "set", {"on": True}, 10.0)


def test_what_may_wait_is_marked_so_that_it_runs_on_a_worker():
    blocking = {name for name, kind in ACTION_KINDS.items() if kind.blocking}
    assert {"Shell", "Launch", "Plugin"} <= blocking
    assert not blocking & {"Keystroke", "SendMidi", "MidiForward", "OscSend", "Led", "MouseMove"}


def test_parts_of_an_action_come_outermost_first():
    raw = {
        "type": "Sequence",
        "actions": [
            {"type": "Repeat", "action": KEY, "count": 2},
            {"type": "Conditional", "condition": "Always", "then": KEY, "else": KEY},
        ],
    }
    action = TypeAdapter[Action](Action).validate_python(raw)
    kinds = [part.type for part in walk_actions(action)]
    assert kinds == ["Sequence", "Repeat", "Keystroke", "Conditional", "Keystroke", "Keystroke"]


@pytest.mark.parametrize(
    ("app", "args", "is_command"),
    [
        ("firefox", (), False),
        ("https://example.org", (), False),
        ("/home/ada/notes.txt", (), False),
        ("firefox", ("--new-window",), True),
        ("/bin/sh", (), True),
        ("python3.11", (), True),
        ("/usr/bin/Python", (), True),
        ("C:\\Windows\\System32\\cmd.exe", (), True),
        ("rundll32.exe", (), True),
    ],
)
def test_a_launch_with_arguments_or_of_an_interpreter_is_a_command(
    app: str, args: tuple[str, ...], is_command: bool
):
    assert LaunchAction(app=app, args=args).runs_command() == is_command
