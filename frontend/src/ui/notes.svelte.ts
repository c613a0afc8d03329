/**
 * The names of notes and keys in the page. In texts of the backend, middle C (60) is C3, and the
 * command key is `Cmd`.
 */
import { language } from "$language/language.svelte";
import { translateSentence } from "$language/sentences";
import { strings } from "./strings";

const PITCHES = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];
const NOTE_PATTERN = /\b(\d{1,3}) \(([A-G]#?-?\d{1,2})\)/g;

/** The keys of an action in a sentence, such as `Keystroke cmd+shift+m`. */
const KEYSTROKE_PATTERN = /\bKeystroke ([a-z0-9]+(?:\+(?:[a-z0-9]+|[^\s\w]))*)(?=[\s,;:.)`]|$)/g;

/** Keys whose names depend on the language: in a combination, or alone. */
const KEY_PATTERN =
  /\b(?:Ctrl|Shift)(?=\+)|(?<=\+)(?:Space|Enter|Backspace)\b|^(?:Space|Enter|Backspace)$/g;

/** What follows the device of a control in a sentence. */
const AFTER_DEVICE = "->|→|\\(|channel|ch|Kanal|senden|while|in|im|under";
/** The built-in controller in a sentence: its name, or its id as the device of a control. */
const VIRTUAL_PATTERN = new RegExp(
  `Virtual controller|(?<=\\b(?:on|an|auf|to) )virtual(?=$|[,;:.)\`]| (?:${AFTER_DEVICE}))`,
  "g",
);

/** Return the name under which the page shows a device: its alias, its port or a fixed one. */
export const deviceLabel = (id: string): string =>
  id === "virtual" ? strings.virtualController : id.replace(/^raw:/, "");

/** Return keys as in the list of mappings, such as `Cmd+Shift+M`. */
function formatKeystroke(phrase: string, keys: string): string {
  const names = keys.match(/[^+]+|\+$/g) ?? [];
  const isKey = (name: string): boolean =>
    name.length === 1 || name === "cmd" || name in strings.keys || /^f\d\d?$/.test(name);
  if (!names.every(isKey)) return phrase;
  return names.map(keyLabel).join("+");
}

const keyLabel = (name: string): string =>
  name !== "cmd" && strings.keys[name]
    ? strings.keys[name]
    : name.charAt(0).toUpperCase() + name.slice(1);

/** The naming of notes and keys that the settings and the platform require. */
class NoteNaming {
  /** The name of middle C in the settings. */
  middle = $state<"C3" | "C4">("C3");
  /** The key that `cmd` presses, as in the settings. */
  cmd = $state("auto");
  /** The platform of the backend. */
  platform = $state("");

  /** Whether `cmd` presses Ctrl. */
  get ctrl(): boolean {
    return (
      this.cmd === "ctrl" ||
      (this.cmd === "auto" && this.platform !== "" && this.platform !== "darwin")
    );
  }
}
export const notes = new NoteNaming();

/**
 * Adapt a text of the backend to the user: its language, the name of the built-in controller, and
 * the names of notes and keys, such as `36 (C1)` and `Cmd+C`, that settings and platform use.
 */
export function withNotes(text: string): string {
  const sentence = translateSentence(text.replace(KEYSTROKE_PATTERN, formatKeystroke));
  const keys = (notes.ctrl ? sentence.replace(/\bCmd\+/g, "Ctrl+") : sentence).replace(
    KEY_PATTERN,
    (key) => strings.keys[key.toLowerCase()]!,
  );
  const named = keys.replace(VIRTUAL_PATTERN, strings.virtualController).replaceAll(" -> ", " → ");
  if (notes.middle === "C3") return named;
  return named.replace(NOTE_PATTERN, (match, number: string, name: string) => {
    const note = Number(number);
    const pitch = PITCHES[note % 12]!;
    const octave = Math.floor(note / 12) - 2;
    return name === `${pitch}${octave}` ? `${number} (${pitch}${octave + 1})` : match;
  });
}

/** Return a text as a sentence, with a capital, names in quotation marks and a stop. */
export function toSentence(text: string): string {
  const parts = withNotes(text).split("`");
  const quoted = parts.map((part, index) => (index % 2 ? strings.quoted(part) : part)).join("");
  return `${quoted.charAt(0).toUpperCase()}${quoted.slice(1)}${/[.!?]$/.test(quoted) ? "" : "."}`;
}

/**
 * Adapt the description of a mapping to the user. In a text that is made in English, as for the
 * history, it stays as the backend told it.
 */
export function withNoteNames<T extends { trigger: string; action: string }>(words: T): T {
  const trigger = withNotes(words.trigger);
  const action = withNotes(words.action);
  return {
    ...words,
    get trigger() {
      return language.isEnglish ? words.trigger : trigger;
    },
    get action() {
      return language.isEnglish ? words.action : action;
    },
  };
}
