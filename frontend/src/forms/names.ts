/** Display names of kinds, fields, notes, controllers, buttons and keys. */
import { formatDate } from "$language/format";
import { localized } from "$language/language.svelte";
import { strings } from "./vocabulary/strings";

/** Return the display name of a kind of trigger, action, condition or curve. */
export function kindName(tag: string): string {
  return strings.kinds[tag] ?? toSentenceCase(tag.replace(/([a-z])([A-Z])/g, "$1 $2"));
}

/** Other words for kinds of action, in both languages, as many know the word of one of them. */
const KIND_KEYWORDS: Readonly<Record<string, string>> = {
  Conditional: "if when condition wenn bedingung",
  Delay: "pause wait sleep warten verzögerung",
  Keystroke: "key keys hotkey shortcut keyboard media taste tasten tastenkürzel",
  Launch: "start run program application url website programm starten datei",
  Led: "lamp light lampe licht",
  MidiForward: "thru through pass weiterleiten",
  ModeChange: "layer bank scene switch modus wechseln ebene",
  MouseScroll: "wheel mausrad",
  OscSend: "osc open sound control",
  Plugin: "mcp server obs scene szene tool werkzeug",
  PushToTalk: "talk speak voice microphone sprechen reden mikrofon",
  Repeat: "loop times mehrmals schleife",
  SendMidi: "note cc program midi",
  Sequence: "several steps macro then mehrere schritte makro",
  SetVariable: "remember counter merken zähler",
  Shell: "terminal script command skript befehl",
  Text: "write paste snippet schreiben einfügen textbaustein",
  VolumeControl: "mute unmute louder quieter audio sound lautstärke stumm lauter leiser ton",
};

/** Return other words for a kind, by which it is found. */
export function kindKeywords(tag: string): string {
  return KIND_KEYWORDS[tag] ?? "";
}

/**
 * Return the label of a field, without the unit at the end of its name.
 * @param kind the kind of the object with the field, such as `Keystroke`.
 * @param operation what the object does with the field, such as `Set`, if it has several.
 */
export function fieldName(name: string, kind = "", operation?: unknown): string {
  return (
    strings.fields[`${kind}.${String(operation)}.${name}`] ??
    strings.fields[`${kind}.${name}`] ??
    strings.fields[name] ??
    toSentenceCase(name.replace(/_(ms|s)$/, "").replaceAll("_", " "))
  );
}

/** Return what an optional field means while it is not set; undefined if there are no words. */
export function unsetName(name: string, kind: string, operation: unknown): string | undefined {
  return strings.unset[`${kind}.${String(operation)}.${name}`];
}

/**
 * Return the unit of a field, such as `ms`; undefined if there is none.
 * @param kind the kind of the object with the field, such as `VolumeControl`.
 */
export function unitOf(name: string, kind = ""): string | undefined {
  if (name.endsWith("_ms")) return "ms";
  if (name.endsWith("_s") && !name.endsWith("_per_s")) return "s";
  return strings.units[`${kind}.${name}`];
}

/** Return the display name of an option of a field, such as `While held` for `while_held`. */
export function optionName(value: string): string {
  const name = strings.options[value];
  if (name) return name;
  if (/^[lr]\d$/.test(value)) return value.toUpperCase();
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

/** Return the number and name of a MIDI controller, such as `64 · Sustain pedal`. */
export function ccName(number: number): string {
  const name = strings.controllers[number];
  return name ? `${number} · ${name}` : String(number);
}

const BUTTON_NAMES = [
  "south",
  "east",
  "west",
  "north",
  "dpad_up",
  "dpad_down",
  "dpad_left",
  "dpad_right",
  "l1",
  "r1",
  "l2",
  "r2",
  "l3",
  "r3",
  "start",
  "select",
  "guide",
  "misc1",
  "paddle1",
  "paddle2",
  "paddle3",
  "paddle4",
  "touchpad",
];
/** The buttons of gamepads, each with its names on common gamepads. */
export const BUTTONS: readonly [name: string, hint: string][] = localized(() =>
  BUTTON_NAMES.map((name) => [name, strings.buttonHints[name] ?? ""]),
);
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
/** Return the names of the days of the week, from Monday to Sunday. */
export function weekdayNames(): string[] {
  return Array.from({ length: 7 }, (_, day) =>
    // 1 January 2024 was a Monday.
    formatDate(Date.UTC(2024, 0, 1 + day), { weekday: "long", timeZone: "UTC" }),
  );
}

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
