/** Groups recent input into one lane per control, for the timeline of the monitor. */
import type { EventView, FailureTopic, TraceView } from "$lib/client/types";
import { controlKey, isTouch } from "$lib/state/monitor.svelte";
import { outcomeOf, type TraceOutcome } from "./filter";

/** The time that the timeline shows, in seconds. */
export const WINDOW_S = 12;
/** After the last event, the timeline moves on for so long, in seconds, and then rests. */
const REST_AFTER_S = WINDOW_S / 2;
/** The room after the last event while the list is frozen, in seconds. */
const FROZEN_TAIL_S = 0.3;
/** A press that began longer ago than this before the window is not found. */
const MAX_HOLD_S = 60;

/** A press from its beginning to its release, or one value of a control that is moved. */
export interface Mark {
  from: number;
  /** The time of the release; null: still held. For a value, the same as `from`. */
  to: number | null;
  /** The value from 0 to 1. */
  value: number;
  outcome: TraceOutcome;
  trace: TraceView;
}
export interface Lane {
  key: string;
  /** The newest event of the control. */
  event: EventView;
  /** Whether the control is moved, so that its marks form a curve. */
  isCurve: boolean;
  marks: Mark[];
}

/**
 * Return where the timeline ends while it stands still; null: it moves. It shows what was played
 * last, or what was played around the selected event.
 * @param newest the time of the last input
 */
export function findEnd(
  newest: number | undefined,
  selected: number | undefined,
  now: number,
  isFrozen: boolean,
): number | null {
  if (newest === undefined) return isFrozen ? now : null;
  if (isFrozen) return Math.min(newest + FROZEN_TAIL_S, (selected ?? newest) + REST_AFTER_S);
  return now > newest + REST_AFTER_S ? newest + REST_AFTER_S : null;
}

/**
 * Return a lane for each control, for any time: the lanes change only when events come, the picture
 * thirty times a second.
 */
export function buildLanes(
  traces: readonly TraceView[],
  failed: ReadonlyMap<number, FailureTopic>,
): Lane[] {
  const lanes = new Map<string, Lane>();
  for (const trace of traces) {
    const key = controlKey(trace.event);
    if (!key) continue;
    const lane = lanes.get(key) ?? { key, event: trace.event, isCurve: false, marks: [] };
    lanes.set(key, lane);
    lane.event = trace.event;
    addMark(lane, trace, outcomeOf(trace, failed));
  }
  return [...lanes.values()];
}

/**
 * Return the lanes of the controls that were played last, in an order that stays when the time
 * does not, with the marks that the timeline shows.
 * @param selected the control of the selected event, which always has a lane
 */
export function chooseLanes(
  lanes: readonly Lane[],
  now: number,
  maxLanes: number,
  selected: string | null = null,
): Lane[] {
  const start = now - WINDOW_S;
  const others = lanes
    .filter((lane) => lane.key !== selected && lane.event.time >= start)
    .sort((a, b) => b.event.time - a.event.time)
    .slice(0, Math.max(0, maxLanes - (selected === null ? 0 : 1)));
  const isShown = (mark: Mark): boolean =>
    (mark.to ?? now) >= start && mark.from >= start - MAX_HOLD_S;
  return lanes
    .filter((lane) => lane.key === selected || others.includes(lane))
    .map((lane) => ({ ...lane, marks: lane.marks.filter(isShown) }))
    .filter((lane) => lane.marks.length)
    .sort((a, b) => a.key.localeCompare(b.key, "en", { numeric: true }));
}

/** Return how many controls that were played in the window have no lane. */
export function countHidden(all: readonly Lane[], shown: readonly Lane[], now: number): number {
  const keys = new Set(shown.map((lane) => lane.key));
  return all.filter((lane) => lane.event.time >= now - WINDOW_S && !keys.has(lane.key)).length;
}

function addMark(lane: Lane, trace: TraceView, outcome: TraceOutcome): void {
  const { kind, time } = trace.event;
  // A press ends at the next one, so that only the newest mark can be held.
  const newest = lane.marks.at(-1);
  const held = newest?.to === null ? newest : undefined;
  const isPress = kind === "note_on" || kind === "button_down";
  if (kind === "note_off" || kind === "button_up" || (isPress && !isTouch(trace.event))) {
    // A gesture such as a hold is decided by its release.
    if (held) [held.to, held.outcome] = [time, strongest(held.outcome, outcome)];
    return;
  }
  const value = toFraction(trace.event);
  if (!isPress) lane.isCurve = true;
  else if (held) held.to = time;
  lane.marks.push({ from: time, to: isPress ? null : time, value, outcome, trace });
}

const STRENGTH: readonly TraceOutcome[] = [
  "info",
  "released",
  "unmatched",
  "waiting",
  "mode",
  "fired",
  "failed",
];
const strongest = (a: TraceOutcome, b: TraceOutcome): TraceOutcome =>
  STRENGTH.indexOf(b) > STRENGTH.indexOf(a) ? b : a;

const RANGES: Partial<Record<EventView["kind"], readonly [from: number, to: number]>> = {
  axis: [-1, 1],
  gamepad_trigger: [0, 1],
  button_down: [0, 1],
  pitch_bend: [0, 16_383],
  nrpn: [0, 16_383],
  rpn: [0, 16_383],
  osc: [0, 1],
};

function toFraction({ kind, value }: EventView): number {
  const [from, to] = RANGES[kind] ?? [0, 127];
  return Math.min(1, Math.max(0, (value - from) / (to - from)));
}

/** Return the mark of a lane that is nearest to a time; null if none is near. */
export function markAt(lane: Lane, time: number, now: number, reach: number): Mark | null {
  let best: Mark | null = null;
  let distance = reach;
  for (const mark of lane.marks) {
    const away = Math.max(mark.from - time, time - (mark.to ?? now), 0);
    if (away <= distance) [best, distance] = [mark, away];
  }
  return best;
}
