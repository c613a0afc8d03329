"""The examples on the reference pages, at least one for each kind. A test loads all examples."""


def _wrap_mapping(trigger: str, action: str) -> str:
    head = '[[modes]]\nname = "Default"\n\n[[modes.mappings]]'
    return f"{head}\ntrigger = {trigger}\naction = {action}\n"


def _wrap_trigger(trigger: str, action: str = '{ type = "Keystroke", keys = ["cmd", "c"] }') -> str:
    return _wrap_mapping(trigger, action)


def _wrap_action(action: str, trigger: str = '{ type = "Note", note = 36 }') -> str:
    return _wrap_mapping(trigger, action)


def _wrap_condition(condition: str) -> str:
    return _wrap_trigger(f'{{ type = "Note", note = 36, when = [{condition}] }}')


def _wrap_curve(curve: str) -> str:
    velocity = f'{{ from = "value", curve = {curve} }}'
    return _wrap_action(
        "{ "
        'type = "SendMidi", port = "Synth", message_type = "NoteOn", note = 60, '
        f"velocity = {velocity} }}"
    )


def _wrap_matcher(matcher: str) -> str:
    return f'[[devices]]\nalias = "pads"\nmatchers = [{matcher}]\n'


TRIGGERS = {
    "every": _wrap_trigger(
        '{ type = "Note", note = 36, device = "virtual", channel = 10, '
        'when = [{ type = "ModeIs", mode = "Default" }] }'
    ),
    "Note": _wrap_trigger('{ type = "Note", note = 36, velocity_min = 20 }'),
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
    "LongPress": _wrap_trigger('{ type = "LongPress", note = 36, duration_ms = 500 }'),
    "DoubleTap": _wrap_trigger('{ type = "DoubleTap", button = "south", timeout_ms = 250 }'),
    "NoteChord": _wrap_trigger('{ type = "NoteChord", notes = [36, 37], timeout_ms = 50 }'),
    "NoteRelease": _wrap_trigger('{ type = "NoteRelease", note = 36 }'),
    "CC": _wrap_trigger('{ type = "CC", cc = 64, value_min = 64, edge = "rising" }'),
    "EncoderTurn": _wrap_trigger(
        '{ type = "EncoderTurn", cc = 16, direction = "clockwise" }',
        '{ type = "VolumeControl", operation = "Up", value = 2 }',
    ),
    "Aftertouch": _wrap_trigger('{ type = "Aftertouch", note = 36, pressure_min = 90 }'),
    "PitchBend": _wrap_trigger('{ type = "PitchBend", value_min = 12000, dead_zone = 200 }'),
    "ProgramChange": _wrap_trigger('{ type = "ProgramChange", program = 5 }'),
    "Nrpn": _wrap_trigger('{ type = "Nrpn", parameter = 1234, value_min = 8192, edge = "rising" }'),
    "Sysex": _wrap_trigger('{ type = "Sysex", pattern = "F0 7E ?? 06 02 *" }'),
    "GamepadButton": _wrap_trigger('{ type = "GamepadButton", button = "south" }'),
    "GamepadButtonChord": _wrap_trigger('{ type = "GamepadButtonChord", buttons = ["l1", "r1"] }'),
    "GamepadAnalogStick": _wrap_trigger(
        '{ type = "GamepadAnalogStick", axis = "right_y", direction = "up", threshold = 0.6 }',
        '{ type = "MouseScroll", dy = 3 }',
    ),
    "GamepadTrigger": _wrap_trigger(
        '{ type = "GamepadTrigger", trigger = "right", threshold = 0.7 }'
    ),
    "OscMessage": "[settings.engine]\nosc_port = 9001\n\n"
    + _wrap_trigger('{ type = "OscMessage", address = "/1/push1", value_min = 0.5 }'),
}

ACTIONS = {
    "Keystroke": _wrap_action('{ type = "Keystroke", keys = ["shift"], hold = "while_held" }'),
    "Text": _wrap_action('{ type = "Text", text = "Kind regards, Ada" }'),
    "Launch": _wrap_action('{ type = "Launch", app = "https://example.org" }'),
    "Shell": "[settings.engine]\nallow_shell = true\n\n"
    + _wrap_action('{ type = "Shell", argv = ["git", "-C", "/home/ada/notes", "pull"] }'),
    "VolumeControl": _wrap_action(
        '{ type = "VolumeControl", operation = "Set" }', '{ type = "CC", cc = 7 }'
    ),
    "ModeChange": _wrap_action('{ type = "ModeChange", mode = "Mixing", behaviour = "momentary" }')
    + '\n[[modes]]\nname = "Mixing"\n',
    "SendMidi": _wrap_action(
        '{ type = "SendMidi", port = "Synth", message_type = "CC", channel = 2, '
        'controller = 74, value = { from = "value" } }',
        '{ type = "CC", cc = 1 }',
    ),
    "MidiForward": _wrap_action(
        '{ type = "MidiForward", port = "Synth", channel = 3, transpose = 12 }',
    ),
    "OscSend": _wrap_action(
        '{ type = "OscSend", host = "192.168.1.20", port = 9000, address = "/fader/1", '
        'args = [{ from = "value" }] }',
        '{ type = "CC", cc = 1 }',
    ),
    "MouseClick": _wrap_action(
        '{ type = "MouseClick", button = "left", x = 640, y = 400, count = 2 }'
    ),
    "MouseMove": _wrap_action('{ type = "MouseMove", x = 40, y = 0, relative = true }'),
    "MouseScroll": _wrap_action(
        '{ type = "MouseScroll", dy = { from = "steps" } }', '{ type = "EncoderTurn", cc = 16 }'
    ),
    "Sequence": _wrap_action("""{ type = "Sequence", actions = [
  { type = "Keystroke", keys = ["cmd", "a"] },
  { type = "Delay", duration_ms = 100 },
  { type = "Keystroke", keys = ["cmd", "c"] },
] }"""),
    "Delay": _wrap_action("""{ type = "Sequence", actions = [
  { type = "Launch", app = "firefox" },
  { type = "Delay", duration_ms = 1500 },
  { type = "Text", text = "weather" },
] }"""),
    "Repeat": _wrap_action(
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
    "SetVariable": _wrap_action('{ type = "SetVariable", name = "shifted", operation = "toggle" }'),
    "Led": _wrap_matcher('{ type = "NameContains", pattern = "Launchpad" }')
    + "\n"
    + _wrap_action('{ type = "Led", device = "pads", control = "note 36", color = "green" }'),
    "Plugin": '[skills]\nservers = ["home"]\n\n'
    + _wrap_action(
        '{ type = "Plugin", server = "home", tool = "set_light", '
        'args = { light = "desk", brightness = { from = "value", max = 255 } } }',
        '{ type = "CC", cc = 7 }',
    ),
}

CONDITIONS = {
    "Always": _wrap_condition('{ type = "Always" }'),
    "Never": _wrap_condition('{ type = "Never" }'),
    "ModeIs": _wrap_condition('{ type = "ModeIs", mode = "Default" }'),
    "AppFrontmost": _wrap_condition('{ type = "AppFrontmost", app = "code" }'),
    "TimeRange": _wrap_condition('{ type = "TimeRange", start = "22:00", end = "06:30" }'),
    "DayOfWeek": _wrap_condition('{ type = "DayOfWeek", days = [1, 2, 3, 4, 5] }'),
    "ControlHeld": _wrap_condition('{ type = "ControlHeld", cc = 64 }'),
    "VariableIs": _wrap_condition(
        '{ type = "VariableIs", name = "takes", operator = ">=", value = 3 }'
    ),
    "And": _wrap_condition(
        '{ type = "And", conditions = [{ type = "DayOfWeek", days = [6, 7] }, '
        '{ type = "ControlHeld", button = "l1" }] }'
    ),
    "Or": _wrap_condition(
        '{ type = "Or", conditions = [{ type = "AppFrontmost", app = "firefox" }, '
        '{ type = "AppFrontmost", app = "chrome" }] }'
    ),
    "Not": _wrap_condition('{ type = "Not", condition = { type = "ControlHeld", note = 37 } }'),
}

CURVES = {
    "Fixed": _wrap_curve('{ type = "Fixed", value = 100 }'),
    "PassThrough": _wrap_curve('"PassThrough"'),
    "Linear": _wrap_curve('{ type = "Linear", min = 40, max = 110 }'),
    "Curve": _wrap_curve('{ type = "Curve", curve_type = "logarithmic", intensity = 0.6 }'),
    "from": _wrap_action(
        '{ type = "MouseMove", relative = true, x = { from = "steps" } }',
        '{ type = "EncoderTurn", cc = 17, encoding = "offset_64" }',
    ),
    "scaled": '[skills]\nservers = ["obs"]\n\n'
    + _wrap_action(
        '{ type = "Plugin", server = "obs", tool = "set_volume", args = { source = "Mic", '
        'level = { from = "value", max = 1, invert = true, decimals = 2 } } }',
        '{ type = "CC", cc = 8 }',
    ),
}

MATCHERS = {
    "NameRegex": _wrap_matcher('{ type = "NameRegex", pattern = "^Launchpad (Mini|X)" }'),
    "NameContains": _wrap_matcher('{ type = "NameContains", pattern = "Mikro" }'),
    "PlatformId": _wrap_matcher('{ type = "PlatformId", pattern = "hw:2,0,0" }'),
    "ExactName": _wrap_matcher('{ type = "ExactName", pattern = "nanoKONTROL2 SLIDER/KNOB" }'),
    "UsbTopology": _wrap_matcher('{ type = "UsbTopology", pattern = "1-2.4" }'),
    "UsbIdentifier": _wrap_matcher(
        '{ type = "UsbIdentifier", vendor_id = 0x17CC, product_id = 0x1700 }'
    ),
    "CoreMidiUniqueId": _wrap_matcher('{ type = "CoreMidiUniqueId", unique_id = -1045212369 }'),
}

SETTINGS = """
[settings.engine]
cmd_key = "auto"
allow_shell = false
osc_port = 9001

[settings.ui]
theme = "dark"

[settings.learn]
long_press_ms = 600
"""

CONFIG = """
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
