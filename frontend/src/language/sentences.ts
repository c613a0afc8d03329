/**
 * Translates sentences of the backend. They are English wherever they are read besides the page: in
 * the command line, by models and agents, and in the database. As in gettext, the English sentence
 * with its placeholders is the key of its translation; a sentence without one stays English.
 */
import { language } from "./language.svelte";
import { strings } from "./sentences/strings";

interface Template {
  pattern: RegExp;
  names: string[];
  /** The placeholders in quotation marks, which stand for texts of the user. */
  quoted: ReadonlySet<string>;
  /** The number of characters beside the placeholders. */
  literals: number;
  translation: string;
  /** Of the templates that match, the one of the highest rank is used. */
  rank: number;
}

/** The placeholders of numbers. All others stand for any text. */
const NUMBERS = /^(ms|n|low|high|count|s|index)$/;
/** The placeholders of phrases that have a translation of their own. */
const PHRASES = /^(trigger|action|control|event|reason|more|mapping|what)\d?$/;
/** The placeholders of phrases that the user has not named. */
const SYSTEM_PHRASES = /^(trigger|action|event|reason|more|what)\d?$/;
/** Words that an English sentence without a translation has, and a name seldom. */
const ENGLISH = /\b(the|and|is|was|were|are|this|that|which|not|does|did|its|it)\b/i;
/** A template with fewer characters beside its placeholders fits sentences of any kind. */
const MIN_LITERALS = 10;
/** Where a text ends that is followed by others of its kind, and what joins their translations. */
const SEPARATORS = [
  [/(?<=[.!?]) (?=[A-Z\d])/, " "],
  ["; ", "; "],
  [/(?<= on [^,;]+), /, ", "],
] as const;
/** What joins two phrases. The phrases are translated separately, so it is looked for first. */
const JOINTS = /, then | -> |; /;
/** One or more names in backticks. */
const NAMES = /^`[^`]*`(, `[^`]*`)*$/;
/** A value may contain names in backticks, but does not begin or end within one. */
const VALUE = "((?:`[^`]*`|[^`])+?)";
/** The placeholders of the sides of a mapping, which have no arrow of their own but in quotes. */
const SIDES = /^(control|event|trigger|action)\d?$/;
const SIDE_VALUE = "((?:`[^`]*`|“[^”]*”|(?!->)[^`“→])+?)";
const RANK_OF_JOINTS = 1_000;
/** A sentence about another one, such as “Proposed: {what}.”, comes before the joints of that. */
const FRAMES = [
  /^[A-Z][a-z ]+: \{what\}\.$/,
  /^`\/\{text\}`: \{what\}$/,
  /^\{what\} \(edited\)$/,
  /^(Changed|Copied|Deleted|Duplicated|Mapped|Moved|Switched)( \w+)? \{mapping\}/,
  /^Changed \{trigger\} into \{what\}$/,
  /^\{event\}.* in mode .*:$/,
  /^\{n\} \{event\} of \{control\}/,
];
const MAX_CACHED = 2_000;
/** A plan lists up to six changes, each with an action of several steps. */
const MAX_DEPTH = 12;

let templates: Template[] = [];
let cache = new Map<string, string>();
/** The table that the templates and the cache belong to. */
let table: unknown = null;
/** The names that the user has given, which may read like a sentence of the backend. */
let ownNames: ReadonlySet<string> = new Set();
let mappingNames: ReadonlySet<string> = new Set();

/**
 * Keep names that the user has given, such as “Push to talk” for a pad, as they are.
 * @param mappings the names of mappings, which may be what the backend says elsewhere, too
 */
export function keepOwnNames(names: Iterable<string>, mappings: Iterable<string> = []): void {
  ownNames = new Set(names);
  mappingNames = new Set(mappings);
  cache = new Map();
}

/** Return a sentence of the backend in the current language. */
export function translateSentence(text: string): string {
  if (language.current === "en" || !text) return text;
  if (table !== strings.templates) {
    table = strings.templates;
    templates = strings.templates.map(toTemplate).sort((a, b) => b.rank - a.rank);
    cache = new Map();
  }
  return translate(text, 0);
}

/** Return a text of several lines or list items in the current language. */
export function translateLines(text: string, translate = translateSentence): string {
  return text.replace(/^(- )?(.+)$/gm, (_, bullet: string | undefined, line: string) => {
    return (bullet ?? "") + translate(line);
  });
}

function translate(text: string, depth: number): string {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const translated = depth > MAX_DEPTH ? text : translateAnew(text, depth);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(text, translated);
  return translated;
}

function translateAnew(text: string, depth: number): string {
  if (ownNames.has(text)) return text;
  if (NAMES.test(text))
    return text.replace(/[^`]+(?=`(, `|$))/g, (name) => translate(name, depth + 1));
  for (const [end, joint] of SEPARATORS) {
    const parts = translateEach(text.split(end), depth);
    if (parts !== null) return parts.join(joint);
  }
  for (const { pattern, names, quoted, literals, translation } of templates) {
    const values = pattern.exec(text)?.slice(1);
    if (!values) continue;
    const translated = values.map((value, index) =>
      PHRASES.test(names[index]!) ? translate(value, depth + 1) : value,
    );
    const isMixed = values.some(
      (value, index) =>
        translated[index] === value &&
        !quoted.has(names[index]!) &&
        !mappingNames.has(value) &&
        (literals < MIN_LITERALS || SYSTEM_PHRASES.test(names[index]!)) &&
        ENGLISH.test(value),
    );
    // Half a translation reads worse than none.
    if (isMixed) continue;
    return translation.replace(
      /\{(\w+)\}/g,
      (_, name: string) => translated[names.indexOf(name)] ?? "",
    );
  }
  return translatePhrase(text, depth);
}

/** Translate a sentence with the translation of a phrase, which has no capital and no full stop. */
function translatePhrase(text: string, depth: number): string {
  const [, first, rest, end] = /^([A-Z])([^A-Z].*?)(\.?)$/.exec(text) ?? [];
  if (first === undefined) return text;
  const english = `${first.toLowerCase()}${rest}`;
  const german = translate(english, depth + 1);
  return german === english ? text : `${german.charAt(0).toUpperCase()}${german.slice(1)}${end}`;
}

/** Return the parts of a text, each translated; null if there is one, or one has no translation. */
function translateEach(parts: readonly string[], depth: number): string[] | null {
  if (parts.length < 2) return null;
  const translated = parts.map((part) => translate(part, depth + 1));
  return translated.some((part, index) => part === parts[index]) ? null : translated;
}

/**
 * Return the template of a pair, such as "Hold {control} {ms} ms" and "{control} {ms} ms halten".
 */
function toTemplate([english, translation]: readonly [string, string]): Template {
  const names: string[] = [];
  const pattern = english
    .split(/\{(\w+)\}/)
    .map((part, index, parts) => {
      if (index % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      names.push(part);
      if (NUMBERS.test(part)) return "([-+\\d.,]+)";
      const before = parts[index - 1]!;
      if (/`\/?$/.test(before)) return "([^`]+?)";
      if (SIDES.test(part)) return SIDE_VALUE;
      // Other parentheses, such as those of a note, come before those of a mapping.
      return part.startsWith("mapping") && before.endsWith("(") ? `(?=\`)${VALUE}` : VALUE;
    })
    .join("");
  const quoted = new Set(
    [...english.matchAll(/[“"`]\/?\{(\w+)\}[”"`]/g)].map((match) => match[1]!),
  );
  const literals = english.replace(/\{\w+\}/g, "").length;
  const rank =
    literals +
    (FRAMES.some((frame) => frame.test(english)) ? 2 : JOINTS.test(english) ? 1 : 0) *
      RANK_OF_JOINTS;
  return { pattern: new RegExp(`^${pattern}$`), names, quoted, literals, translation, rank };
}
