"""Older and alternative spellings of triggers, actions and configs: accepted, and written in canonical form."""

from typing import Any, cast

import pytest
from pydantic import TypeAdapter, ValidationError

from conductor.domain.actions import Action
from conductor.domain.config import Config
from conductor.domain.triggers import Trigger
from conductor.domain.value import Value

KEY = {"type": "Keystroke", "keys": ["a"]}


def written(union: Any, raw: dict[str, Any]) -> dict[str, Any]:
    return cast("Value", TypeAdapter(union).validate_python(raw)).to_plain()


TRIGGERS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"type": "NoteOn", "note": 1}, {"type": "Note", "note": 1}),
    ({"type": "NoteOff", "note": 1}, {"type": "NoteRelease", "note": 1}),
    ({"type": "Chord", "notes": [1, 2]}, {"type": "NoteChord", "notes": [1, 2]}),
    ({"type": "ControlChange", "controller": 7}, {"type": "CC", "cc": 7}),
    ({"type": "CC", "cc": 7, "min_value": 9}, {"type": "CC", "cc": 7, "value_min": 9}),
    ({"type": "Encoder", "cc": 7, "direction": "any"}, {"type": "EncoderTurn", "cc": 7}),
    (
        {"type": "EncoderTurn", "cc": 7, "direction": "Clockwise"},
        {"type": "EncoderTurn", "cc": 7, "direction": "clockwise"},
    ),
    (
        {"type": "EncoderTurn", "cc": 7, "direction": "CounterClockwise"},
        {"type": "EncoderTurn", "cc": 7, "direction": "counter_clockwise"},
    ),
    ({"type": "EncoderTurn", "cc": 7, "direction": "either"}, {"type": "EncoderTurn", "cc": 7}),
    (
        {"type": "LongPress", "note": 1, "min_duration_ms": 700},
        {"type": "LongPress", "note": 1, "duration_ms": 700},
    ),
    (
        {"type": "LongPress", "note": 129, "hold_duration_ms": 700},
        {"type": "LongPress", "button": "east", "duration_ms": 700},
    ),
    (
        {"type": "DoubleTap", "note": 1, "max_interval_ms": 200},
        {"type": "DoubleTap", "note": 1, "timeout_ms": 200},
    ),
    (
        {"type": "VelocityRange", "note": 1, "soft_max": 40, "medium_max": 80},
        {"type": "VelocityRange", "note": 1, "max_velocity": 40},
    ),
    (
        {"type": "AftertouchZone", "min_pressure": 10, "max_pressure": 50},
        {"type": "Aftertouch", "pressure_min": 10, "pressure_max": 50},
    ),
    (
        {"type": "PitchBendZone", "min_value": 10, "center_deadzone": 9},
        {"type": "PitchBend", "value_min": 10, "dead_zone": 9},
    ),
    ({"type": "SysEx", "pattern": "7e"}, {"type": "Sysex", "pattern": "F0 7E F7"}),
    ({"type": "OSC", "address": "/a"}, {"type": "OscMessage", "address": "/a"}),
    ({"type": "NRPN", "parameter": 3}, {"type": "Nrpn", "parameter": 3}),
    (
        {"type": "GamepadAnalogStick", "axis": 129, "direction": "Clockwise"},
        {"type": "GamepadAnalogStick", "axis": "left_y", "direction": "positive"},
    ),
    (
        {"type": "GamepadAnalogStick", "axis": "left_x", "direction": "left"},
        {"type": "GamepadAnalogStick", "axis": "left_x", "direction": "negative"},
    ),
    ({"type": "GamepadTrigger", "trigger": 133}, {"type": "GamepadTrigger", "trigger": "right"}),
    (
        {"type": "Note", "note": 1, "when": "Always"},
        {"type": "Note", "note": 1, "when": [{"type": "Always"}]},
    ),
    (
        {"type": "CompoundTrigger", "trigger": {"type": "NoteOn", "note": 1}, "conditions": []},
        {"type": "Note", "note": 1},
    ),
]
ACTIONS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"type": "Keystroke", "keys": "cmd+c"}, {"type": "Keystroke", "keys": ["cmd", "c"]}),
    ({"type": "Key", "keys": "Cmd+Shift+A"}, {"type": "Keystroke", "keys": ["cmd", "shift", "a"]}),
    (
        {"type": "Keystroke", "keys": "c", "modifiers": ["cmd"]},
        {"type": "Keystroke", "keys": ["cmd", "c"]},
    ),
    (
        {"type": "Keystroke", "keys": ["c", "shift", "Command", "c"]},
        {"type": "Keystroke", "keys": ["cmd", "shift", "c"]},
    ),
    (
        {"type": "SendMIDI", "port": "A", "message_type": "control_change"},
        {"type": "SendMidi", "port": "A", "message_type": "CC"},
    ),
    (
        {"type": "SendMidi", "port": "A", "message_type": "note_on"},
        {"type": "SendMidi", "port": "A", "message_type": "NoteOn"},
    ),
    ({"type": "MIDIForward", "port": "A"}, {"type": "MidiForward", "port": "A"}),
    ({"type": "ShellCommand", "command": "a 'b c'"}, {"type": "Shell", "argv": ["a", "b c"]}),
    ({"type": "Shell", "command": ["a", "b c"]}, {"type": "Shell", "argv": ["a", "b c"]}),
    ({"type": "LaunchApp", "application": "X"}, {"type": "Launch", "app": "X"}),
    ({"type": "Launch", "path": "/a/b"}, {"type": "Launch", "app": "/a/b"}),
    ({"type": "Delay", "ms": 5}, {"type": "Delay", "duration_ms": 5}),
    (
        {"type": "VolumeControl", "operation": "up", "amount": 3},
        {"type": "VolumeControl", "operation": "Up", "value": 3},
    ),
    (
        {"type": "ModeChange", "mode": "A", "behavior": "toggle"},
        {"type": "ModeChange", "mode": "A", "behaviour": "toggle"},
    ),
    (
        {"type": "Repeat", "action": KEY, "count": 2, "delay_between_ms": 5, "stop_on_error": True},
        {"type": "Repeat", "action": KEY, "count": 2, "delay_ms": 5},
    ),
    (
        {"type": "Conditional", "condition": "Never", "then_action": KEY, "else_action": KEY},
        {"type": "Conditional", "condition": {"type": "Never"}, "then": KEY, "else": KEY},
    ),
    (
        {"type": "OSCSend", "port": 9000, "address": "/a"},
        {"type": "OscSend", "port": 9000, "address": "/a"},
    ),
    (
        {"type": "LED", "device": "a", "control": 36, "color": "Red"},
        {"type": "Led", "device": "a", "control": "note 36", "color": "red"},
    ),
    ({"type": "MouseClick", "button": "Right"}, {"type": "MouseClick", "button": "right"}),
]


@pytest.mark.parametrize(("raw", "plain"), TRIGGERS)
def test_a_trigger_is_written_back_in_todays_words(raw: dict[str, Any], plain: dict[str, Any]):
    assert written(Trigger, raw) == plain


@pytest.mark.parametrize(("raw", "plain"), ACTIONS)
def test_an_action_is_written_back_in_todays_words(raw: dict[str, Any], plain: dict[str, Any]):
    assert written(Action, raw) == plain


@pytest.mark.parametrize(
    ("union", "plain"),
    [(Trigger, plain) for _, plain in TRIGGERS] + [(Action, plain) for _, plain in ACTIONS],
)
def test_todays_words_stay_as_they_are(union: Any, plain: dict[str, Any]):
    assert written(union, plain) == plain


def test_bindings_are_devices():
    binding = {"alias": "a", "matchers": [{"type": "ExactName", "value": "A"}]}
    plain = Config.model_validate({"bindings": [binding]}).to_plain()
    assert plain["devices"][0]["matchers"] == [{"type": "ExactName", "pattern": "A"}]
    assert "bindings" not in plain


def test_an_empty_config_has_one_mode():
    assert [mode.name for mode in Config.model_validate({}).modes] == ["Default"]
    assert [mode.name for mode in Config.model_validate({"modes": []}).modes] == ["Default"]


def test_the_start_mode_is_the_first_unless_another_is_named():
    modes = [{"name": "A"}, {"name": "B"}]
    assert Config.model_validate({"modes": modes}).get_start_mode() == "A"
    chosen = {"engine": {"start_mode": "B"}}
    assert Config.model_validate({"modes": modes, "settings": chosen}).get_start_mode() == "B"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"type": "Keystroke", "keys": ["ctl", "c"]}, "did you mean `ctrl`"),
        ({"type": "Keystroke", "keys": "fn+f1"}, "no program can press it"),
        ({"type": "ModeChange"}, "needs a `mode`"),
        ({"type": "Repeat", "action": KEY}, "give a `count`"),
        ({"type": "Repeat", "action": KEY, "until_release": True}, "`delay_ms` of at least 10"),
        ({"type": "MouseClick", "x": 4}, "both `x` and `y`"),
        ({"type": "Led", "device": "a", "control": "note 128"}, "over 127"),
        (
            {"type": "Led", "device": "a", "control": 1, "color": "mauve"},
            "colours are off, white, red",
        ),
        ({"type": "Shell", "command": "say 'hi"}, "unbalanced quotes"),
        ({"type": "SetVariable", "name": "n", "value": "x", "operation": "add"}, "only a number"),
        ({"type": "SendMidi", "port": "A", "message_type": "CC", "channel": 0}, "greater than"),
    ],
)
def test_a_mistake_in_an_action_is_refused_with_the_way_out(raw: dict[str, Any], message: str):
    with pytest.raises(ValidationError, match=message):
        TypeAdapter(Action).validate_python(raw)


@pytest.mark.parametrize(
    ("app", "fits"),
    [
        (("Firefox", "org.mozilla.firefox", "News - Firefox"), True),
        (("firefox", "", "Mail"), False),
        (("chrome", "", "News"), False),
    ],
)
def test_a_profile_fits_when_all_it_names_fits(app: tuple[str, str, str], fits: bool):
    match = {"executable": "firefox", "title_regex": "^News"}
    config = Config.model_validate({"profiles": [{"name": "P", "match": match}]})
    assert config.profiles[0].match.matches_app(app) == fits


@pytest.mark.parametrize("match", [{}, {"title_regex": "("}])
def test_a_profile_that_names_nothing_or_nonsense_is_refused(match: dict[str, Any]):
    with pytest.raises(ValidationError):
        Config.model_validate({"profiles": [{"name": "P", "match": match}]})
