/** Joins the traces of a gesture, such as a press and the end of the time for a double tap. */
import type { EventView, TraceView } from "$lib/client/types";
import { controlKey, isTouch } from "$lib/state/monitor.svelte";

/** A trace, with what the other traces of its gesture say about it. */
export type DecidedTrace = TraceView & {
  /** The sequence number of the trace that decided this press. */
  decidedBy?: number;
  /** Whether another trace of the gesture shows the result, such as a failure. */
  isShownElsewhere?: boolean;
  /** The press since which time has passed. */
  press?: EventView;
  /** The press that completed the gesture, such as the second one of a double tap. */
  completedBy?: TraceView;
  /** How long the action of a press waited, in seconds. */
  waited?: number;
};

/**
 * Show each decided press with the outcome of its gesture instead of as waiting. The trace that
 * decided it is then no result of its own. Returns the same array if no press was decided.
 */
export function joinGestures(traces: readonly TraceView[]): readonly DecidedTrace[] {
  const waiting = new Map<number, number>();
  /** The undecided press of each control, which its release can decide. */
  const pressed = new Map<string, number>();
  let joined: DecidedTrace[] | null = null;
  const indexes = new Map(traces.map((trace, index) => [trace.sequence, index]));
  traces.forEach((trace, index) => {
    const begun = traces[indexes.get(trace.gesture ?? 0) ?? -1];
    if (begun && trace.event.kind === "timer") {
      joined ??= [...traces];
      joined[index] = { ...trace, press: begun.event };
    }
    const key = controlKey(trace.event) ?? "";
    const isRelease = trace.event.kind === "note_off" || trace.event.kind === "button_up";
    const at = trace.gesture
      ? waiting.get(trace.gesture)
      : isRelease
        ? pressed.get(key)
        : undefined;
    if (isRelease && trace.outcome !== "waiting") pressed.delete(key);
    if (trace.outcome === "waiting") {
      // The release of a press that is still waiting for a second tap decides nothing.
      if (isRelease && at !== undefined)
        (joined ??= [...traces])[index] = { ...trace, outcome: "released", candidates: [] };
      else {
        waiting.set(trace.sequence, index);
        pressed.set(key, index);
      }
      return;
    }
    if (at === undefined || !(trace.candidates.length || trace.effects.length)) return;
    const isFired = trace.outcome === "fired" || trace.outcome === "mode";
    joined ??= [...traces];
    const press = joined[at]!;
    if (press.outcome === "fired" || press.outcome === "mode") return;
    if (isFired && isTouch(trace.event)) {
      // The second press of a double tap or chord has the result. Its release is not that of the
      // first press.
      joined[at] = {
        ...press,
        outcome: "released",
        candidates: [],
        isShownElsewhere: true,
        completedBy: trace,
      };
      pressed.delete(key);
      return;
    }
    joined[at] = {
      ...press,
      outcome: isFired ? trace.outcome : "unmatched",
      candidates: trace.candidates,
      effects: trace.effects,
      note: trace.note,
      mode: trace.mode,
      new_mode: trace.new_mode,
      decidedBy: trace.sequence,
      ...(trace.event.kind === "timer" ? { waited: trace.event.time - press.event.time } : {}),
    };
    joined[index] = {
      ...joined[index]!,
      isShownElsewhere: true,
      outcome: trace.event.kind === "timer" ? "info" : "released",
      candidates: isFired ? trace.candidates : [],
    };
  });
  return joined ?? traces;
}
