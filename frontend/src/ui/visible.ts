/** Makes characters visible that are invisible or change the direction of text. */
import { HIDDEN as HIDDEN_RANGES } from "./hidden";
import { strings } from "./strings";

export interface Piece {
  text: string;
  /** Whether the piece replaces invisible characters. */
  hidden: boolean;
}

const CHARACTER_CLASS = HIDDEN_RANGES.map(
  ([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`,
).join("");
const HIDDEN_PATTERN = new RegExp(`[${CHARACTER_CLASS}]+`, "gu");
const MAX_NAMES = 24;

/**
 * Split a text at invisible characters. Each run of them becomes a piece with their codes, such as
 * `U+202E`.
 */
export function splitAtHidden(text: string): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  for (const { 0: run, index } of text.matchAll(HIDDEN_PATTERN)) {
    if (index > at) found.push({ text: text.slice(at, index), hidden: false });
    found.push({ text: codePointNames(run), hidden: true });
    at = index + run.length;
  }
  if (at < text.length) found.push({ text: text.slice(at), hidden: false });
  return found;
}

/** Return whether a text contains invisible characters. */
export function hasHidden(text: string): boolean {
  return text.search(HIDDEN_PATTERN) >= 0;
}

function codePointNames(run: string): string {
  const all = [...run];
  const named = all
    .slice(0, MAX_NAMES)
    .map((one) => `U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`);
  return all.length > MAX_NAMES
    ? strings.andMore(named.join(" "), all.length - MAX_NAMES)
    : named.join(" ");
}
