/** Formatting of event times and of the gaps between events. */
import { formatFixed } from "$language/format";
import { strings } from "./strings";

/** Format Unix time in seconds as a local time of day with milliseconds. */
export function formatClock(seconds: number): string {
  const at = new Date(seconds * 1000);
  if (Number.isNaN(at.getTime())) return "";
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(padTwo).join(":");
  return `${time}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}

/** Format the right edge of the timeline: now, or the time of day at which the list was frozen. */
export function formatEdge(frozenAt: number | null): string {
  return frozenAt === null ? strings.now : formatClock(frozenAt).slice(0, 8);
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
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h`;
}

const padTwo = (number: number): string => String(number).padStart(2, "0");

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
