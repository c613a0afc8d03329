/**
 * Rules of the forms that the schemas cannot express: which fields exclude each other, and which
 * have no effect.
 */
import { applyCurve, type CurveValue } from "./curve";
import { splitNullable, type Defs, type PlainObject, type Schema } from "./schema";
import { strings } from "./vocabulary/strings";

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
  NoteOn: ["note", "velocity", "hold"],
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
  if (value["from"] === "steps") return !["min", "max", "curve"].includes(name);
  return true;
}

/** Two fields that are the ends of a range. `name` stands for both. */
export interface Range {
  name: string;
  low: string;
  high: string;
}

const RANGES: readonly Range[] = [
  { name: "velocity_range", low: "min_velocity", high: "max_velocity" },
  { name: "value_range", low: "value_min", high: "value_max" },
  { name: "pressure_range", low: "pressure_min", high: "pressure_max" },
];

/** Return the range that a field is an end of, if an object has both ends and limits for them. */
export function rangeOf(object: Schema, name: string, defs: Defs): Range | null {
  const range = RANGES.find(({ low, high }) => low === name || high === name);
  if (!range) return null;
  const ends = [range.low, range.high].map((end) => object.properties?.[end]);
  return ends.every((end) => end && hasLimits(splitNullable(end, defs).schema)) ? range : null;
}

const hasLimits = ({ minimum, maximum }: Schema): boolean =>
  minimum !== undefined && maximum !== undefined;

/** Numbers that are identifiers or coordinates, which nobody wants to set with a slider. */
const NOT_ON_A_SLIDER = new Set([
  "program",
  "parameter",
  "port",
  "x",
  "y",
  "controller",
  "decimals",
  "count",
]);

/** A range that is too wide for a slider: one pixel would move the number by thousands. */
const WIDEST_SLIDER = 1e6;

/**
 * Return the schema of a value from the control whose ends have the limits and the unit of the
 * number in its place, such as 0 to 100 %.
 */
export function limitEnds(fromControl: Schema, number: Schema, unit?: string): Schema {
  const { minimum, maximum } = number;
  const { min, max } = fromControl.properties ?? {};
  if (!min || !max || minimum === undefined || maximum === undefined) return fromControl;
  const end = (field: Schema, usual: number): Schema => ({
    ...field,
    anyOf: [{ type: number.type ?? "number", minimum, maximum }, { type: "null" }],
    examples: [usual],
    ...(unit === undefined ? {} : { unit }),
  });
  return {
    ...fromControl,
    properties: { ...fromControl.properties, min: end(min, minimum), max: end(max, maximum) },
  };
}

/**
 * Return the results of a value from the control at its lowest, middle and highest position; null
 * if an end is not known.
 * @param fromControl its schema, with the usual ends
 */
export function resultsOf(value: PlainObject, fromControl: Schema): number[] | null {
  const [low, high] = (["min", "max"] as const).map(
    (name) => value[name] ?? fromControl.properties?.[name]?.examples?.[0],
  );
  if (value["from"] !== "value" || typeof low !== "number" || typeof high !== "number") return null;
  const curve = (value["curve"] ?? { type: "PassThrough" }) as CurveValue;
  const isWhole = Math.abs(high - low) >= 2;
  return [0, 63.5, 127].map((position) => {
    const input = value["invert"] === true ? 127 - position : position;
    const result = low + (applyCurve(curve, input) / 127) * (high - low);
    return isWhole ? Math.round(result) : Number(result.toFixed(2));
  });
}

/** The scale of a slider: its limits, and whether it has more room for small values. */
export interface Scale {
  min: number;
  max: number;
  step: number;
  /** Whether small values get more room, as for times from milliseconds to minutes. */
  curved: boolean;
}

/** Return the scale of the slider of a number; null if the number has no slider. */
export function sliderScale(name: string, schema: Schema): Scale | null {
  const { minimum, exclusiveMinimum, maximum } = schema;
  const min = minimum ?? exclusiveMinimum;
  if (min === undefined || maximum === undefined || NOT_ON_A_SLIDER.has(name)) return null;
  if (maximum - min > WIDEST_SLIDER) return null;
  const isTime = /_m?s$/.test(name) && !name.endsWith("_per_s");
  const step = schema.type === "integer" ? 1 : maximum - min <= 2 ? 0.01 : 0.1;
  return { min, max: maximum, step, curved: isTime || name.endsWith("_per_s") };
}

/** The number of positions of a slider with a curved scale. */
export const SLIDER_POSITIONS = 400;

/** Return the position of a value on a curved scale. */
export function positionOf(value: number, { min, max }: Scale): number {
  const part = Math.min(1, Math.max(0, (value - min) / (max - min)));
  return Math.round(Math.cbrt(part) * SLIDER_POSITIONS);
}

/**
 * Return the value at a position of a curved scale, rounded to two significant digits. A move by
 * one position always changes the value.
 * @param from the value before the move.
 */
export function valueAt(position: number, scale: Scale, from: number): number {
  const { min, max, step } = scale;
  if (position <= 0) return step < 1 ? Math.max(min, step) : min;
  if (position >= SLIDER_POSITIONS) return max;
  const exact = min + (max - min) * (position / SLIDER_POSITIONS) ** 3;
  const unit = Math.max(step, 10 ** (Math.floor(Math.log10(Math.max(exact, step))) - 1));
  const rounded = round(Math.max(min, Math.round(exact / unit) * unit), step);
  const direction = Math.sign(position - positionOf(from, scale));
  return direction !== 0 && Math.sign(rounded - from) !== direction
    ? round(Math.min(max, Math.max(min, from + direction * unit)), step)
    : rounded;
}

const round = (value: number, step: number): number =>
  step >= 1 ? Math.round(value) : Number(value.toFixed(2));

const GROUP_KEYS: Record<string, keyof typeof strings.groups> = {
  Keystroke: "keyboardAndMouse",
  Text: "keyboardAndMouse",
  MouseClick: "keyboardAndMouse",
  MouseMove: "keyboardAndMouse",
  MouseScroll: "keyboardAndMouse",
  Launch: "appsAndSystem",
  Shell: "appsAndSystem",
  VolumeControl: "appsAndSystem",
  Plugin: "appsAndSystem",
  PushToTalk: "appsAndSystem",
  SendMidi: "midiOscAndLights",
  MidiForward: "midiOscAndLights",
  OscSend: "midiOscAndLights",
  Led: "midiOscAndLights",
  ModeChange: "modesAndFlow",
  Sequence: "modesAndFlow",
  Delay: "modesAndFlow",
  Repeat: "modesAndFlow",
  Conditional: "modesAndFlow",
  SetVariable: "modesAndFlow",
  Note: "padsAndKeys",
  VelocityRange: "padsAndKeys",
  LongPress: "padsAndKeys",
  DoubleTap: "padsAndKeys",
  NoteChord: "padsAndKeys",
  NoteRelease: "padsAndKeys",
  Aftertouch: "padsAndKeys",
  CC: "knobsFadersAndWheels",
  EncoderTurn: "knobsFadersAndWheels",
  PitchBend: "knobsFadersAndWheels",
  Nrpn: "knobsFadersAndWheels",
  ProgramChange: "messages",
  Sysex: "messages",
  OscMessage: "messages",
  GamepadButton: "gamepad",
  GamepadButtonChord: "gamepad",
  GamepadAnalogStick: "gamepad",
  GamepadTrigger: "gamepad",
};

/** Return the group of a kind in the kind picker. Kinds without a group come last. */
export function groupOf(kind: string): string | undefined {
  const key = GROUP_KEYS[kind];
  return key && strings.groups[key];
}
