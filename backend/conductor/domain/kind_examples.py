"""Contains a complete JSON example of each kind of trigger, action, condition and
curve, for errors and agents.
"""

from typing import Any

from conductor.base.json_types import JsonObject


def _build_kind_tag(tag: str, /, **fields: Any) -> JsonObject:
    return {"type": tag, **fields}


_COPY_KEYSTROKE = _build_kind_tag("Keystroke", keys=["cmd", "c"])
TRIGGER_EXAMPLES: dict[str, JsonObject] = {
    example["type"]: example
    for example in (
        _build_kind_tag("Note", note=36, device="pads", channel=10),
        _build_kind_tag("VelocityRange", note=36, min_velocity=100),
        _build_kind_tag("LongPress", note=36, duration_ms=500),
        _build_kind_tag("DoubleTap", note=36, timeout_ms=300),
        _build_kind_tag("NoteChord", notes=[36, 38]),
        _build_kind_tag("NoteRelease", note=36),
        _build_kind_tag("CC", cc=21),
        _build_kind_tag("EncoderTurn", cc=16, direction="clockwise"),
        _build_kind_tag("Aftertouch", pressure_min=64),
        _build_kind_tag("PitchBend", value_min=12000),
        _build_kind_tag("ProgramChange", program=5),
        _build_kind_tag("Nrpn", parameter=1040),
        _build_kind_tag("Sysex", pattern="F0 7E ?? *"),
        _build_kind_tag("GamepadButton", button="south"),
        _build_kind_tag("GamepadButtonChord", buttons=["l1", "r1"]),
        _build_kind_tag("GamepadAnalogStick", axis="left_x", direction="positive"),
        _build_kind_tag("GamepadTrigger", trigger="right"),
        _build_kind_tag("OscMessage", address="/go"),
    )
}
ACTION_EXAMPLES: dict[str, JsonObject] = {
    example["type"]: example
    for example in (
        _COPY_KEYSTROKE,
        _build_kind_tag("Text", text="hello"),
        _build_kind_tag("Launch", app="firefox"),
        _build_kind_tag("Shell", argv=["git", "pull"]),
        _build_kind_tag("PushToTalk"),
        _build_kind_tag("VolumeControl", operation="Set", value={"from": "value", "max": 50}),
        _build_kind_tag("ModeChange", mode="Default", behaviour="momentary"),
        _build_kind_tag(
            "SendMidi", port="Synth", message_type="CC", controller=74, value={"from": "value", "invert": True}
        ),
        _build_kind_tag("MidiForward", port="Synth", channel=2, value={"from": "value", "min": 40}),
        _build_kind_tag("OscSend", port=9000, address="/fader/1", args=[{"from": "value"}]),
        _build_kind_tag("MouseClick", button="right"),
        _build_kind_tag("MouseMove", relative=True, x={"from": "steps"}),
        _build_kind_tag("MouseScroll", dy={"from": "steps"}),
        _build_kind_tag(
            "Sequence",
            actions=[
                _COPY_KEYSTROKE,
                _build_kind_tag("Delay", duration_ms=200),
                _build_kind_tag("Text", text="x"),
            ],
        ),
        _build_kind_tag("Delay", duration_ms=200),
        _build_kind_tag("Repeat", action=_COPY_KEYSTROKE, until_release=True, delay_ms=100),
        _build_kind_tag(
            "Conditional",
            condition=_build_kind_tag("AppFrontmost", app="firefox"),
            then=_COPY_KEYSTROKE,
            **{"else": _build_kind_tag("Text", text="x")},
        ),
        _build_kind_tag("SetVariable", name="armed", operation="toggle"),
        _build_kind_tag("Led", device="pads", control="note 36", color="green"),
        _build_kind_tag("Plugin", server="lamp", tool="set", args={"level": {"from": "value", "max": 255}}),
    )
}  # fmt: skip
CONDITION_EXAMPLES: dict[str, JsonObject] = {
    example["type"]: example
    for example in (
        _build_kind_tag("Always"),
        _build_kind_tag("Never"),
        _build_kind_tag("ModeIs", mode="Default"),
        _build_kind_tag("AppFrontmost", app="spotify"),
        _build_kind_tag("TimeRange", start="22:00", end="06:00"),
        _build_kind_tag("DayOfWeek", days=[1, 5]),
        _build_kind_tag("ControlHeld", note=40),
        _build_kind_tag("VariableIs", name="armed", value=True),
        _build_kind_tag(
            "And",
            conditions=[
                _build_kind_tag("ControlHeld", note=40),
                _build_kind_tag("ModeIs", mode="Default"),
            ],
        ),
        _build_kind_tag(
            "Or",
            conditions=[
                _build_kind_tag("DayOfWeek", days=[6]),
                _build_kind_tag("DayOfWeek", days=[7]),
            ],
        ),
        _build_kind_tag("Not", condition=_build_kind_tag("AppFrontmost", app="zoom")),
    )
}
CURVE_EXAMPLES: dict[str, JsonObject] = {
    example["type"]: example
    for example in (
        _build_kind_tag("Fixed", value=100),
        _build_kind_tag("PassThrough"),
        _build_kind_tag("Linear", min=40, max=110),
        _build_kind_tag("Curve", curve_type="logarithmic", intensity=0.6),
    )
}
FROM_CONTROL_EXAMPLE: JsonObject = {"from": "value", "min": 0, "max": 50, "invert": True}
GESTURE_EXAMPLE: JsonObject = {
    "name": "hold pastes at night",
    "gesture": "down 36; wait 600; up 36",
    "expect": [_build_kind_tag("Keystroke", fields={"keys": ["cmd", "v"]})],
    "mode": "Default",
    "app": "firefox",
    "clock": {"weekday": 1, "minute": 1410},
}
"""An example of a gesture with its expected actions."""
KIND_EXAMPLES = {**TRIGGER_EXAMPLES, **ACTION_EXAMPLES, **CONDITION_EXAMPLES, **CURVE_EXAMPLES}
"""All examples by their tag; no two kinds have the same tag."""
