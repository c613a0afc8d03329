/** Filter of the traces in the monitor. */
import type { EventView, FailureTopic, TraceView } from "$lib/client/types";
import { mappingName } from "$lib/scopes";
import { controlKey, isTouch } from "$lib/state/monitor.svelte";
import { strings } from "./strings";

export type TraceOutcome = TraceView["outcome"] | "failed";
export const OUTCOMES: readonly TraceOutcome[] = [
  "fired",
  "waiting",
  "unmatched",
  "failed",
  "mode",
  "released",
  "info",
];
/** The outcomes that are hidden by default. */
export const HIDDEN_OUTCOMES: ReadonlySet<TraceOutcome> = new Set(["released", "info"]);

export interface Filter {
  device: string;
  outcomes: ReadonlySet<TraceOutcome>;
  text: string;
  /** The `controlKey` of the control to show; null: all controls. */
  control: string | null;
}
type Failures = ReadonlyMap<number, FailureTopic>;

export function outcomeOf(trace: TraceView, failed: Failures): TraceOutcome {
  return failed.has(trace.sequence) ? "failed" : trace.outcome;
}

/** Return the traces that pass the filter, or the same array when all traces pass. */
export function filterTraces(
  traces: readonly TraceView[],
  filter: Filter,
  failed: Failures,
): readonly TraceView[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const all = filter.outcomes.size === OUTCOMES.length;
  if (all && !words.length && !filter.device && !filter.control) return traces;
  return traces.filter(
    (trace) =>
      (all || isShown(trace, outcomeOf(trace, failed), filter.outcomes)) &&
      (!filter.device || trace.event.device === filter.device) &&
      (!filter.control || controlKey(trace.event) === filter.control) &&
      (!words.length || containsWords(trace, words)),
  );
}

function isShown(
  trace: TraceView,
  outcome: TraceOutcome,
  shown: ReadonlySet<TraceOutcome>,
): boolean {
  if (shown.has(outcome)) return true;
  // A release can explain why a mapping did not fire, such as a hold that was too short.
  const hasReason = outcome === "released" && trace.candidates.length > 0;
  return hasReason && shown.has("unmatched");
}

const searchTexts = new WeakMap<TraceView, string>();

function containsWords(trace: TraceView, words: readonly string[]): boolean {
  let searchText = searchTexts.get(trace);
  if (searchText === undefined) {
    searchText = [
      trace.text,
      trace.event.device,
      trace.mode,
      trace.profile,
      trace.note,
      ...trace.candidates.flatMap((one) => [one.mapping, one.action.type, one.reason]),
    ]
      .join(" ")
      .toLowerCase();
    searchTexts.set(trace, searchText);
  }
  return words.every((word) => searchText.includes(word));
}

/** Describe the result of a trace in one line. */
export function describeResult(
  trace: TraceView,
  failure: FailureTopic | undefined,
  wordsOf: (scope: string, index: number) => string | undefined,
): string {
  // For a tool of an MCP server, the text of the effect includes the values that were sent. The
  // text of the mapping does not.
  const called = new Map(
    trace.effects
      .filter((effect) => effect.action.type === "Plugin")
      .map((effect) => [effect.mapping, effect.words]),
  );
  if (failure) return [called.get(failure.mapping), failure.reason].filter(Boolean).join(": ");
  const mode = trace.effects.find((effect) => effect.kind === "mode");
  if (mode) return strings.modeResult("mode" in mode.action ? mode.action.mode : null);
  const fired = trace.candidates.filter((one) => one.outcome === "fired");
  if (fired.length)
    return fired
      .map(
        (one) =>
          called.get(one.mapping) ?? wordsOf(one.scope, one.index) ?? mappingName(one.mapping),
      )
      .join(", ");
  const waiting = trace.candidates.find((one) => one.outcome === "waiting");
  if (waiting) return waiting.reason;
  if (trace.note) return trace.note;
  if (trace.effects.length)
    return trace.effects
      .map(
        (effect) => `${mappingName(effect.mapping)}: ${called.get(effect.mapping) ?? effect.kind}`,
      )
      .join(", ");
  return (
    trace.candidates[0]?.reason ??
    (trace.outcome === "unmatched" && isTouch(trace.event) ? strings.nothingMapped : "")
  );
}

/** Return the name of a control, with its device, for the filter button. */
export function controlName(event: EventView, name: string): string {
  return event.device ? strings.onDevice(name, event.device.replace(/^raw:/, "")) : name;
}
