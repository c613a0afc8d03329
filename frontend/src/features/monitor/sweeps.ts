/** Merges the values of a control that is moved into one row of the monitor. */
import type { EventView, FailureTopic, TraceView } from "$lib/client/types";
import { controlKey } from "$lib/state/monitor.svelte";
import { outcomeOf } from "./filter";
import type { DecidedTrace } from "./gestures";

/** A trace, with the values that the control had while it was moved. */
export type MonitorRow = DecidedTrace & { values?: readonly number[] };

const MOVED_KINDS: ReadonlySet<EventView["kind"]> = new Set([
  "cc",
  "nrpn",
  "rpn",
  "pitch_bend",
  "axis",
  "gamepad_trigger",
  "channel_pressure",
  "poly_pressure",
  "osc",
]);
/** After a rest longer than this, in seconds, a move of a control is a new row. */
const MAX_REST_S = 1;
/** The number of rows that are searched for the same control: two axes of a stick alternate. */
const SEARCHED_ROWS = 3;
const MAX_VALUES = 64;

/** Merge the moves of each control that have the same result, or return the same array. */
export function mergeSweeps(
  traces: readonly TraceView[],
  failed: ReadonlyMap<number, FailureTopic>,
): readonly MonitorRow[] {
  const rows: MonitorRow[] = [];
  for (const trace of traces) {
    const index = MOVED_KINDS.has(trace.event.kind) ? findSweep(rows, trace, failed) : -1;
    const before = rows[index];
    if (!before) {
      rows.push(trace);
      continue;
    }
    rows[index] = {
      ...trace,
      count: (before.count ?? 1) + (trace.count ?? 1),
      values: [...(before.values ?? [before.event.value]), trace.event.value].slice(-MAX_VALUES),
    };
  }
  return rows.length === traces.length ? traces : rows;
}

function findSweep(
  rows: readonly MonitorRow[],
  trace: TraceView,
  failed: ReadonlyMap<number, FailureTopic>,
): number {
  for (let index = rows.length - 1; index >= Math.max(0, rows.length - SEARCHED_ROWS); index--) {
    const row = rows[index]!;
    if (!MOVED_KINDS.has(row.event.kind)) return -1;
    if (controlKey(row.event) !== controlKey(trace.event)) continue;
    const isSame =
      outcomeOf(row, failed) === outcomeOf(trace, failed) &&
      resultKey(row) === resultKey(trace) &&
      trace.event.time - row.event.time <= MAX_REST_S;
    return isSame ? index : -1;
  }
  return -1;
}

/** Return which mapping a trace fired, or why none fired. */
function resultKey({ candidates, note }: TraceView): string {
  const fired = candidates.filter((one) => one.outcome === "fired");
  return fired.length
    ? fired.map((one) => `${one.scope}#${one.index}`).join(" ")
    : (note ?? "") + (candidates[0]?.mapping ?? "");
}
