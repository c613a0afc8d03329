/** The filtered list of events in the monitor, which is live or frozen. */
import type { EventView, TraceView } from "$lib/client/types";
import { controlKey, type MonitorState } from "$lib/state/monitor.svelte";
import { joinGestures } from "./gestures";
import { mergeSweeps, type MonitorRow } from "./sweeps";
import { HIDDEN_OUTCOMES, OUTCOMES, filterTraces, type Filter, type TraceOutcome } from "./filter";

const EVERY_OUTCOME: ReadonlySet<TraceOutcome> = new Set(OUTCOMES);

/** Why the list is frozen: the Pause button, a selected event, or scrolling up. */
export type PauseReason = "pause" | "selection" | "scroll";

interface Frozen {
  traces: TraceView[];
  reason: PauseReason;
}

/** The filters and the pause that the user left in the view, for the next visit. */
const lastVisits = new WeakMap<MonitorState, Partial<Feed>>();

export class Feed {
  device = $state("");
  text = $state("");
  outcomes = $state.raw<ReadonlySet<TraceOutcome>>(
    new Set(OUTCOMES.filter((one) => !HIDDEN_OUTCOMES.has(one))),
  );
  /** The control whose events are shown; null: all controls. */
  control = $state.raw<EventView | null>(null);
  /** Whether the next control that the user touches is selected. */
  waitsForTouch = $state(false);
  selectedSequence = $state<number | null>(null);
  readonly rows: readonly MonitorRow[];
  /** The traces of all outcomes, live or frozen, that pass the other filters. */
  readonly all: readonly TraceView[];
  readonly selected: number;
  /** The number of events that pass the filter and arrived since the list was frozen. */
  readonly missedCount: number;
  readonly isFiltered: boolean;
  private frozen = $state.raw<Frozen | null>(null);
  private totalAtTouchStart = 0;

  constructor(private readonly monitor: MonitorState) {
    Object.assign(this, lastVisits.get(monitor));
    const filter = $derived<Filter>({
      device: this.device,
      outcomes: this.outcomes,
      text: this.text,
      control: this.control && controlKey(this.control),
    });
    const traces = $derived(joinGestures(this.frozen?.traces ?? monitor.traces));
    this.rows = $derived(mergeSweeps(filterTraces(traces, filter, monitor.failed), monitor.failed));
    this.all = $derived.by(() => {
      const everything = { ...filter, outcomes: EVERY_OUTCOME };
      const found = new Set(filterTraces(traces, everything, monitor.failed));
      if (!filter.text) return [...found];
      // A press that is found by its text ends with its release, which has no text.
      return filterTraces(traces, { ...everything, text: "" }, monitor.failed).filter(
        (trace) => found.has(trace) || trace.outcome === "released",
      );
    });
    this.selected = $derived(
      this.selectedSequence === null
        ? -1
        : this.rows.findIndex((trace) => trace.sequence === this.selectedSequence),
    );
    this.missedCount = $derived.by(() => {
      if (!this.frozen) return 0;
      const last = this.frozen.traces.at(-1)?.sequence ?? -1;
      const live = filterTraces(joinGestures(monitor.traces), filter, monitor.failed);
      return live.filter((trace) => trace.sequence > last).length;
    });
    this.isFiltered = $derived(
      !!(this.device || this.text || this.control) ||
        OUTCOMES.some((one) => !HIDDEN_OUTCOMES.has(one) && !this.outcomes.has(one)),
    );
  }

  get isFrozen(): boolean {
    return this.frozen !== null;
  }

  get pauseReason(): PauseReason | null {
    return this.frozen?.reason ?? null;
  }

  /** Keep the filters, and the pause if the user asked for it, for the next visit of the view. */
  leave(): void {
    const { device, text, outcomes, control } = this;
    const frozen = this.pauseReason === "pause" ? this.frozen : null;
    lastVisits.set(this.monitor, Object.assign({ device, text, outcomes, control }, { frozen }));
  }

  /** Freeze the list. New events are counted but not shown. */
  freeze(reason: PauseReason = "pause"): void {
    if (!this.frozen) this.frozen = { traces: this.monitor.traces, reason };
    else if (this.frozen.reason === "scroll") this.frozen = { ...this.frozen, reason };
  }

  /** Resume if the list was frozen by scrolling, but not if the user paused or selected a row. */
  onScrolledToEnd(): void {
    if (this.pauseReason === "scroll") this.resume();
  }

  /** Show live events again and clear the selection. */
  resume = (): void => {
    this.frozen = null;
    this.selectedSequence = null;
  };

  select(trace: TraceView): void {
    this.freeze("selection");
    this.selectedSequence = trace.sequence;
  }

  toggle(outcome: TraceOutcome): void {
    const next = new Set(this.outcomes);
    if (!next.delete(outcome)) next.add(outcome);
    this.outcomes = next;
  }

  clear(): void {
    this.monitor.clear();
    this.resume();
  }

  showAll(): void {
    this.device = this.text = "";
    this.control = null;
    this.waitsForTouch = false;
    this.outcomes = new Set(OUTCOMES.filter((one) => !HIDDEN_OUTCOMES.has(one)));
  }

  /** Start or cancel the selection of a control by touch. `onTouch` receives each touch. */
  toggleTouch(): void {
    this.waitsForTouch = !this.waitsForTouch;
    this.control = null;
    this.totalAtTouchStart = this.monitor.total;
  }

  onTouch(event: EventView | null): void {
    if (!this.waitsForTouch || !event || this.monitor.total === this.totalAtTouchStart) return;
    this.control = event;
    this.waitsForTouch = false;
    this.resume();
  }
}
