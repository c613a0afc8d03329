"""A complete JSON example of every kind of trigger, action, condition and curve, for errors and agents."""

from typing import Any

from conductor.base.json_types import JsonObject


def _kind(tag: str, /, **fields: Any) -> JsonObject:
    return {"type": tag, **fields}


_COPY = _kind("Keystroke", keys=["cmd", "c"])
TRIGGER_EXAMPLES: dict[str, JsonObject] = {
    example["type"]: example
    for example in (
        _kind("Note", note=36, device="pads", channel=10),
        _kind("VelocityRange", note=36, min_velocity=100),
        _kind("LongPress", note=36, duration_ms=500),
        _kind("DoubleTap", note=36, timeout_ms=300),
        _kind("NoteChord", notes=[36, 38]),
        _kind("NoteRelease", note=36),
        _kind("CC", cc=21),
        _kind("EncoderTurn", cc=16, direction="clockwise"),
        _kind("Aftertouch", pressure_min=64),
        _kind("PitchBend", value_min=12000),
        _kind("ProgramChange", program=5),
        _kind("Nrpn", parameter=1040),
        _kind("Sysex", pattern="F0 7E ?? *"),
        _kind("GamepadButton", button="south"),
        _kind("GamepadButtonChord", buttons=["l1", "r1"]),
        _kind("GamepadAnalogStick", axis="left_x", direction="positive"),
        _kind("GamepadTrigger", trigger="right"),
        _kind("OscMessage", address="/go"),
    )
}
ACTION_EXAMPLES: dict[str, JsonObject] = {
    example["type"]: example
    for example in (
        _COPY,
        _kind("Text", text="hello"),
        _kind("Launch", app="firefox"),
        _kind("Shell", argv=["git", "pull"]),
        _kind("VolumeControl", operation="Set", value={"from": "value", "max": 50}),
        _kind("ModeChange", mode="Default", behaviour="momentary"),
        _kind(
            "SendMidi", port="Synth", message_type="CC", controller=74, value={"from": "value", "invert": True}
        ),
        _kind("MidiForward", port="Synth", channel=2, value={"from": "value", "min": 40}),
        _kind("OscSend", port=9000, address="/fader/1", args=[{"from": "value"}]),
        _kind("MouseClick", button="right"),
        _kind("MouseMove", relative=True, x={"from": "steps"}),
        _kind("MouseScroll", dy={"from": "steps"}),
        _kind("Sequence", actions=[_COPY, _kind("Delay", duration_ms=200), _kind("Text", text="x")]),
        _kind("Delay", duration_ms=200),
        _kind("Repeat", action=_COPY, until_release=True, delay_ms=100),
        _kind(
            "Conditional",
            condition=_kind("AppFrontmost", app="firefox"),
            then=_COPY,
            **{"else": _kind("Text", text="x")},
        ),
        _kind("SetVariable", name="armed", operation="toggle"),
        _kind("Led", device="pads", control="note 36", color="green"),
        _kind("Plugin", server="lamp", tool="set", args={"level": {"from": "value", "max": 255}}),
    )
}  # fmt: skip
CONDITION_EXAMPLES: dict[str, JsonObject] = {
    example["type"]: example
    for example in (
        _kind("Always"),
        _kind("Never"),
        _kind("ModeIs", mode="Default"),
        _kind("AppFrontmost", app="spotify"),
        _kind("TimeRange", start="22:00", end="06:00"),
        _kind("DayOfWeek", days=[1, 5]),
        _kind("ControlHeld", note=40),
        _kind("VariableIs", name="armed", value=True),
        _kind("And", conditions=[_kind("ControlHeld", note=40), _kind("ModeIs", mode="Default")]),
        _kind("Or", conditions=[_kind("DayOfWeek", days=[6]), _kind("DayOfWeek", days=[7])]),
        _kind("Not", condition=_kind("AppFrontmost", app="zoom")),
    )
}
CURVE_EXAMPLES: dict[str, JsonObject] = {
    example["type"]: example
    for example in (
        _kind("Fixed", value=100),
        _kind("PassThrough"),
        _kind("Linear", min=40, max=110),
        _kind("Curve", curve_type="logarithmic", intensity=0.6),
    )
}
FROM_CONTROL: JsonObject = {"from": "value", "min": 0, "max": 50, "invert": True}
EXAMPLE: JsonObject = {
    "name": "hold pastes at night",
    "gesture": "down 36; wait 600; up 36",
    "expect": [_kind("Keystroke", fields={"keys": ["cmd", "v"]})],
    "mode": "Default",
    "app": "firefox",
    "clock": {"weekday": 1, "minute": 1410},
}
"""A gesture with its expected actions."""
KIND_EXAMPLES = {**TRIGGER_EXAMPLES, **ACTION_EXAMPLES, **CONDITION_EXAMPLES, **CURVE_EXAMPLES}
"""By tag: no two kinds share one."""
