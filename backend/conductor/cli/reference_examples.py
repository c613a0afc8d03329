"""The examples on the pages of the reference, at least one for each kind. A test loads all of them."""


def _build_mapping_example(trigger: str, action: str) -> str:
    head = '[[modes]]\nname = "Default"\n\n[[modes.mappings]]'
    return f"{head}\ntrigger = {trigger}\naction = {action}\n"


def _build_trigger_example(
    trigger: str, action: str = '{ type = "Keystroke", keys = ["cmd", "c"] }'
) -> str:
    return _build_mapping_example(trigger, action)


def _build_action_example(action: str, trigger: str = '{ type = "Note", note = 36 }') -> str:
    return _build_mapping_example(trigger, action)


def _build_condition_example(condition: str) -> str:
    return _build_trigger_example(f'{{ type = "Note", note = 36, when = [{condition}] }}')


def _build_curve_example(curve: str) -> str:
    velocity = f'{{ from = "value", curve = {curve} }}'
    return _build_action_example(
        "{ "
        'type = "SendMidi", port = "Synth", message_type = "NoteOn", note = 60, '
        f"velocity = {velocity} }}"
    )


def _build_matcher_example(matcher: str) -> str:
    return f'[[devices]]\nalias = "pads"\nmatchers = [{matcher}]\n'


TRIGGER_EXAMPLES = {
    "every": _build_trigger_example(
        '{ type = "Note", note = 36, device = "virtual", channel = 10, '
        'when = [{ type = "ModeIs", mode = "Default" }] }'
    ),
    "Note": _build_trigger_example('{ type = "Note", note = 36, velocity_min = 20 }'),
    "VelocityRange": """
[[modes]]
name = "Default"

[[modes.mappings]]
trigger = { type = "VelocityRange", note = 36, max_velocity = 60 }
action = { type = "Keystroke", keys = ["z"] }

[[modes.mappings]]
trigger = { type = "VelocityRange", note = 36, min_velocity = 61 }
action = { type = "Keystroke", keys = ["x"] }
""",
    "LongPress": _build_trigger_example('{ type = "LongPress", note = 36, duration_ms = 500 }'),
    "DoubleTap": _build_trigger_example(
        '{ type = "DoubleTap", button = "south", timeout_ms = 250 }'
    ),
    "NoteChord": _build_trigger_example(
        '{ type = "NoteChord", notes = [36, 37], timeout_ms = 50 }'
    ),
    "NoteRelease": _build_trigger_example('{ type = "NoteRelease", note = 36 }'),
    "CC": _build_trigger_example('{ type = "CC", cc = 64, value_min = 64, edge = "rising" }'),
    "EncoderTurn": _build_trigger_example(
        '{ type = "EncoderTurn", cc = 16, direction = "clockwise" }',
        '{ type = "VolumeControl", operation = "Up", value = 2 }',
    ),
    "Aftertouch": _build_trigger_example('{ type = "Aftertouch", note = 36, pressure_min = 90 }'),
    "PitchBend": _build_trigger_example(
        '{ type = "PitchBend", value_min = 12000, dead_zone = 200 }'
    ),
    "ProgramChange": _build_trigger_example('{ type = "ProgramChange", program = 5 }'),
    "Nrpn": _build_trigger_example(
        '{ type = "Nrpn", parameter = 1234, value_min = 8192, edge = "rising" }'
    ),
    "Sysex": _build_trigger_example('{ type = "Sysex", pattern = "F0 7E ?? 06 02 *" }'),
    "GamepadButton": _build_trigger_example('{ type = "GamepadButton", button = "south" }'),
    "GamepadButtonChord": _build_trigger_example(
        '{ type = "GamepadButtonChord", buttons = ["l1", "r1"] }'
    ),
    "GamepadAnalogStick": _build_trigger_example(
        '{ type = "GamepadAnalogStick", axis = "right_y", direction = "up", threshold = 0.6 }',
        '{ type = "MouseScroll", dy = 3 }',
    ),
    "GamepadTrigger": _build_trigger_example(
        '{ type = "GamepadTrigger", trigger = "right", threshold = 0.7 }'
    ),
    "OscMessage": "[settings.engine]\nosc_port = 9001\n\n"
    + _build_trigger_example('{ type = "OscMessage", address = "/1/push1", value_min = 0.5 }'),
}

ACTION_EXAMPLES = {
    "Keystroke": _build_action_example(
        '{ type = "Keystroke", keys = ["shift"], hold = "while_held" }'
    ),
    "Text": _build_action_example('{ type = "Text", text = "Kind regards, Ada" }'),
    "Launch": _build_action_example('{ type = "Launch", app = "https://example.org" }'),
    "Shell": "[settings.engine]\nallow_shell = true\n\n"
    + _build_action_example('{ type = "Shell", argv = ["git", "-C", "/home/ada/notes", "pull"] }'),
    "PushToTalk": _build_action_example('{ type = "PushToTalk" }'),
    "VolumeControl": _build_action_example(
        '{ type = "VolumeControl", operation = "Set" }', '{ type = "CC", cc = 7 }'
    ),
    "ModeChange": _build_action_example(
        '{ type = "ModeChange", mode = "Mixing", behaviour = "momentary" }'
    )
    + '\n[[modes]]\nname = "Mixing"\n',
    "SendMidi": _build_action_example(
        '{ type = "SendMidi", port = "Synth", message_type = "CC", channel = 2, '
        'controller = 74, value = { from = "value" } }',
        '{ type = "CC", cc = 1 }',
    ),
    "MidiForward": _build_action_example(
        '{ type = "MidiForward", port = "Synth", channel = 3, transpose = 12 }',
    ),
    "OscSend": _build_action_example(
        '{ type = "OscSend", host = "192.168.1.20", port = 9000, address = "/fader/1", '
        'args = [{ from = "value" }] }',
        '{ type = "CC", cc = 1 }',
    ),
    "MouseClick": _build_action_example(
        '{ type = "MouseClick", button = "left", x = 640, y = 400, count = 2 }'
    ),
    "MouseMove": _build_action_example('{ type = "MouseMove", x = 40, y = 0, relative = true }'),
    "MouseScroll": _build_action_example(
        '{ type = "MouseScroll", dy = { from = "steps" } }', '{ type = "EncoderTurn", cc = 16 }'
    ),
    "Sequence": _build_action_example("""{ type = "Sequence", actions = [
  { type = "Keystroke", keys = ["cmd", "a"] },
  { type = "Delay", duration_ms = 100 },
  { type = "Keystroke", keys = ["cmd", "c"] },
] }"""),
    "Delay": _build_action_example("""{ type = "Sequence", actions = [
  { type = "Launch", app = "firefox" },
  { type = "Delay", duration_ms = 1500 },
  { type = "Text", text = "weather" },
] }"""),
    "Repeat": _build_action_example(
        '{ type = "Repeat", delay_ms = 80, until_release = true, '
        'action = { type = "Keystroke", keys = ["right"] } }'
    ),
    "Conditional": """
[[modes]]
name = "Default"

[[modes.mappings]]
trigger = { type = "Note", note = 36 }

[modes.mappings.action]
type = "Conditional"
condition = { type = "AppFrontmost", app = "code" }
then = { type = "Keystroke", keys = ["cmd", "shift", "b"] }
else = { type = "Keystroke", keys = ["cmd", "r"] }
""",
    "SetVariable": _build_action_example(
        '{ type = "SetVariable", name = "shifted", operation = "toggle" }'
    ),
    "Led": _build_matcher_example('{ type = "NameContains", pattern = "Launchpad" }')
    + "\n"
    + _build_action_example(
        '{ type = "Led", device = "pads", control = "note 36", color = "green" }'
    ),
    "Plugin": '[skills]\nservers = ["home"]\n\n'
    + _build_action_example(
        '{ type = "Plugin", server = "home", tool = "set_light", '
        'args = { light = "desk", brightness = { from = "value", max = 255 } } }',
        '{ type = "CC", cc = 7 }',
    ),
}

CONDITION_EXAMPLES = {
    "Always": _build_condition_example('{ type = "Always" }'),
    "Never": _build_condition_example('{ type = "Never" }'),
    "ModeIs": _build_condition_example('{ type = "ModeIs", mode = "Default" }'),
    "AppFrontmost": _build_condition_example('{ type = "AppFrontmost", app = "code" }'),
    "TimeRange": _build_condition_example('{ type = "TimeRange", start = "22:00", end = "06:30" }'),
    "DayOfWeek": _build_condition_example('{ type = "DayOfWeek", days = [1, 2, 3, 4, 5] }'),
    "ControlHeld": _build_condition_example('{ type = "ControlHeld", cc = 64 }'),
    "VariableIs": _build_condition_example(
        '{ type = "VariableIs", name = "takes", operator = ">=", value = 3 }'
    ),
    "And": _build_condition_example(
        '{ type = "And", conditions = [{ type = "DayOfWeek", days = [6, 7] }, '
        '{ type = "ControlHeld", button = "l1" }] }'
    ),
    "Or": _build_condition_example(
        '{ type = "Or", conditions = [{ type = "AppFrontmost", app = "firefox" }, '
        '{ type = "AppFrontmost", app = "chrome" }] }'
    ),
    "Not": _build_condition_example(
        '{ type = "Not", condition = { type = "ControlHeld", note = 37 } }'
    ),
}

CURVE_EXAMPLES = {
    "Fixed": _build_curve_example('{ type = "Fixed", value = 100 }'),
    "PassThrough": _build_curve_example('"PassThrough"'),
    "Linear": _build_curve_example('{ type = "Linear", min = 40, max = 110 }'),
    "Curve": _build_curve_example(
        '{ type = "Curve", curve_type = "logarithmic", intensity = 0.6 }'
    ),
    "from": _build_action_example(
        '{ type = "MouseMove", relative = true, x = { from = "steps" } }',
        '{ type = "EncoderTurn", cc = 17, encoding = "offset_64" }',
    ),
    "scaled": '[skills]\nservers = ["obs"]\n\n'
    + _build_action_example(
        '{ type = "Plugin", server = "obs", tool = "set_volume", args = { source = "Mic", '
        'level = { from = "value", max = 1, invert = true, decimals = 2 } } }',
        '{ type = "CC", cc = 8 }',
    ),
}

MATCHER_EXAMPLES = {
    "NameRegex": _build_matcher_example('{ type = "NameRegex", pattern = "^Launchpad (Mini|X)" }'),
    "NameContains": _build_matcher_example('{ type = "NameContains", pattern = "Mikro" }'),
    "PlatformId": _build_matcher_example('{ type = "PlatformId", pattern = "hw:2,0,0" }'),
    "ExactName": _build_matcher_example(
        '{ type = "ExactName", pattern = "nanoKONTROL2 SLIDER/KNOB" }'
    ),
    "UsbTopology": _build_matcher_example('{ type = "UsbTopology", pattern = "1-2.4" }'),
    "UsbIdentifier": _build_matcher_example(
        '{ type = "UsbIdentifier", vendor_id = 0x17CC, product_id = 0x1700 }'
    ),
    "CoreMidiUniqueId": _build_matcher_example(
        '{ type = "CoreMidiUniqueId", unique_id = -1045212369 }'
    ),
}

SETTINGS_EXAMPLE = """
[settings.engine]
cmd_key = "auto"
allow_shell = false
osc_port = 9001

[settings.ui]
theme = "dark"

[settings.learn]
long_press_ms = 600

[settings.names.pads]
"note 41" = "Kick"

[settings.voice]
transcription = "server"
server = "http://127.0.0.1:8000/v1"
"""

CONFIG_EXAMPLE = """
version = 1

[[devices]]
alias = "pads"
matchers = [{ type = "NameContains", pattern = "Mikro" }]

[[modes]]
name = "Default"
color = "blue"

[[modes.mappings]]
description = "copy"
trigger = { type = "Note", note = 36, device = "pads" }
action = { type = "Keystroke", keys = ["cmd", "c"] }

[[global_mappings]]
trigger = { type = "CC", cc = 7, device = "pads" }
action = { type = "VolumeControl", operation = "Set" }

[[profiles]]
name = "Browser"
match = { executable = "firefox" }

[[profiles.mappings]]
trigger = { type = "Note", note = 37, device = "pads" }
action = { type = "Keystroke", keys = ["cmd", "t"] }
"""
