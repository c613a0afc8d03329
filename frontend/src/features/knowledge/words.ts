/** What the index says of itself while it is made, and questions to begin with. Pure. */
import type { KnowledgeTopic } from "$lib/client/types";

export const QUESTIONS: readonly string[] = [
  "Which CC is the sustain pedal?",
  "NRPN for filter cutoff",
  "How does an endless encoder count?",
  "Light the pads of a Launchpad",
  "OSC address to start playback",
  "Keystrokes do nothing on Wayland",
];

const STEPS: Record<string, string> = {
  read: "Reading the sources",
  embed: "Comparing meanings",
  calibrate: "Calibrating",
  write: "Writing the index",
};

export function progressWords({ step, done, of }: KnowledgeTopic): string {
  const words = STEPS[step] ?? "Updating the index";
  return of > 1 ? `${words}: ${done} of ${of}` : words;
}

/** Gives how far it is, 0 to 1; undefined: not known. */
export function progressShare({ done, of }: KnowledgeTopic): number | undefined {
  return of > 1 ? done / of : undefined;
}

/** Gives when something was made, in the way of this computer. */
export function dateWords(at: string): string {
  const time = Date.parse(at);
  return Number.isNaN(time)
    ? ""
    : new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
