/**
 * Help texts of the mapping editor, by kind and field. The descriptions in the schemas explain the
 * config file, with its field names and its syntax; the window must not require these.
 */
import { translatable } from "$language/language.svelte";

type Help = Record<string, string>;

export const strings = translatable("forms/explanations", {
  kinds: {
    // Triggers
    Note:
      "Fires when a pad or key is struck. If it also has a hold, double tap or chord, it waits " +
      "for that gesture first.",
    VelocityRange:
      "Fires when a pad or key is struck within a range of force. Use several ranges for soft " +
      "and hard strikes.",
    LongPress: "Fires when a control has been held long enough. A shorter press is a tap.",
    DoubleTap: "Fires on the second of two quick presses.",
    NoteChord:
      "Fires when several pads or keys are struck together. Their own mappings then do not fire.",
    NoteRelease: "Fires when a pad or key is released.",
    Aftertouch: "Fires when the pressure on a pad or key enters a range.",
    CC: "Fires on every value of a knob, fader or button, or only when the value enters a range.",
    EncoderTurn: "Fires on each step of an endless knob.",
    PitchBend: "Fires on every move of the wheel, or only when it enters a range.",
    Nrpn:
      "Fires on every value of a high-resolution parameter, or only when the value enters a " +
      "range.",
    ProgramChange: "Fires when a program is selected on the device.",
    Sysex:
      "Fires on a system exclusive message. Two question marks stand for any byte, a star at the " +
      "end for any rest.",
    OscMessage:
      "Fires on every OSC message to an address, or only when its first number enters a range.",
    GamepadButton: "Fires when a gamepad button is pressed.",
    GamepadButtonChord:
      "Fires when several gamepad buttons are pressed together. Their own mappings then do not " +
      "fire.",
    GamepadAnalogStick: "Fires when a stick is pushed far enough, but not on its way back.",
    GamepadTrigger: "Fires when a trigger is pulled far enough.",

    // Actions
    Keystroke: "Presses keys together and releases them.",
    Text: "Types a text into the active window.",
    MouseClick: "Clicks a mouse button, at the pointer or at a position.",
    MouseMove: "Moves the pointer to a position or by a distance.",
    MouseScroll: "Scrolls up, down or sideways.",
    Launch: "Opens an app, a file or a link. With arguments it counts as a shell command.",
    Shell: "Runs a program with arguments. Allow shell commands in Settings first.",
    VolumeControl: "Changes the volume of the computer.",
    Plugin: "Calls a tool of an MCP server.",
    PushToTalk:
      "Listens to the microphone while the control is held. What was heard goes into the chat.",
    SendMidi: "Sends a MIDI message to an output.",
    MidiForward:
      "Passes the message on to an output, on another channel, transposed or in another range.",
    OscSend: "Sends an OSC message to an app or another computer.",
    Led: "Lights a control of a device in a colour that the device can show.",
    ModeChange:
      "Changes the mode: permanently, while held, there and back, or to the next or previous one.",
    Sequence: "Performs actions one after another. It stops if one of them fails.",
    Delay: "Waits before the next action. Other mappings continue meanwhile.",
    Repeat: "Repeats an action a number of times, or until the control is released.",
    Conditional: "Performs one action if a condition is true, and another if it is not.",
    SetVariable: "Sets a variable that conditions can test.",

    // Conditions
    Always: "Is always true.",
    Never: "Is never true.",
    And: "Is true if all of these conditions are true.",
    Or: "Is true if at least one of these conditions is true.",
    Not: "Is true if this condition is not true.",
    ModeIs: "Is true in this mode.",
    AppFrontmost: "Is true while this app is in front.",
    TimeRange:
      "Is true between these times of the day. An end before the start is on the next day.",
    DayOfWeek: "Is true on these days.",
    ControlHeld:
      "Is true while another control is held: a pad, a key, a pedal or a gamepad button.",
    VariableIs:
      "Compares a variable with a value. A variable that was never set is off, 0 and empty.",

    // Curves
    PassThrough: "The value of the control, unchanged.",
    Linear: "A straight line between two values.",
    Curve: "A curved line between two values.",
    Fixed: "Always the same value, however hard the pad is hit.",
  } as Help,

  /** Help of a field, by `Kind.field`; or by field, if the help is the same for all kinds. */
  fields: {
    device: "Only from this device.",
    channel: "Only on this MIDI channel.",
    when: "Only while all of these conditions are true.",
    note: "",
    notes: "Two to ten notes.",
    button: "",
    buttons: "Two to ten buttons.",
    cc: "",
    port: "An output or a device.",
    address: "",
    dead_zone: "Positions this close to the centre count as the centre.",
    edge: "The direction that counts.",
    direction: "The direction that counts.",
    keep_order: "Other controls of the device wait until this gesture is decided.",
    fire_when_complete: "Fires with the last press instead of at the end of the time.",
    require_prior_idle_ms:
      "If another control was pressed less than this before, the press is a tap at once.",
    condition: "",
    name: "",
    value: "",
    value_range: "Without a limit, every value counts.",

    "VelocityRange.velocity_range": "From the softest to the hardest strike that counts.",
    "Aftertouch.note": "Without a note, the pressure of any note and of the whole device counts.",
    "Aftertouch.pressure_range": "Without a limit, every pressure counts.",
    "Aftertouch.hysteresis": "How far the pressure must leave the range before it can fire again.",
    "PitchBend.value_range": "0 is fully down, 8192 the centre, 16383 fully up.",
    "Nrpn.parameter": "The number of the parameter, from 0 to 16383.",
    "Nrpn.registered": "The parameter is a registered one (RPN).",
    "Note.velocity_min": "The softest strike that counts.",
    "LongPress.duration_ms": "How long the control must be held.",
    "LongPress.quick_tap_ms":
      "A press that starts this soon after a tap is a tap again, for as long as it is held.",
    "LongPress.hold_on_other_press":
      "Pressing another control while this one is down makes it a hold at once.",
    "LongPress.permissive_hold":
      "Pressing and releasing another control while this one is down makes it a hold at once.",
    "DoubleTap.timeout_ms": "The longest time between the two presses.",
    "NoteChord.timeout_ms": "The longest time between the first and the last strike.",
    "GamepadButtonChord.timeout_ms": "The longest time between the first and the last press.",
    "EncoderTurn.encoding": "How the knob sends a turn. Conductor can detect it.",
    "ProgramChange.program": "Many devices count from 1: their 1 is 0 here.",
    "Sysex.pattern": "Pairs of hexadecimal digits.",
    "OscMessage.value_min": "The lowest number that counts.",
    "OscMessage.value_max": "The highest number that counts.",
    "GamepadAnalogStick.axis": "",
    "GamepadAnalogStick.threshold": "How far the stick must be pushed. 0 fires on every move.",
    "GamepadTrigger.trigger": "",
    "GamepadTrigger.threshold": "How far the trigger must be pulled. 0 fires on every move.",
    "GamepadTrigger.hysteresis": "How far the trigger must come back before it can fire again.",

    "Keystroke.keys": "On a Mac, Cmd is the Command key. Elsewhere it is Ctrl.",
    "Keystroke.hold": "Press and release at once, or keep the keys down while the control is held.",
    "Text.text": "",
    "MouseClick.count": "2 is a double click.",
    "MouseClick.x": "The position on the screen, from the left. Empty: at the pointer.",
    "MouseClick.y": "The position on the screen, from the top.",
    "MouseClick.button": "",
    "MouseMove.relative": "Move by a distance instead of to a position.",
    "MouseMove.x": "From the left, or to the right of the pointer.",
    "MouseMove.y": "From the top, or down from the pointer.",
    "MouseScroll.dx": "Positive is to the right.",
    "MouseScroll.dy": "Positive is up.",
    "Launch.app": "The name or path of an app, a file or a link.",
    "Launch.args": "One text each. They need shell commands to be allowed in Settings.",
    "Shell.argv": "The program and its arguments, one text each.",
    "Shell.timeout_s": "The program is stopped after this time.",
    "VolumeControl.operation": "",
    "VolumeControl.value": "",
    "Plugin.server": "",
    "Plugin.tool": "",
    "Plugin.args": "A number can be taken from the control.",
    "Plugin.timeout_s": "The longest time that a call may take.",
    "Plugin.rate_per_s": "Beyond this, only the newest value of a knob or fader is sent.",
    "SendMidi.message_type": "",
    "SendMidi.channel": "The channel on which the message is sent.",
    "SendMidi.hold":
      "While held: the note ends when the control is released. Otherwise it sounds until another " +
      "message ends it.",
    "SendMidi.controller": "",
    "SendMidi.velocity": "",
    "SendMidi.program": "",
    "SendMidi.pitch": "0 is the centre.",
    "SendMidi.pressure": "",
    "MidiForward.channel": "Any: the channel stays.",
    "MidiForward.transpose": "For notes.",
    "MidiForward.value": "A new velocity, value or pressure, from the control.",
    "OscSend.args": "Numbers, texts, yes or no, or the value of the control.",
    "OscSend.host": "The name or address of the computer.",
    "OscSend.port": "The port on which the app listens.",
    "Led.device": "The device whose light it is.",
    "Led.control": "",
    "Led.color": "The name of a colour, or the number that the device has for it.",
    "Led.set_up": "Send what the device needs first, such as its programmer mode.",
    "ModeChange.behaviour": "",
    "ModeChange.mode": "",
    "Sequence.actions": "",
    "Delay.duration_ms": "",
    "Repeat.action": "",
    "Repeat.count": "Empty: until the control is released.",
    "Repeat.delay_ms": "The pause between two repetitions.",
    "Repeat.until_release": "",
    "Conditional.condition": "Tested when the action starts.",
    "Conditional.then": "",
    "Conditional.else": "",
    "SetVariable.operation": "",

    "And.conditions": "",
    "Or.conditions": "",
    "AppFrontmost.app": "The program, or a part of the title of its window.",
    "ModeIs.mode": "",
    "TimeRange.start": "",
    "TimeRange.end": "",
    "DayOfWeek.days": "",
    "ControlHeld.device": "Only on this device.",
    "ControlHeld.cc": "It counts as held from the middle of its range upwards.",
    "VariableIs.operator": "",

    "FromControl.from": "Its position or force, or the steps of an endless knob.",
    "FromControl.min": "The result at the lowest position.",
    "FromControl.max": "The result at the highest position.",
    "FromControl.invert": "The lowest position gives the highest result.",
    "FromControl.curve": "How the result follows the control. Drag the points, or choose a shape.",
    "FromControl.decimals": "Digits after the decimal point.",
  } as Help,
});
