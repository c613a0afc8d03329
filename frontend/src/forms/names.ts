/** Display names of kinds, fields, notes, controllers, buttons and keys. */

/** Labels of fields, by `Kind.field`; or by field, if all kinds have the same label. */
const FIELD_NAMES: Record<string, string> = {
  cc: "Controller",
  "Launch.app": "App, file or link",
  "Keystroke.hold": "Press",
  "Led.color": "Colour",
  "Led.control": "Light of",
  "ControlHeld.button": "Gamepad button",
  "Repeat.count": "Times",
  "MouseClick.count": "Clicks",
  "Plugin.timeout_s": "Time limit",
  "Shell.timeout_s": "Time limit",
  "VolumeControl.operation": "Change",
  "VolumeControl.value": "By or to",
  "SetVariable.operation": "Change",
  "FromControl.min": "From",
  "FromControl.max": "To",
  "FromControl.invert": "Reversed",
  hysteresis: "Release margin",
  registered: "Registered parameter",
  set_up: "Prepare the device first",
  edge: "Direction",
  encoding: "Knob type",
  behaviour: "How",
  message_type: "Message",
  relative: "By a distance",
  until_release: "Until released",
  delay_ms: "Pause",
  require_prior_idle_ms: "Tap at once while playing",
  quick_tap_ms: "Repeat a tap",
  hold_on_other_press: "Hold when another control is pressed",
  permissive_hold: "Hold when another control is tapped",
  fire_when_complete: "Fire with the last press",
  keep_order: "Keep the order of controls",
  "DoubleTap.timeout_ms": "Within",
  "NoteChord.timeout_ms": "Within",
  "GamepadButtonChord.timeout_ms": "Within",
  velocity_min: "Softest",
  min_velocity: "Softest",
  max_velocity: "Hardest",
  value_min: "Lowest",
  value_max: "Highest",
  pressure_min: "Lightest",
  pressure_max: "Hardest",
  velocity_range: "Force",
  value_range: "Value",
  pressure_range: "Pressure",
  args: "Arguments",
  argv: "Command",
  when: "Only when",
  then: "Then",
  else: "Otherwise",
  in_min: "Input from",
  in_max: "Input to",
  dx: "Horizontal",
  dy: "Vertical",
  x: "X",
  y: "Y",
  keys: "Keys",
  from: "Source",
  rate_per_s: "Maximum calls per second",
};
const KIND_NAMES: Record<string, string> = {
  CC: "CC",
  Nrpn: "NRPN or RPN",
  Sysex: "SysEx message",
  OscSend: "Send OSC",
  OscMessage: "OSC message",
  SendMidi: "Send MIDI",
  MidiForward: "Forward MIDI",
  Led: "Light an LED",
  ModeChange: "Change mode",
  VolumeControl: "Volume",
  Plugin: "MCP tool",
  Shell: "Shell command",
  Launch: "Open app, file or link",
  Text: "Type text",
  Note: "Note",
  PassThrough: "Unchanged",
  Curve: "Curved line",
  Linear: "Straight line",
  SetVariable: "Set a variable",
  GamepadAnalogStick: "Gamepad stick",
  ModeIs: "Mode is",
  DayOfWeek: "Day of the week",
  TimeRange: "Time of day",
  AppFrontmost: "App in front",
  And: "All of these",
  Or: "Any of these",
  Not: "Not",
};

/** Return the display name of a kind of trigger, action, condition or curve. */
export function kindName(tag: string): string {
  return KIND_NAMES[tag] ?? toSentenceCase(tag.replace(/([a-z])([A-Z])/g, "$1 $2"));
}

/**
 * Return the label of a field, without the unit at the end of its name.
 * @param kind the kind of the object with the field, such as `Keystroke`.
 */
export function fieldName(name: string, kind = ""): string {
  return (
    FIELD_NAMES[`${kind}.${name}`] ??
    FIELD_NAMES[name] ??
    toSentenceCase(name.replace(/_(ms|s)$/, "").replaceAll("_", " "))
  );
}

/** Units of fields whose names do not end with a unit, by `Kind.field`. */
const UNITS: Record<string, string> = {
  "VolumeControl.value": "%",
  "MidiForward.transpose": "semitones",
  "MouseMove.x": "px",
  "MouseMove.y": "px",
  "MouseClick.x": "px",
  "MouseClick.y": "px",
  "MouseScroll.dx": "notches",
  "MouseScroll.dy": "notches",
  "Plugin.rate_per_s": "per s",
};

/**
 * Return the unit of a field, such as `ms`; undefined if there is none.
 * @param kind the kind of the object with the field, such as `VolumeControl`.
 */
export function unitOf(name: string, kind = ""): string | undefined {
  if (name.endsWith("_ms")) return "ms";
  if (name.endsWith("_s") && !name.endsWith("_per_s")) return "s";
  return UNITS[`${kind}.${name}`];
}

const OPTION_NAMES: Record<string, string> = {
  tap: "And release",
  while_held: "While held",
  any: "Any",
  rising: "Upwards",
  falling: "Downwards",
  positive: "Right or up",
  negative: "Left or down",
  clockwise: "Clockwise",
  counter_clockwise: "Counter-clockwise",
  auto: "Detect",
  twos_complement: "Relative, two’s complement",
  offset_64: "Relative, around 64",
  sign_magnitude: "Relative, sign and amount",
  absolute: "Absolute",
  switch: "Change to",
  momentary: "While held",
  toggle: "There and back",
  next: "Next mode",
  previous: "Previous mode",
  NoteOn: "Note on",
  NoteOff: "Note off",
  ProgramChange: "Program change",
  PitchBend: "Pitch bend",
  Toggle: "Mute or unmute",
  Set: "Set to",
  set: "Set to",
  add: "Add",
  "==": "is",
  "!=": "is not",
  "<": "is less than",
  "<=": "is at most",
  ">": "is more than",
  ">=": "is at least",
  left_x: "Left stick, sideways",
  left_y: "Left stick, up and down",
  right_x: "Right stick, sideways",
  right_y: "Right stick, up and down",
};

/** Return the display name of an option of a field, such as `While held` for `while_held`. */
export function optionName(value: string): string {
  const name = OPTION_NAMES[value];
  if (name) return name;
  if (/^[lr]\d$/.test(value)) return value.toUpperCase();
  if (value.startsWith("dpad_")) return `D-pad ${value.slice(5)}`;
  return /^[A-Z]|^[^a-z]/.test(value) ? value : toSentenceCase(value.replaceAll("_", " "));
}

function toSentenceCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.charAt(0).toUpperCase() + lower.slice(1);
}

const PITCHES = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];
export type NoteNames = "C3" | "C4";

/**
 * Return the name of a note.
 * @param convention the name of middle C (60).
 */
export function noteName(note: number, convention: NoteNames = "C3"): string {
  return `${PITCHES[note % 12]}${Math.floor(note / 12) - (convention === "C3" ? 2 : 1)}`;
}

/** Parse a note number or name, such as `36`, `C1`, `c#3` or `Eb2`; null if it is not a note. */
export function parseNote(text: string, convention: NoteNames = "C3"): number | null {
  const plain = text.trim();
  if (/^\d+$/.test(plain)) return validNote(Number(plain));
  const match = /^([A-Ga-g])([#b]?)\s*(-?\d)$/.exec(plain);
  if (!match) return null;
  const pitch =
    PITCHES.indexOf(match[1]!.toUpperCase()) + (match[2] === "#" ? 1 : match[2] === "b" ? -1 : 0);
  return validNote((Number(match[3]) + (convention === "C3" ? 2 : 1)) * 12 + pitch);
}

function validNote(note: number): number | null {
  return note >= 0 && note <= 127 ? note : null;
}

const CC_NAMES: Record<number, string> = {
  0: "Bank select",
  1: "Modulation wheel",
  2: "Breath",
  4: "Foot pedal",
  5: "Portamento time",
  6: "Data entry",
  7: "Volume",
  8: "Balance",
  10: "Pan",
  11: "Expression",
  12: "Effect 1",
  13: "Effect 2",
  16: "General purpose 1",
  17: "General purpose 2",
  18: "General purpose 3",
  19: "General purpose 4",
  32: "Bank select, fine",
  38: "Data entry, fine",
  64: "Sustain pedal",
  65: "Portamento",
  66: "Sostenuto pedal",
  67: "Soft pedal",
  68: "Legato",
  69: "Hold 2",
  70: "Sound variation",
  71: "Resonance",
  72: "Release time",
  73: "Attack time",
  74: "Brightness",
  75: "Decay time",
  76: "Vibrato rate",
  77: "Vibrato depth",
  78: "Vibrato delay",
  80: "General purpose 5",
  81: "General purpose 6",
  82: "General purpose 7",
  83: "General purpose 8",
  84: "Portamento control",
  91: "Reverb",
  92: "Tremolo",
  93: "Chorus",
  94: "Detune",
  95: "Phaser",
  96: "Data up",
  97: "Data down",
  98: "NRPN, fine",
  99: "NRPN",
  100: "RPN, fine",
  101: "RPN",
  120: "All sound off",
  121: "Reset controllers",
  122: "Local control",
  123: "All notes off",
  124: "Omni off",
  125: "Omni on",
  126: "Mono",
  127: "Poly",
};

/** Return the number and name of a MIDI controller, such as `64 · Sustain pedal`. */
export function ccName(number: number): string {
  const name = CC_NAMES[number];
  return name ? `${number} · ${name}` : String(number);
}

export const BUTTONS: readonly [name: string, hint: string][] = [
  ["south", "A, Cross"],
  ["east", "B, Circle"],
  ["west", "X, Square"],
  ["north", "Y, Triangle"],
  ["dpad_up", ""],
  ["dpad_down", ""],
  ["dpad_left", ""],
  ["dpad_right", ""],
  ["l1", "Left shoulder"],
  ["r1", "Right shoulder"],
  ["l2", "Left trigger"],
  ["r2", "Right trigger"],
  ["l3", "Left stick pressed"],
  ["r3", "Right stick pressed"],
  ["start", "Options, Menu"],
  ["select", "Back, Share, View"],
  ["guide", "Home, PS"],
  ["misc1", ""],
  ["paddle1", ""],
  ["paddle2", ""],
  ["paddle3", ""],
  ["paddle4", ""],
  ["touchpad", ""],
];
export const AXES = ["left_x", "left_y", "right_x", "right_y"];
export const LED_COLORS = [
  "off",
  "on",
  "white",
  "red",
  "orange",
  "amber",
  "yellow",
  "green",
  "cyan",
  "azure",
  "blue",
  "purple",
  "magenta",
  "pink",
];
export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

export const KEYS: readonly string[] = [
  "cmd",
  "ctrl",
  "alt",
  "shift",
  "super",
  "fn",
  ..."abcdefghijklmnopqrstuvwxyz0123456789",
  "space",
  "enter",
  "tab",
  "escape",
  "backspace",
  "delete",
  "insert",
  "home",
  "end",
  "pageup",
  "pagedown",
  "up",
  "down",
  "left",
  "right",
  "capslock",
  "numlock",
  "scrolllock",
  "printscreen",
  "pause",
  "menu",
  "plus",
  "minus",
  "volumeup",
  "volumedown",
  "mute",
  "playpause",
  "play",
  "stop",
  "next",
  "previous",
  "brightnessup",
  "brightnessdown",
  ...Array.from({ length: 10 }, (_, digit) => `num${digit}`),
  "numadd",
  "numsub",
  "nummul",
  "numdiv",
  "numdecimal",
  "numenter",
  ...Array.from({ length: 24 }, (_, index) => `f${index + 1}`),
];
