/** Filter of the traces in the monitor. */
import { formatList } from "$language/format";
import type { EventView, FailureTopic, TraceView } from "$lib/client/types";
import { mappingName, modeScope, PERFORMED_ONCE, profileScope, scopeName } from "$lib/scopes";
import type { PlacedRow } from "$lib/state/config.svelte";
import { controlClass, controlKey, isTouch } from "$lib/state/monitor.svelte";
import { deviceLabel, withNotes } from "$ui";
import type { NoteNames } from "$forms/names";
import { decode } from "./decode";
import type { DecidedTrace } from "./gestures";
import { formatDuration } from "./time";
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
/** How many modes and profiles are named at most. */
const MAX_PLACES = 3;

type Failures = ReadonlyMap<number, FailureTopic>;

export function outcomeOf(trace: DecidedTrace, failed: Failures): TraceOutcome {
  return failureOf(trace, failed) ? "failed" : trace.outcome;
}

/**
 * Return the failure of a trace, or of the trace that decided it. The failure of a gesture is shown
 * once.
 */
export function failureOf(trace: DecidedTrace, failed: Failures): FailureTopic | undefined {
  if (trace.isShownElsewhere) return undefined;
  return failed.get(trace.sequence) ?? failed.get(trace.decidedBy ?? -1);
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
  trace: DecidedTrace,
  outcome: TraceOutcome,
  shown: ReadonlySet<TraceOutcome>,
): boolean {
  if (shown.has(outcome)) return true;
  // A release can explain why a mapping did not fire, such as a hold that was too short.
  const hasReason =
    outcome === "released" && trace.candidates.length > 0 && !trace.isShownElsewhere;
  return hasReason && shown.has("unmatched");
}

const searchTexts = new WeakMap<TraceView, string>();

function containsWords(trace: TraceView, words: readonly string[]): boolean {
  let searchText = searchTexts.get(trace);
  if (searchText === undefined) {
    searchText = [
      trace.text,
      trace.event.device,
      trace.event.printed ?? "",
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

/**
 * Describe the result of a trace in one line.
 * @param rows the mappings of the config that was running when the event came
 */
export function describeResult(
  trace: DecidedTrace,
  failure: FailureTopic | undefined,
  rows: readonly PlacedRow[] = [],
): string {
  if (trace.completedBy)
    return strings.firstPress(describeResult(trace.completedBy, failure, rows));
  // For a tool of an MCP server, the text of the effect includes the values that were sent. The
  // text of the mapping does not.
  const called = new Map(
    trace.effects
      .filter((effect) => effect.action.type === "Plugin")
      .map((effect) => [effect.mapping, effect.words]),
  );
  if (failure) {
    const row = findRow(rows, failure);
    const name = row ? row.mapping.description || row.words.action : mappingName(failure.mapping);
    return strings.failedResult(
      withNotes(called.get(failure.mapping) ?? name),
      withNotes(failure.reason).replaceAll("`", ""),
    );
  }
  const mode = trace.effects.find((effect) => effect.kind === "mode");
  if (mode)
    return strings.modeResult(trace.new_mode ?? ("mode" in mode.action ? mode.action.mode : null));
  const fired = trace.candidates.filter((one) => one.outcome === "fired");
  if (fired.length) {
    const names = fired
      .map((one) => called.get(one.mapping) ?? describeRow(rows, one) ?? mappingName(one.mapping))
      .join(", ");
    return trace.waited ? strings.afterWait(names, formatDuration(trace.waited)) : names;
  }
  const waiting = trace.candidates.find((one) => one.outcome === "waiting");
  if (waiting) return waiting.reason;
  if (trace.note) return trace.note;
  if (trace.effects.length) {
    const names = trace.effects.map(({ kind, mapping }) => {
      const name = called.get(mapping) ?? mappingName(mapping);
      return kind === "release" ? strings.ended(name) : name;
    });
    return [...new Set(names)].join(", ");
  }
  return (
    trace.candidates[0]?.reason ??
    (trace.outcome === "unmatched" && isTouch(trace.event) ? explainUnmapped(trace, rows) : "")
  );
}

type Place = Pick<PlacedRow, "scope" | "index">;
const findRow = (rows: readonly PlacedRow[], { scope, index }: Place): PlacedRow | undefined =>
  rows.find((one) => one.scope === scope && one.index === index);

function describeRow(rows: readonly PlacedRow[], place: Place): string | undefined {
  const row = findRow(rows, place);
  return row && [row.mapping.description, row.words.action].filter(Boolean).join(" · ");
}

/** Explain why no mapping of a control was tried: it is off, or for another device or mode. */
function explainUnmapped({ event, mode, profile }: TraceView, rows: readonly PlacedRow[]): string {
  const active = new Set([modeScope(mode), "global", ...(profile ? [profileScope(profile)] : [])]);
  const found = rows.flatMap((row) => {
    const refs = row.words.controls.filter(
      (ref) =>
        ref.control_class === controlClass(event) &&
        (ref.number === "*" || String(ref.number) === String(event.number)),
    );
    return refs.map((ref) => ({ row, ref, isHere: active.has(row.scope) }));
  });
  const isDevice = ({ ref }: (typeof found)[number]): boolean =>
    ref.device === null || ref.device === event.device;
  const isChannel = ({ ref }: (typeof found)[number]): boolean =>
    ref.channel === null || ref.channel === event.channel;
  const here = found.filter((one) => one.isHere);
  const off = here.find((one) => isDevice(one) && isChannel(one) && !one.row.mapping.enabled);
  if (off) return strings.switchedOff(off.row.mapping.description || off.row.words.action);
  const channel = here.find((one) => isDevice(one) && !isChannel(one));
  if (channel) return strings.mappedOnChannel(channel.ref.channel ?? 0);
  const device = here.find((one) => !isDevice(one));
  if (device) return strings.mappedOnDevice(deviceLabel(device.ref.device ?? ""));
  const elsewhere = found
    .filter((one) => !one.isHere && isDevice(one) && isChannel(one))
    .map((one) => scopeName(one.row.scope));
  return elsewhere.length
    ? strings.mappedIn(formatPlaces([...new Set(elsewhere)]))
    : strings.nothingMapped;
}

/** Join the names of modes and profiles; of more than three, the others are counted. */
function formatPlaces(places: readonly string[]): string {
  const rest = places.length - MAX_PLACES;
  return formatList(rest > 0 ? [...places.slice(0, MAX_PLACES), strings.morePlaces(rest)] : places);
}

/** Return the name of a trace without a control, such as a deadline; null for other traces. */
export function traceName(
  { event, candidates, effects, press }: DecidedTrace,
  convention?: NoteNames,
): string | null {
  if (event.kind !== "timer") return null;
  if (press)
    return strings.afterPress(
      press.control ?? decode(press, convention).name,
      formatDuration(event.time - press.time),
    );
  const isTest = effects.some((effect) => effect.mapping.startsWith(`${PERFORMED_ONCE} `));
  return isTest || candidates.some((one) => one.scope === PERFORMED_ONCE) ? strings.test : null;
}

/** Return the name of a control, with its device, for the filter button. */
export function controlName(event: EventView, name: string): string {
  return event.device ? strings.onDevice(name, deviceLabel(event.device)) : name;
}
