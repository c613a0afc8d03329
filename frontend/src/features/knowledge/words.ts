/** Texts of the progress of indexing, and example questions. */
import { formatDateTime } from "$language/format";
import { localized } from "$language/language.svelte";
import type { KnowledgeTopic } from "$lib/client/types";
import { strings } from "./strings";

export const QUESTIONS: readonly string[] = localized(() => [
  strings.whichCcSustainPedal,
  strings.nrpnForFilterCutoff,
  strings.howEncoderCounts,
  strings.lightLaunchpadPads,
  strings.oscPlayAddress,
  strings.keystrokesOnWayland,
]);

const STEPS: Record<string, string> = localized(() => ({
  read: strings.readingTheSources,
  embed: strings.comparingMeanings,
  calibrate: strings.calibrating,
  write: strings.writingTheIndex,
}));

export function describeProgress({ step, done, of }: KnowledgeTopic): string {
  const words = STEPS[step] ?? strings.updatingTheIndex;
  return of > 1 ? strings.progress(words, done, of) : words;
}

/** Return the progress of indexing from 0 to 1; undefined when the progress is unknown. */
export function progressShare({ done, of }: KnowledgeTopic): number | undefined {
  return of > 1 ? done / of : undefined;
}

/** Format a date and time in the locale of the browser. */
export function formatDate(at: string): string {
  const time = Date.parse(at);
  return Number.isNaN(time)
    ? ""
    : formatDateTime(time, { dateStyle: "medium", timeStyle: "short" });
}
