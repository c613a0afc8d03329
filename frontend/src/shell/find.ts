/** Searches the entries of the command palette. */
import type { PaletteItem } from "$lib/state/ui.svelte";
import { dropLeadingWords } from "./keywords";
import { strings } from "./strings";
import { scoreWithTypos } from "./typos";

const MAX_RESULTS = 60;
const NEW_MAPPING_FACTOR = 0.3;

/** Whether an entry is one of too many to be listed before a word is typed. */
function isOnlySearched({ group }: PaletteItem): boolean {
  const { mappings, profiles, pendingPlans, newMapping } = strings;
  return [mappings, profiles, pendingPlans, newMapping].includes(group);
}

/**
 * Return what is listed before a word is typed: what was chosen last, where to go, what to do. No
 * mode comes first, as Enter alone would switch to it.
 */
function listAll(items: readonly PaletteItem[], recent: readonly string[]): PaletteItem[] {
  const order = [strings.goTo, strings.switchMode, strings.commands, strings.settings];
  const chosen = recent.flatMap((id) =>
    items.filter((item) => item.id === id && item.group !== strings.switchMode),
  );
  const listed = items.filter((item) => !isOnlySearched(item) && !chosen.includes(item));
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
    .slice(0, MAX_RESULTS)
    .map(({ item }) => item);
  return joinGroups(found);
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
    else if (keywords.includes(word)) total += ` ${keywords}`.includes(` ${word}`) ? 0.5 : 0.1;
    else return 0;
  }
  // Existing mappings are listed before offers to create one.
  return item.group === strings.newMapping ? total * NEW_MAPPING_FACTOR : total;
}

/** Return whether a text contains a word. A number is a whole one: “Pad 3” is not in “note 36”. */
function contains(text: string, word: string): boolean {
  if (!/\d$/.test(word)) return text.includes(word);
  return new RegExp(`${word.replace(/[^\w ]/g, "\\$&")}(?!\\d)`).test(text);
}
