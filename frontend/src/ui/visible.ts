/** Makes characters visible that nobody sees, or that change the order in which others are read. */
import { HIDDEN as RANGES } from "./hidden";
import { strings } from "./strings";

export interface Piece {
  text: string;
  /** It stands for characters that cannot be seen. */
  hidden: boolean;
}

const CLASS = RANGES.map(
  ([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`,
).join("");
const HIDDEN = new RegExp(`[${CLASS}]+`, "gu");
const MOST_NAMES = 24;

/**
 * Gives text in pieces; each run of hidden characters becomes one of their names, such as `U+202E`.
 */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  for (const { 0: run, index } of text.matchAll(HIDDEN)) {
    if (index > at) found.push({ text: text.slice(at, index), hidden: false });
    found.push({ text: names(run), hidden: true });
    at = index + run.length;
  }
  if (at < text.length) found.push({ text: text.slice(at), hidden: false });
  return found;
}

export function hasHidden(text: string): boolean {
  return text.search(HIDDEN) >= 0;
}

function names(run: string): string {
  const all = [...run];
  const named = all
    .slice(0, MOST_NAMES)
    .map((one) => `U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`);
  return all.length > MOST_NAMES
    ? strings.andMore(named.join(" "), all.length - MOST_NAMES)
    : named.join(" ");
}
