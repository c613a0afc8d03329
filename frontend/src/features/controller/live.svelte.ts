/** Live states of controls for pictures, updated at most once for each batch of events. */
import type { Client } from "$lib/client/client";
import type { EventView, TraceView } from "$lib/client/types";
import {
  controlClass,
  controlKey,
  isPaused,
  isTouch,
  type MonitorState,
} from "$lib/state/monitor.svelte";
import type { ControlId } from "$lib/trigger";

export interface ControlState {
  /** The value from 0 to 1; for a stick, from -1 to 1. */
  value: number;
  /** The value as it was sent; after the release, the velocity of the press. */
  raw: number;
  down: boolean;
  /** The outcome of the last touch; null: none, or the mode or the config has changed since. */
  outcome: TraceView["outcome"] | "failed" | "paused" | null;
  /** The number of touches: the light flashes when this number changes. */
  pulse: number;
  sequence: number;
}

const MAX_VALUES: Record<string, number> = {
  pitch_bend: 16_383,
  nrpn: 16_383,
  rpn: 16_383,
  button_down: 1,
  button_up: 1,
  axis: 1,
  gamepad_trigger: 1,
  osc: 1,
  program_change: 127,
  sysex: 127,
};

export class LiveControls {
  states = $state.raw<ReadonlyMap<string, ControlState>>(new Map());
  /** The newest event of each control, for devices without a profile. */
  events = $state.raw<readonly EventView[]>([]);
  private pendingTraces: TraceView[] = [];
  private hasFailures = false;
  /** The number of changes of the mode, the config or a pause before the shown outcomes. */
  private changes = 0;

  constructor(
    private readonly client: Client,
    private readonly monitor: MonitorState,
  ) {}

  /** Start updating the states. Returns a function that stops the updates. */
  start(): () => void {
    this.changes = this.monitor.changes;
    const unsubscribes = [
      this.monitor.watch(),
      this.client.on("trace", (trace) => this.pendingTraces.push(trace)),
      this.client.on("failure", () => void (this.hasFailures = true)),
      this.client.onBatchEnd(() => this.applyTraces()),
    ];
    void this.loadRecent();
    return () => unsubscribes.forEach((unsubscribe) => unsubscribe());
  }

  stateOf(device: string, control: ControlId): ControlState | undefined {
    return this.states.get(stateKey(device, control));
  }

  /**
   * Restore positions and held buttons from recent events, without flashing their lights. A press
   * that arrives before the backend has handled the subscription is known only from these events.
   */
  private async loadRecent(): Promise<void> {
    try {
      const { traces, failures } = await this.client.call("monitor.recent", { limit: 1_000 });
      const states = new Map(this.states);
      for (const trace of traces) {
        for (const key of stateKeys(trace.event))
          if (!this.states.has(key)) {
            const { down, ...past } = updateControlState(trace, states.get(key));
            const isHeld = down && trace.event.kind !== "cc";
            states.set(key, { ...past, pulse: 0, down: isHeld });
          }
        if (trace.event.kind === "device_gone") releaseAll(states, trace.event.device);
        decideWaiting(states, trace, 0);
        if (trace.new_mode) forgetOutcomes(states);
      }
      markFailed(states, new Set(failures.map(({ sequence }) => sequence)));
      this.states = states;
      const live = this.events;
      this.events = [];
      this.storeEvents([...traces.map((trace) => trace.event), ...live]);
    } catch {
      // Without recent events, the picture starts with unknown positions.
    }
  }

  private applyTraces(): void {
    const isOutdated = this.changes !== this.monitor.changes;
    if (!this.pendingTraces.length && !this.hasFailures && !isOutdated) return;
    this.changes = this.monitor.changes;
    const traces = this.pendingTraces;
    this.pendingTraces = [];
    this.hasFailures = false;
    const states = new Map(this.states);
    if (isOutdated) forgetOutcomes(states);
    for (const trace of traces) {
      for (const key of stateKeys(trace.event))
        states.set(key, updateControlState(trace, states.get(key)));
      if (trace.event.kind === "device_gone") releaseAll(states, trace.event.device);
      decideWaiting(states, trace);
    }
    markFailed(states, this.monitor.failed);
    this.states = states;
    if (traces.length) this.storeEvents(traces.map((trace) => trace.event));
  }

  private storeEvents(events: readonly EventView[]): void {
    const known = new Map(
      this.events.map((event) => [`${controlKey(event)}=${rangeEnd(event)}`, event]),
    );
    for (const event of events)
      if (controlKey(event)) known.set(`${controlKey(event)}=${rangeEnd(event)}`, event);
    this.events = [...known.values()].slice(-600);
  }
}

/** Return the end of the range that a CC value is at. Events at both ends reveal a switch. */
function rangeEnd({ kind, value }: EventView): string {
  return kind === "cc" ? (value === 0 ? "low" : value === 127 ? "high" : "between") : "";
}

/** Mark the controls of a device that was disconnected as released: no release arrives for them. */
function releaseAll(states: Map<string, ControlState>, device: string): void {
  for (const [key, state] of states)
    if (state.down && key.startsWith(`${device}|`)) states.set(key, { ...state, down: false });
}

/** Remove the outcomes of earlier touches, which no longer apply, but keep the values. */
function forgetOutcomes(states: Map<string, ControlState>): void {
  for (const [key, state] of states)
    if (state.outcome && state.outcome !== "mode" && state.outcome !== "waiting")
      states.set(key, { ...state, outcome: null });
}

/** Show the failures of actions, each of which is known later than the event that started it. */
function markFailed(
  states: Map<string, ControlState>,
  failed: { has(sequence: number): boolean },
): void {
  for (const [key, one] of states)
    if (one.outcome && one.outcome !== "failed" && failed.has(one.sequence))
      states.set(key, { ...one, outcome: "failed", pulse: one.pulse && one.pulse + 1 });
}

/** Show the result of a press that waited, such as for a second tap, which a timer decides. */
function decideWaiting(states: Map<string, ControlState>, trace: TraceView, pulses = 1): void {
  const { gesture, outcome, candidates, effects, sequence } = trace;
  if (!gesture || outcome === "waiting" || !(candidates.length || effects.length)) return;
  for (const [key, state] of states)
    if (state.outcome === "waiting" && state.sequence === gesture)
      states.set(key, { ...state, outcome, sequence, pulse: state.pulse + pulses });
}

function stateKey(device: string, { control_class, number, channel }: ControlId): string {
  return `${device}|${channel ?? "*"}|${control_class}|${number}`;
}

function stateKeys(event: EventView): string[] {
  if (!controlKey(event)) return [];
  const control = {
    control_class: controlClass(event) as ControlId["control_class"],
    number: event.number,
  };
  return [
    stateKey(event.device, { ...control, channel: event.channel || null }),
    ...(event.channel ? [stateKey(event.device, { ...control, channel: null })] : []),
  ];
}

export function updateControlState(
  trace: TraceView,
  before: ControlState | undefined,
): ControlState {
  const { event } = trace;
  const value = event.value / (MAX_VALUES[event.kind] ?? 127);
  const isUp =
    event.kind === "note_off" ||
    event.kind === "button_up" ||
    (event.kind === "note_on" && event.value === 0);
  // The release of a switch is not a separate touch.
  const touch =
    isTouch(event) && !(event.kind === "cc" && event.value === 0 && before?.raw === 127);
  const outcome = isPaused(trace) ? "paused" : trace.outcome;
  const acted = trace.outcome === "fired" || trace.outcome === "mode";
  return {
    value: isUp ? 0 : value,
    raw: isUp && before ? before.raw : event.value,
    down: !isUp && event.value > 0 && ["note_on", "button_down", "cc"].includes(event.kind),
    outcome: touch || acted ? outcome : (before?.outcome ?? null),
    pulse: (before?.pulse ?? 0) + (touch || acted ? 1 : 0),
    sequence: touch || acted ? trace.sequence : (before?.sequence ?? trace.sequence),
  };
}
