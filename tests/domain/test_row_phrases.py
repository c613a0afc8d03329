"""The phrases in the rows of the window."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from conductor.bridge.rows import describe_trigger_and_action
from conductor.domain.actions import Action
from conductor.domain.gesture_phrases import describe_trigger
from conductor.domain.row_phrases import (
    format_action_phrase,
    format_performed_action,
    format_trigger_phrase,
)
from conductor.domain.triggers import Trigger

TRIGGER: TypeAdapter[Any] = TypeAdapter(Trigger)
ACTION: TypeAdapter[Any] = TypeAdapter(Action)


@pytest.mark.parametrize(
    ("trigger", "words"),
    [
        ({"type": "Note", "note": 36}, "Note 36 (C1)"),
        ({"type": "Note", "note": 36, "velocity_min": 90}, "Note 36 (C1) velocity 90+"),
        ({"type": "LongPress", "note": 36, "duration_ms": 600}, "Hold 36 (C1) 600 ms"),
        (
            {"type": "LongPress", "note": 36, "duration_ms": 500, "hold_on_other_press": True},
            "Hold 36 (C1) 500 ms (at once when another is pressed)",
        ),
        (
            {
                "type": "LongPress",
                "note": 36,
                "channel": 2,
                "permissive_hold": True,
                "keep_order": True,
            },
            "Hold 36 (C1) 2000 ms ch 2 (at once when another is tapped, others wait)",
        ),
        (
            {"type": "LongPress", "note": 36, "quick_tap_ms": 200, "require_prior_idle_ms": 150},
            "Hold 36 (C1) 2000 ms (not within 200 ms of a tap, after 150 ms of quiet)",
        ),
        (
            {"type": "DoubleTap", "note": 36, "require_prior_idle_ms": 150},
            "Double tap 36 (C1) (after 150 ms of quiet)",
        ),
        (
            {"type": "NoteChord", "notes": [36, 40], "fire_when_complete": True},
            "Chord 36 + 40 (at once when complete)",
        ),
        ({"type": "DoubleTap", "button": "south"}, "Double tap button south"),
        ({"type": "NoteChord", "notes": [36, 40]}, "Chord 36 + 40"),
        ({"type": "CC", "cc": 20, "value_min": 64}, "CC 20 from 64"),
        ({"type": "CC", "cc": 20, "channel": 3}, "CC 20 ch 3"),
        ({"type": "EncoderTurn", "cc": 21, "direction": "clockwise"}, "Encoder 21 right"),
        ({"type": "Sysex", "pattern": "F0 7E F7"}, "Sysex"),
    ],
)
def test_a_trigger_says_what_the_hand_does(trigger: dict[str, Any], words: str) -> None:
    assert format_trigger_phrase(TRIGGER.validate_python(trigger)) == words


def midi(message_type: str, **fields: Any) -> dict[str, Any]:
    return {"type": "SendMidi", "port": "Synth", "message_type": message_type, **fields}


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ({"type": "Keystroke", "keys": ["ctrl", "shift", "m"]}, "Ctrl+Shift+M"),
        ({"type": "Keystroke", "keys": ["playpause"]}, "Play/Pause"),
        ({"type": "VolumeControl", "operation": "Set"}, "Volume follows the control"),
        ({"type": "VolumeControl", "operation": "Up", "value": 5}, "Volume up 5 %"),
        ({"type": "ModeChange", "mode": "Two", "behaviour": "momentary"}, "Mode Two while held"),
        ({"type": "ModeChange", "behaviour": "next"}, "Next mode"),
        (
            {"type": "Repeat", "action": {"type": "Text", "text": "a"}, "count": 2},
            "Repeat Type “a”",
        ),
        (midi("NoteOn", note=60), "Send note 60 (C3) to Synth"),
        (midi("NoteOn", note=36, hold="while_held"), "Send note 36 (C1) to Synth while held"),
        (midi("NoteOff", note=60), "Send note off 60 (C3) to Synth"),
        (midi("NoteOn", note={"from": "value"}), "Send note from the control to Synth"),
        (midi("CC", controller=74, value={"from": "value"}), "Send CC 74, 0-127, to Synth"),
        (
            midi("CC", controller=74, value={"from": "value", "min": 20, "max": 90}),
            "Send CC 74, 20-90, to Synth",
        ),
        (midi("CC", controller=64, value=127), "Send CC 64 = 127 to Synth"),
        (midi("CC", controller=64, value={"from": "steps"}), "Send CC 64 to Synth"),
        (midi("ProgramChange", program=5), "Send program 5 to Synth"),
        (midi("PitchBend", pitch={"from": "value"}), "Send pitch bend to Synth"),
        ({"type": "OscSend", "address": "/go", "host": "localhost", "port": 9000}, "OSC /go"),
        (
            {"type": "OscSend", "address": "/scene", "port": 9000, "args": ["Live"]},
            "OSC /scene Live",
        ),
        (
            {
                "type": "OscSend",
                "address": "/on",
                "port": 9000,
                "args": [1, True, {"from": "value"}],
            },
            "OSC /on 1 true",
        ),
    ],
)
def test_an_action_says_what_happens(action: dict[str, Any], words: str) -> None:
    assert format_action_phrase(ACTION.validate_python(action)) == words


@pytest.mark.parametrize(
    ("trigger_channel", "words"),
    [
        (5, "Send CC 7 = 0 to Synth"),
        (10, "Send CC 7 = 0 to Synth ch 5"),
        (None, "Send CC 7 = 0 to Synth ch 5"),
    ],
)
def test_an_output_channel_is_named_if_it_differs(trigger_channel: int | None, words: str) -> None:
    action = ACTION.validate_python(midi("CC", controller=7, channel=5))
    assert format_action_phrase(action, channel=trigger_channel) == words


@pytest.mark.parametrize(
    ("velocity", "words"),
    [
        (90, "Send note 60 (C3) to Synth (velocity 90)"),
        ({"from": "value"}, "Send note 60 (C3) to Synth"),
    ],
)
def test_a_velocity_that_follows_the_control_is_not_named(velocity: Any, words: str) -> None:
    action = ACTION.validate_python(midi("NoteOn", note=60, velocity=velocity)).to_plain()
    assert format_performed_action(action) == words


def test_the_options_of_a_gesture_are_said_after_its_device_too() -> None:
    plain = {"type": "LongPress", "note": 36, "device": "pads", "keep_order": True}
    words = describe_trigger(TRIGGER.validate_python(plain))
    assert words == "LongPress 36 on pads (others wait)"


def test_the_device_is_said_beside_the_trigger_and_not_in_it() -> None:
    words = describe_trigger_and_action(
        TRIGGER.validate_python({"type": "Note", "note": 1, "device": "pads"}), None
    )
    assert words.trigger == "Note 1 (C#-2)"
    assert words.device == "pads"
