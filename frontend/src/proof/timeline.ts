/**
 * The layout of a replay timeline: a scale that shortens silences, and the events of each moment.
 * Pure.
 */
import { formatAtMost, formatFixed } from "$language/format";
import { localized } from "$language/language.svelte";
import type { Replay, Timeline, TimelineEvent, TimelineFiring } from "$lib/client/types";
import { strings } from "./strings";

/** The length, in milliseconds, at which longer silences are drawn. */
export const SILENCE_MS = 1_500;

export type Change = TimelineFiring["change"];
export const SIGNS: Record<Change, string> = { same: "•", appears: "+", vanishes: "−", moves: "↔" };
export const CHANGE_WORDS: Record<Change, string> = localized(() => ({
  same: strings.unchanged,
  appears: strings.newFiring,
  vanishes: strings.noLongerFires,
  moves: strings.atAnotherTime,
}));

export interface Scale {
  /** Convert a time to a position from 0 to 1. */
  at: (time_ms: number) => number;
  /** Convert a position from 0 to 1 to a time. */
  time: (at: number) => number;
  /** The length of the whole scale in milliseconds, with shortened silences. */
  length_ms: number;
  /** The positions, lengths and ends of shortened silences. */
  cuts: { at: number; silent_ms: number; end_ms: number }[];
}

/**
 * Create a scale that shortens long silences.
 * @param times the times of all marks in milliseconds, in any order.
 */
export function createScale(times: readonly number[], silence_ms = SILENCE_MS): Scale {
  const sorted = [...new Set([0, ...times])].sort((a, b) => a - b);
  const positions = [0];
  const cuts: { index: number; silent_ms: number }[] = [];
  for (let index = 1; index < sorted.length; index++) {
    const silent_ms = sorted[index]! - sorted[index - 1]!;
    if (silent_ms > silence_ms) cuts.push({ index, silent_ms });
    positions.push(positions[index - 1]! + Math.min(silent_ms, silence_ms));
  }
  const whole = positions.at(-1) || 1;
  return {
    at: (time) => interpolate(sorted, positions, time) / whole,
    time: (at) => interpolate(positions, sorted, at * whole),
    length_ms: whole,
    cuts: cuts.map(({ index, silent_ms }) => ({
      at: (positions[index]! + positions[index - 1]!) / 2 / whole,
      silent_ms,
      end_ms: sorted[index]!,
    })),
  };
}

function interpolate(from: readonly number[], to: readonly number[], x: number): number {
  if (from.length < 2 || x <= from[0]!) return to[0]!;
  let high = from.length - 1;
  if (x >= from[high]!) return to[high]!;
  let low = 0;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (from[middle]! <= x) low = middle;
    else high = middle;
  }
  const width = from[high]! - from[low]! || 1;
  return to[low]! + ((x - from[low]!) / width) * (to[high]! - to[low]!);
}

/**
 * Return round times on a scale, such as 0, 1000 and 2000, outside of shortened silences.
 * @param gap the least distance of their positions
 */
export function listRoundTimes(scale: Scale, gap: number): number[] {
  const step = roundUp(scale.length_ms * gap);
  const roundFrom = (time: number): number => Math.ceil(time / step) * step;
  const times = [0];
  for (;;) {
    const last = times.at(-1)!;
    let next = roundFrom(scale.time(scale.at(last) + gap));
    const cut = scale.cuts.find((one) => next > one.end_ms - one.silent_ms && next < one.end_ms);
    if (cut) next = roundFrom(cut.end_ms);
    if (next <= last || next > scale.time(1)) return times;
    times.push(next);
  }
}

/** Return the next higher of the numbers 1, 2, 5, 10, 20, 50 and so on. */
function roundUp(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least) ?? 10 * power;
}

/** An input event with its firings under the old and the new config, or firings without input. */
export interface Moment {
  time_ms: number;
  input: TimelineEvent | null;
  old: TimelineFiring[];
  new: TimelineFiring[];
  changes: boolean;
}

/** Return the moments in order of time: each input, and each time of firings without input. */
export function groupMoments(timeline: Timeline): Moment[] {
  const moments = new Map<number, Moment>();
  for (const input of timeline.inputs)
    moments.set(input.sequence, {
      time_ms: input.time_ms,
      input,
      old: [],
      new: [],
      changes: false,
    });
  const withoutInput: Moment[] = [];
  for (const lane of ["old", "new"] as const) {
    for (const firing of timeline[lane]) {
      let moment = firing.source === null ? undefined : moments.get(firing.source);
      if (!moment) {
        moment = withoutInput.find((one) => one.time_ms === firing.time_ms);
        if (!moment)
          withoutInput.push(
            (moment = { time_ms: firing.time_ms, input: null, old: [], new: [], changes: false }),
          );
      }
      moment[lane].push(firing);
      moment.changes ||= firing.change !== "same";
    }
  }
  return [...moments.values(), ...withoutInput].sort((a, b) => a.time_ms - b.time_ms);
}

/** Return the index of the moment nearest to a time; -1 if there are no moments. */
export function nearestMoment(moments: readonly Moment[], time_ms: number): number {
  let best = -1;
  moments.forEach((moment, index) => {
    if (best < 0 || Math.abs(moment.time_ms - time_ms) < Math.abs(moments[best]!.time_ms - time_ms))
      best = index;
  });
  return best;
}

/**
 * Return the index of the next moment in a direction; `from` if there is none.
 * @param changing whether to skip moments without a change.
 */
export function nextMoment(
  moments: readonly Moment[],
  from: number,
  by: 1 | -1,
  changing: boolean,
): number {
  for (let index = from + by; index >= 0 && index < moments.length; index += by) {
    if (!changing || moments[index]!.changes) return index;
  }
  return from;
}

/** Format a time in ms or s. */
export function formatTime(time_ms: number): string {
  return time_ms < 1000
    ? `${Math.round(time_ms)} ms`
    : `${formatFixed(time_ms / 1000, time_ms < 10_000 ? 2 : 1)} s`;
}

/** Format a round time, such as “500 ms” or “1.5 s”. */
export const formatRoundTime = (time_ms: number): string =>
  time_ms > 0 && time_ms < 1000 ? `${time_ms} ms` : `${formatAtMost(time_ms / 1000, 2)} s`;

/** Describe a moment in a sentence, for assistive technology. */
export function describeMoment(moment: Moment): string {
  const describe = (firings: TimelineFiring[]): string =>
    firings
      .map((one) =>
        one.change === "same" ? one.text : `${one.text} (${CHANGE_WORDS[one.change]})`,
      )
      .join(", ") || strings.nothing;
  return strings.moment(
    formatTime(moment.time_ms),
    moment.input?.text ?? strings.timePasses,
    describe(moment.old),
    describe(moment.new),
  );
}

/** Count the actions on a timeline: those before the change, and those that are new. */
export const countFirings = ({ old, new: after }: Timeline): number =>
  old.length + after.filter((one) => one.change === "appears").length;

/** Count the actions of a replay in the same way. */
export const countFired = (replay: Replay): number =>
  replay.unchanged + replay.vanish.length + replay.moved.length + replay.appear.length;
