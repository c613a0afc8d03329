/** Recent events and the last value of each control, updated once per batch of events. */
import type { Client } from "../client/client";
import type { PlacedRow } from "./config.svelte";
import type { ControlRef, EventView, FailureTopic, TraceView } from "../client/types";

/** The number of traces that are kept. */
export const MAX_TRACES = 2_000;

/** Batches with more traces each are a flood, which is shown this many milliseconds apart. */
const MAX_CALM_TRACES = 25;
const FLOOD_INTERVAL_MS = 330;

/** Control classes (`ControlRef.control_class`) of event kinds that have another name. */
const CONTROL_CLASSES: Record<string, string> = {
  note_on: "note",
  note_off: "note",
  button_down: "button",
  button_up: "button",
};

export interface LatestEvent {
  event: EventView;
  outcome: TraceView["outcome"];
  sequence: number;
}

/** The last outcome of a mapping, and a counter of its outcomes. */
export interface RowLight {
  outcome: "fired" | "waiting" | "failed";
  pulse: number;
}

export class MonitorState {
  /** The newest traces, oldest first. */
  traces = $state.raw<TraceView[]>([]);
  /** The newest event of each control, by `controlKey`. */
  latest = $state.raw<ReadonlyMap<string, LatestEvent>>(new Map());
  /** The newest touch of a control, so that a mapping can be found by touching its control. */
  touched = $state.raw<EventView | null>(null);
  /** How often each mapping fired, by `scope#index`. */
  fired = $state.raw<ReadonlyMap<string, number>>(new Map());
  /** The activity light of each mapping, by `scope#index`. */
  lights = $state.raw<ReadonlyMap<string, RowLight>>(new Map());
  failed = $state.raw<ReadonlyMap<number, FailureTopic>>(new Map());
  skipped = $state(0);
  total = $state(0);
  paused = $state(false);
  /** The Unix time at which the engine's clock was 0, in seconds; NaN until it is known. */
  epoch = $state(NaN);
  /** Whether the backend has begun to send events, so that a touch is seen. */
  listening = $state(false);
  /** How often the mode, the config or a pause has changed, since when outcomes are outdated. */
  changes = 0;
  private situation = "";
  /** The number of subscribers. The backend sends events while there is at least one. */
  private watchers = 0;
  private newTraces: TraceView[] = [];
  private newlySkipped = 0;
  /** The number of batches since the last one that was shown. */
  private newBatches = 0;
  /** The timer that shows the rest of a flood. */
  private floodTimer: ReturnType<typeof setTimeout> | undefined;
  /** The Unix time of the last clearing, in seconds. Earlier events are not shown again. */
  private clearedAt = -Infinity;
  /** The number of the newest trace, including those that are not kept. */
  private newestSequence = -1;
  /** The mappings of earlier configs, oldest first, each with its last trace. */
  private earlierRows = $state.raw<readonly { until: number; rows: readonly PlacedRow[] }[]>([]);
  private failedRows: [row: string, outcome: RowLight["outcome"]][] = [];

  constructor(
    private readonly client: Client,
    /** Returns the mappings of the config that the page has loaded. */
    private readonly currentRows: () => readonly PlacedRow[] = () => [],
  ) {
    client.on("trace", (trace) => {
      this.newTraces.push(trace);
      this.newestSequence = trace.sequence;
    });
    client.on("skipped", ({ count }) => (this.newlySkipped += count));
    client.on("failure", (failure) => this.onFailure(failure));
    client.on("status", ({ mode, paused }) => {
      const situation = JSON.stringify([mode, paused]);
      if (this.situation && situation !== this.situation) this.changes++;
      this.situation = situation;
    });
    // In a changed config, the indexes of the rows can differ.
    client.on("config", () => {
      this.changes++;
      this.lights = new Map();
      this.keepRows();
    });
    client.on("names", () => void this.reloadNames());
    client.onBatchEnd(() => this.onBatchEnd());
    client.onResync(() => {
      if (this.watchers) void this.setWatching(true);
    });
  }

  /**
   * Subscribe to events, in an `$effect` or `onMount`. Returns a function that unsubscribes.
   */
  watch(): () => void {
    if (this.watchers++ === 0) void this.setWatching(true);
    let stopped = false;
    return () => {
      if (stopped) return;
      stopped = true;
      if (--this.watchers === 0) void this.setWatching(false);
    };
  }

  /**
   * Load recent traces and their failures. Resolves to the Unix time at which the engine's clock
   * was 0.
   */
  async loadRecent(limit = 500): Promise<number> {
    const { traces, failures, epoch } = await this.client.call("monitor.recent", { limit });
    this.epoch = epoch;
    const isShown = (time: number): boolean => epoch + time > this.clearedAt;
    const failed = failures.filter((failure) => isShown(failure.time));
    this.failed = new Map([
      ...failed.map((failure) => [failure.sequence, failure] as const),
      ...this.failed,
    ]);
    const known = knownSequences(this.traces, traces);
    this.traces = [
      ...traces.filter((trace) => isShown(trace.event.time) && !known.has(trace.sequence)),
      ...this.traces,
    ]
      .sort((a, b) => a.sequence - b.sequence)
      .slice(-MAX_TRACES);
    return epoch;
  }

  /** Update the control names of the shown events. */
  private async reloadNames(): Promise<void> {
    if (!this.traces.length) return;
    try {
      const { traces } = await this.client.call("monitor.recent", { limit: 500 });
      const found = new Map(traces.map((trace) => [trace.sequence, trace]));
      this.traces = this.traces.map((trace) => {
        const named = found.get(trace.sequence);
        return named ? { ...trace, event: named.event, text: named.text } : trace;
      });
    } catch {
      // The old names stay until the next change.
    }
  }

  /**
   * Return the mappings that were running at a trace, if the config has changed since then;
   * undefined if it has not.
   */
  earlierRowsOf(sequence: number): readonly PlacedRow[] | undefined {
    return this.earlierRows.find((one) => sequence <= one.until)?.rows;
  }

  /** Keep the mappings of the config that was replaced, for the traces that were made with it. */
  private keepRows(): void {
    const oldest = this.traces[0]?.sequence ?? Infinity;
    this.earlierRows = [
      ...this.earlierRows.filter((one) => one.until >= oldest),
      { until: this.newestSequence, rows: this.currentRows() },
    ];
  }

  clear(): void {
    this.clearedAt = Date.now() / 1000;
    this.newTraces = [];
    this.traces = [];
    this.skipped = 0;
    this.total = 0;
    this.failed = new Map();
  }

  /** Return the newest event of a control; undefined if there is none. */
  valueOf(control: ControlRef): LatestEvent | undefined {
    let best: LatestEvent | undefined;
    for (const latest of this.latest.values()) {
      if (matchesControl(control, latest.event) && (!best || latest.sequence > best.sequence))
        best = latest;
    }
    return best;
  }

  private async setWatching(on: boolean): Promise<void> {
    this.listening = false;
    try {
      await this.client.call("monitor.watch", { on });
      this.listening = on && this.watchers > 0;
    } catch {
      // The connection is lost. On reconnecting, `onResync` subscribes again.
    }
  }

  private onFailure(failure: FailureTopic): void {
    this.failedRows.push([`${failure.scope}#${failure.index}`, "failed"]);
    this.failed = new Map(
      [...this.failed, [failure.sequence, failure] as const].slice(-MAX_TRACES),
    );
  }

  /** Apply a batch at once, or during a flood, which nobody can read, with those of a moment. */
  private onBatchEnd(): void {
    this.newBatches++;
    if (!this.floodTimer) this.applyBatches();
  }

  private applyBatches(): void {
    const isFlood = this.newTraces.length > MAX_CALM_TRACES * this.newBatches;
    this.floodTimer = isFlood
      ? setTimeout(() => this.applyBatches(), FLOOD_INTERVAL_MS)
      : undefined;
    this.newBatches = 0;
    this.applyNewTraces();
  }

  private applyNewTraces(): void {
    this.skipped += this.newlySkipped;
    this.newlySkipped = 0;
    const failures = this.failedRows;
    this.failedRows = [];
    if (!this.newTraces.length) return this.updateLights(failures);
    const newTraces = this.newTraces;
    this.newTraces = [];
    const latest = new Map(this.latest);
    let fired: Map<string, number> | null = null;
    const outcomes: [row: string, outcome: RowLight["outcome"] | null][] = [];
    for (const trace of newTraces) {
      const hasFailed = this.failed.has(trace.sequence);
      this.total += trace.count ?? 1;
      const key = controlKey(trace.event);
      if (key)
        latest.set(key, { event: trace.event, outcome: trace.outcome, sequence: trace.sequence });
      if (isTouch(trace.event)) this.touched = trace.event;
      for (const candidate of trace.candidates) {
        const row = `${candidate.scope}#${candidate.index}`;
        if (candidate.outcome === "fired" || candidate.outcome === "waiting")
          outcomes.push([row, hasFailed ? "failed" : candidate.outcome]);
        else if (trace.gesture) outcomes.push([row, null]);
        if (candidate.outcome !== "fired") continue;
        fired ??= new Map(this.fired);
        fired.set(row, (fired.get(row) ?? 0) + 1);
      }
    }
    this.latest = latest;
    if (fired) this.fired = fired;
    this.updateLights([...outcomes, ...failures]);
    if (!this.paused) this.traces = [...this.traces, ...newTraces].slice(-MAX_TRACES);
  }

  /** Update the lights of rows. Null: the row no longer waits, because another one acted. */
  private updateLights(changes: readonly [string, RowLight["outcome"] | null][]): void {
    if (!changes.length) return;
    const lights = new Map(this.lights);
    for (const [row, outcome] of changes) {
      const light = lights.get(row);
      if (outcome) lights.set(row, { outcome, pulse: (light?.pulse ?? 0) + 1 });
      else if (light?.outcome === "waiting") lights.delete(row);
    }
    this.lights = lights;
  }
}

export function controlClass(event: EventView): string {
  return CONTROL_CLASSES[event.kind] ?? event.kind;
}

/** Return a unique key of the control that sent an event; null for events without a control. */
export function controlKey(event: EventView): string | null {
  if (
    ["app", "timer", "completed", "clock", "transport", "device_gone", "device_back"].includes(
      event.kind,
    )
  )
    return null;
  return `${event.device}|${event.channel}|${controlClass(event)}|${event.number}`;
}

/** Return whether an event comes from a control. A null or `*` in the control matches anything. */
export function matchesControl(control: ControlRef, event: EventView): boolean {
  return (
    control.control_class === controlClass(event) &&
    (control.number === "*" || String(control.number) === String(event.number)) &&
    (control.device === null || control.device === event.device) &&
    (control.channel === null || control.channel === event.channel)
  );
}

/** The reason in a trace while Conductor is paused. */
const PAUSED = "Conductor is paused";

/** Return whether a trace did nothing because Conductor was paused. */
export const isPaused = ({ outcome, note }: TraceView): boolean =>
  outcome === "unmatched" && note === PAUSED;

/** Return whether an event is a press or movement of a control, not a release or pressure. */
export function isTouch(event: EventView): boolean {
  return (
    controlKey(event) !== null &&
    !["note_off", "button_up", "poly_pressure", "channel_pressure"].includes(event.kind)
  );
}

/** Return the sequence numbers of the shown traces and of the traces merged into them. */
function knownSequences(shown: readonly TraceView[], found: readonly TraceView[]): Set<number> {
  const known = new Set(shown.map((trace) => trace.sequence));
  for (const newest of shown) {
    let remaining = (newest.count ?? 1) - 1;
    if (!remaining) continue;
    const key = controlKey(newest.event);
    for (let index = found.length - 1; index >= 0 && remaining; index--) {
      const one = found[index]!;
      if (
        one.sequence >= newest.sequence ||
        one.outcome !== newest.outcome ||
        controlKey(one.event) !== key ||
        known.has(one.sequence)
      )
        continue;
      known.add(one.sequence);
      remaining--;
    }
  }
  return known;
}
