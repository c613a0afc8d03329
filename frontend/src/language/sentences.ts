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
  translation: string;
  /** Of the templates that match, the one of the highest rank is used. */
  rank: number;
}

/** The placeholders of numbers. All others stand for any text. */
const NUMBERS = /^(ms|n|low|high|count|s|index)$/;
/** The placeholders of phrases that have a translation of their own. */
const PHRASES = /^(trigger|action|control|event|reason|more|mapping|what)\d?$/;
/** What joins two phrases. The phrases are translated separately, so it is looked for first. */
const JOINTS = /, then | -> |; /;
const RANK_OF_JOINTS = 1_000;
const MAX_CACHED = 2_000;
const MAX_DEPTH = 4;

let templates: Template[] = [];
let cache = new Map<string, string>();
/** The table that the templates and the cache belong to. */
let table: unknown = null;

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

function translate(text: string, depth: number): string {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const translated = depth > MAX_DEPTH ? text : translateAnew(text, depth);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(text, translated);
  return translated;
}

function translateAnew(text: string, depth: number): string {
  const quoted = /^`([^`]*)`$/.exec(text);
  if (quoted) return `\`${translate(quoted[1]!, depth)}\``;
  for (const { pattern, names, translation } of templates) {
    const values = pattern.exec(text);
    if (!values) continue;
    return translation.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[names.indexOf(name) + 1] ?? "";
      return PHRASES.test(name) ? translate(value, depth + 1) : value;
    });
  }
  return text;
}

/**
 * Return the template of a pair, such as "Hold {control} {ms} ms" and "{control} {ms} ms halten".
 */
function toTemplate([english, translation]: readonly [string, string]): Template {
  const names: string[] = [];
  const pattern = english
    .split(/\{(\w+)\}/)
    .map((part, index) => {
      if (index % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      names.push(part);
      return NUMBERS.test(part) ? "([-+\\d.,]+)" : "([^]+?)";
    })
    .join("");
  const literals = english.replace(/\{\w+\}/g, "");
  const rank = literals.length + (JOINTS.test(english) ? RANK_OF_JOINTS : 0);
  return { pattern: new RegExp(`^${pattern}$`), names, translation, rank };
}
