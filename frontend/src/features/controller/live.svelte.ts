/** The live state of each control, for pictures. Updated at most once per batch of events. */
import type { Client } from "$lib/client/client";
import type { EventView, TraceView } from "$lib/client/types";
import { controlClass, controlKey, isTouch, type MonitorState } from "$lib/state/monitor.svelte";
import type { ControlId } from "$lib/trigger";

export interface Lit {
  /** 0 to 1; for a stick, -1 to 1. */
  value: number;
  raw: number;
  down: boolean;
  /** The result of the last touch. */
  outcome: TraceView["outcome"] | "failed" | null;
  /** A counter of touches: the light flashes when it changes. */
  pulse: number;
  sequence: number;
}

const FULL: Record<string, number> = {
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

export class Live {
  lit = $state.raw<ReadonlyMap<string, Lit>>(new Map());
  /** The newest event of each control, for devices without a drawing. */
  events = $state.raw<readonly EventView[]>([]);
  private fresh: TraceView[] = [];
  private hasFailures = false;

  constructor(
    private readonly client: Client,
    private readonly monitor: MonitorState,
  ) {}

  /** Start listening. Returns a function that stops it. */
  start(): () => void {
    const ends = [
      this.monitor.watch(),
      this.client.on("trace", (trace) => this.fresh.push(trace)),
      this.client.on("failure", () => void (this.hasFailures = true)),
      this.client.onBatchEnd(() => this.take()),
    ];
    void this.recall();
    return () => ends.forEach((end) => end());
  }

  of(device: string, control: ControlId): Lit | undefined {
    return this.lit.get(keyOf(device, control));
  }

  /**
   * Restore positions and held buttons from recent events, without flashing their lights. A press
   * that arrives before the backend has handled the subscription is known only from here.
   */
  private async recall(): Promise<void> {
    try {
      const { traces } = await this.client.call("monitor.recent", { limit: 1_000 });
      const lit = new Map(this.lit);
      for (const trace of traces)
        for (const key of keysOf(trace.event))
          if (!this.lit.has(key)) {
            const { down, ...past } = updateLit(trace, undefined);
            const isHeld = down && trace.event.kind !== "cc";
            lit.set(key, { ...past, outcome: null, pulse: 0, down: isHeld });
          }
      this.lit = lit;
      this.remember(traces);
    } catch {
      // The picture works without recent events too.
    }
  }

  private take(): void {
    if (!this.fresh.length && !this.hasFailures) return;
    const fresh = this.fresh;
    this.fresh = [];
    this.hasFailures = false;
    const lit = new Map(this.lit);
    for (const trace of fresh)
      for (const key of keysOf(trace.event)) lit.set(key, updateLit(trace, lit.get(key)));
    for (const [key, one] of lit)
      if (one.outcome && one.outcome !== "failed" && this.monitor.failed.has(one.sequence))
        lit.set(key, { ...one, outcome: "failed", pulse: one.pulse + 1 });
    this.lit = lit;
    if (fresh.length) this.remember(fresh);
  }

  private remember(traces: readonly TraceView[]): void {
    const known = new Map(
      this.events.map((event) => [`${controlKey(event)}=${rangeEnd(event)}`, event]),
    );
    for (const { event } of traces)
      if (controlKey(event)) known.set(`${controlKey(event)}=${rangeEnd(event)}`, event);
    this.events = [...known.values()].slice(-600);
  }
}

/** Return `0` or `127` for the two ends, as one event of each is kept to recognize a switch. */
function rangeEnd({ kind, value }: EventView): string {
  return kind === "cc" ? (value === 0 ? "low" : value === 127 ? "high" : "between") : "";
}

function keyOf(device: string, { control_class, number, channel }: ControlId): string {
  return `${device}|${channel ?? "*"}|${control_class}|${number}`;
}

function keysOf(event: EventView): string[] {
  if (!controlKey(event)) return [];
  const control = {
    control_class: controlClass(event) as ControlId["control_class"],
    number: event.number,
  };
  return [
    keyOf(event.device, { ...control, channel: event.channel || null }),
    ...(event.channel ? [keyOf(event.device, { ...control, channel: null })] : []),
  ];
}

export function updateLit(trace: TraceView, before: Lit | undefined): Lit {
  const { event } = trace;
  const value = event.value / (FULL[event.kind] ?? 127);
  const isUp =
    event.kind === "note_off" ||
    event.kind === "button_up" ||
    (event.kind === "note_on" && event.value === 0);
  // Releasing a switch is not a touch of its own.
  const touch =
    isTouch(event) && !(event.kind === "cc" && event.value === 0 && before?.raw === 127);
  const acted = trace.outcome === "fired" || trace.outcome === "mode";
  return {
    value: isUp ? 0 : value,
    raw: event.value,
    down: !isUp && event.value > 0 && ["note_on", "button_down", "cc"].includes(event.kind),
    outcome: touch || acted ? trace.outcome : (before?.outcome ?? null),
    pulse: (before?.pulse ?? 0) + (touch || acted ? 1 : 0),
    sequence: touch || acted ? trace.sequence : (before?.sequence ?? trace.sequence),
  };
}
