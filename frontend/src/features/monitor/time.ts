/** Formatting of event times and of the gaps between events. */
import { currentLocale, formatFixed, formatTimeOfDay } from "$language/format";
import { strings } from "./strings";

/** The format of `formatClock` and its locale. Making one for each row would take too long. */
let clock: { locale: string; format: Intl.DateTimeFormat } | null = null;

/** Format Unix time in seconds as a local time of day with milliseconds. Empty if it is unknown. */
export function formatClock(seconds: number): string {
  if (!Number.isFinite(seconds)) return "";
  const locale = currentLocale();
  if (clock?.locale !== locale) {
    const digits = { minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 } as const;
    clock = { locale, format: new Intl.DateTimeFormat(locale, { hour: "numeric", ...digits }) };
  }
  return clock.format.format(seconds * 1000);
}

/**
 * Format the right edge of the timeline: now, the time of day at which the list was frozen, or that
 * the timeline rests until the next input.
 * @param stoppedAt the Unix time in seconds at which the timeline ends; null: it moves
 */
export function formatEdge(stoppedAt: number | null, isFrozen: boolean): string {
  if (stoppedAt === null) return strings.now;
  if (!isFrozen) return strings.waitingForInput;
  return Number.isFinite(stoppedAt)
    ? formatTimeOfDay(stoppedAt * 1000, { timeStyle: "medium" })
    : "";
}

/** Format the time since the previous event in ms, s, min or h. */
export const formatGap = (seconds: number): string =>
  seconds < 0 ? "" : `+${formatDuration(seconds)}`;

/** Format a time in ms, s, min or h. */
export function formatDuration(seconds: number): string {
  const ms = seconds * 1000;
  if (ms < 10) return `${formatFixed(ms, 1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (seconds < 60) return `${formatFixed(seconds, 1)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.round(seconds / 3600)} h`;
}

/** A number with a unit, or one that a word of the engine announces as measured or required. */
const WITH_UNIT = String.raw`(?<![\w.])-?\d+(?:[.,]\d+)?\s?(?:ms|s|%)(?!\w)`;
const ANNOUNCER = String.raw`(?<=\b(?:velocity|needs|entered|crossed|after|fires:) )`;
const MEASURED = new RegExp(`(${WITH_UNIT}|${ANNOUNCER}-?\\d+(?:[.,]\\d+)?)`);

/**
 * Split a sentence into the values that were measured or are required, and the text between them.
 * Other numbers belong to names, such as “Pad 2” and “C#1”.
 */
export function splitAtNumbers(text: string): { text: string; number: boolean }[] {
  return text
    .split(MEASURED)
    .map((part, index) => ({ text: part, number: index % 2 === 1 }))
    .filter((part) => part.text !== "");
}
