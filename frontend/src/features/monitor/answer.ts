/** The answer of an explanation: which mapping fired, or which one came nearest and why not. */
import type { Explanation, FailureTopic, WhyNot } from "$lib/client/types";
import type { Outcome } from "$ui";
import { isPaused } from "$lib/state/monitor.svelte";
import type { DecidedTrace } from "./gestures";

export interface Answer {
  outcome: Outcome;
  /** The mapping that fired, or that came nearest; null: none listens to the control. */
  mapping: { scope: string; index: number; mapping: string } | null;
  /** What the mapping did, why it failed, or why it did not fire. Empty if its name says all. */
  text: string;
  /** What would have to be different; null without advice. */
  advice: string | null;
  /** Why the mapping did not fire; null if it fired. */
  why: WhyNot | null;
}

/** Return the failures of all events of a gesture. */
export function failuresOf(
  trace: DecidedTrace,
  { timeline }: Explanation,
  failed: ReadonlyMap<number, FailureTopic>,
): FailureTopic[] {
  const sequences = new Set([trace.sequence, ...timeline.map((moment) => moment.sequence)]);
  return [...sequences].flatMap((sequence) => failed.get(sequence) ?? []);
}

/** Return one answer for each mapping that fired, or one for the mapping that came nearest. */
export function findAnswers(
  trace: DecidedTrace,
  failures: readonly FailureTopic[],
  explanation: Explanation,
): Answer[] {
  // The result of the first press of a double tap is shown by the second one.
  const decided = trace.completedBy?.outcome ?? trace.outcome;
  const outcome = isPaused(trace) ? "paused" : decided;
  const { fired, reasons, verdict } = explanation;
  if (fired.length)
    return fired.map((mapping) => {
      const failure = failures.find((one) => isSame(one, mapping));
      const reason = trace.candidates.find((one) => isSame(one, mapping))?.reason;
      return {
        outcome: failure || mapping.outcome === "failed" ? "failed" : outcome,
        mapping,
        text: failure?.reason ?? (mapping.outcome === "acted" ? (reason ?? "") : mapping.text),
        advice: explanation.what_would_change,
        why: null,
      };
    });
  const nearest = explanation.outcome === "not_fired" ? (reasons[0] ?? null) : null;
  return [
    {
      outcome,
      mapping: nearest,
      text: nearest?.text ?? verdict,
      advice: nearest ? nearest.what_would_change || null : explanation.what_would_change,
      why: nearest,
    },
  ];
}

type Placed = { scope: string; index: number };
const isSame = (one: Placed, other: Placed): boolean =>
  one.scope === other.scope && one.index === other.index;
