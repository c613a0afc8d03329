/** Searches the entries of the command palette. */
import type { PaletteItem } from "$lib/state/ui.svelte";
import { dropLeadingWords } from "./keywords";
import { strings } from "./strings";
import { scoreWithTypos } from "./typos";

const MAX_RESULTS = 60;
/** So that many entries of one group do not hide the others. */
const MAX_RESULTS_PER_GROUP = 10;
/** Words up to this length are not found inside of keywords: “knobs” is no “obs”. */
const MAX_WHOLE_WORD = 3;
/** For each word of a query that is found as a whole. */
const PHRASE_BONUS = 4;
/** A single setting comes after the page or command with the same word. */
const SETTING_FACTOR = 0.1;
const NEW_MAPPING_FACTOR = 0.3;

/**
 * Return what is listed before a word is typed: what was chosen last, where to go, what to do. No
 * mode comes first, as Enter alone would switch to it.
 */
function listAll(items: readonly PaletteItem[], recent: readonly string[]): PaletteItem[] {
  const order = [strings.goTo, strings.switchMode, strings.commands, strings.settings];
  const chosen = recent.flatMap((id) =>
    items.filter((item) => item.id === id && item.group !== strings.switchMode),
  );
  const listed = items.filter((item) => !item.isOnlySearched && !chosen.includes(item));
  return [
    ...chosen.map((item) => ({ ...item, group: strings.recent })),
    ...listed.sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group)),
  ];
}

/** Keep the entries of a group together, at the place of the first. */
function joinGroups(items: readonly PaletteItem[]): PaletteItem[] {
  const order = [...new Set(items.map((item) => item.group))];
  return [...items].sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
}

/**
 * Return the entries that contain all words of a query, best match first, by group. If there are
 * none, one typo in each word is forgiven.
 * @param recent the ids of the entries that were chosen last, which are listed without a query
 */
export function searchPalette(
  items: readonly PaletteItem[],
  query: string,
  recent: readonly string[] = [],
): PaletteItem[] {
  const words = dropLeadingWords(query.toLowerCase().split(/\s+/).filter(Boolean));
  if (!words.length) return listAll(items, recent).slice(0, MAX_RESULTS);
  const exact = rank(items, (item) => score(item, words));
  return exact.length ? exact : rank(items, (item) => scoreWithTypos(item, words));
}

function rank(items: readonly PaletteItem[], scoreOf: (item: PaletteItem) => number) {
  const found = items
    .map((item) => ({ item, score: scoreOf(item) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
  const counts = new Map<string, number>();
  const listed = found.filter(({ group }) => {
    const count = (counts.get(group) ?? 0) + 1;
    counts.set(group, count);
    return count <= MAX_RESULTS_PER_GROUP;
  });
  return joinGroups(listed);
}

function score(item: PaletteItem, words: readonly string[]): number {
  const title = item.title.toLowerCase();
  const rest = `${item.group} ${item.hint ?? ""}`.toLowerCase();
  const keywords = (item.keywords ?? "").toLowerCase();
  let total = 0;
  for (const word of words) {
    if (title.startsWith(word) && contains(title, word)) total += 4;
    else if (contains(title, ` ${word}`)) total += 3;
    else if (contains(title, word)) total += 2;
    else if (contains(rest, word)) total += 1;
    else if (contains(` ${keywords}`, ` ${word}`)) total += 0.5;
    else if (word.length > MAX_WHOLE_WORD && contains(keywords, word)) total += 0.1;
    else return 0;
  }
  const phrase = words.join(" ");
  if (words.length > 1 && [title, keywords].some((text) => contains(text, phrase)))
    total += PHRASE_BONUS * words.length;
  // Existing mappings are listed before offers to create one.
  if (item.group === strings.newMapping) return total * NEW_MAPPING_FACTOR;
  return item.group === strings.settings && item.isOnlySearched ? total * SETTING_FACTOR : total;
}

/** Return whether a text contains a word. A number is a whole one: “C3” contains no 3. */
function contains(text: string, word: string): boolean {
  if (!/\d$/.test(word)) return text.includes(word);
  const start = /^\d/.test(word) ? "(?<![a-z\\d])" : "";
  return new RegExp(`${start}${word.replace(/[^\w ]/g, "\\$&")}(?!\\d)`).test(text);
}
