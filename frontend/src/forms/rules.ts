/**
 * Rules of the forms that the schemas cannot express: which fields exclude each other, and which
 * have no effect.
 */
import type { PlainObject } from "./schema";

/** Optional fields, exactly one of which is set. */
const EXCLUSIVE_FIELDS = ["note", "cc", "button"];

/** Return the fields of an object that exclude each other; empty if there is only one. */
export function exclusiveFields(
  names: readonly string[],
  isOptional: (name: string) => boolean,
): string[] {
  const found = EXCLUSIVE_FIELDS.filter((name) => names.includes(name) && isOptional(name));
  return found.length > 1 ? found : [];
}

const MIDI_FIELDS: Record<string, string[]> = {
  NoteOn: ["note", "velocity"],
  NoteOff: ["note", "velocity"],
  CC: ["controller", "value"],
  ProgramChange: ["program"],
  PitchBend: ["pitch"],
  Aftertouch: ["pressure"],
};
const ALL_MIDI_FIELDS = new Set(Object.values(MIDI_FIELDS).flat());

/**
 * Return whether a field has an effect, given the values of the other fields. A field without
 * effect is hidden, but its value is kept.
 */
export function isFieldUsed(value: PlainObject, name: string): boolean {
  if (value["type"] === "SendMidi" && ALL_MIDI_FIELDS.has(name))
    return MIDI_FIELDS[String(value["message_type"])]?.includes(name) ?? true;
  if (value["type"] === "ModeChange" && name === "mode")
    return !["next", "previous"].includes(String(value["behaviour"]));
  if (value["type"] === "VolumeControl" && name === "value")
    return !["Mute", "Unmute", "Toggle"].includes(String(value["operation"]));
  return true;
}

/** The group of each kind in the kind picker. Kinds that are not listed come last. */
export const GROUPS: Record<string, string> = {
  Keystroke: "Keyboard and mouse",
  Text: "Keyboard and mouse",
  MouseClick: "Keyboard and mouse",
  MouseMove: "Keyboard and mouse",
  MouseScroll: "Keyboard and mouse",
  Launch: "Apps and system",
  Shell: "Apps and system",
  VolumeControl: "Apps and system",
  Plugin: "Apps and system",
  SendMidi: "MIDI, OSC and lights",
  MidiForward: "MIDI, OSC and lights",
  OscSend: "MIDI, OSC and lights",
  Led: "MIDI, OSC and lights",
  ModeChange: "Modes and flow",
  Sequence: "Modes and flow",
  Delay: "Modes and flow",
  Repeat: "Modes and flow",
  Conditional: "Modes and flow",
  SetVariable: "Modes and flow",
  Note: "Pads and keys",
  VelocityRange: "Pads and keys",
  LongPress: "Pads and keys",
  DoubleTap: "Pads and keys",
  NoteChord: "Pads and keys",
  NoteRelease: "Pads and keys",
  Aftertouch: "Pads and keys",
  CC: "Knobs, faders and wheels",
  EncoderTurn: "Knobs, faders and wheels",
  PitchBend: "Knobs, faders and wheels",
  Nrpn: "Knobs, faders and wheels",
  ProgramChange: "Messages",
  Sysex: "Messages",
  OscMessage: "Messages",
  GamepadButton: "Gamepad",
  GamepadButtonChord: "Gamepad",
  GamepadAnalogStick: "Gamepad",
  GamepadTrigger: "Gamepad",
};
