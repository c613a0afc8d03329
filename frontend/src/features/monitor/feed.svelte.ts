/** The events in the monitor: live or frozen, and filtered. */
import type { EventView, TraceView } from "$lib/client/types";
import { controlKey, type MonitorState } from "$lib/state/monitor.svelte";
import { HIDDEN, OUTCOMES, filterTraces, type Filter, type Shown } from "./filter";

export class Feed {
  device = $state("");
  text = $state("");
  outcomes = $state.raw<ReadonlySet<Shown>>(new Set(OUTCOMES.filter((one) => !HIDDEN.has(one))));
  /** The control to which the list is limited; null: all controls. */
  control = $state.raw<EventView | null>(null);
  /** Whether the next touch selects that control. */
  touching = $state(false);
  chosen = $state<number | null>(null);
  readonly rows: readonly TraceView[];
  readonly selected: number;
  /** The number of events that arrived since the list was frozen. */
  readonly missed: number;
  readonly filtered: boolean;
  private still = $state.raw<{ traces: TraceView[]; total: number; scrolled: boolean } | null>(
    null,
  );
  private from = 0;

  constructor(private readonly monitor: MonitorState) {
    const filter = $derived<Filter>({
      device: this.device,
      outcomes: this.outcomes,
      text: this.text,
      control: this.control && controlKey(this.control),
    });
    this.rows = $derived(
      filterTraces(this.still?.traces ?? monitor.traces, filter, monitor.failed),
    );
    this.selected = $derived(
      this.chosen === null ? -1 : this.rows.findIndex((trace) => trace.sequence === this.chosen),
    );
    this.missed = $derived(this.still ? Math.max(0, monitor.total - this.still.total) : 0);
    this.filtered = $derived(
      !!(this.device || this.text || this.control) ||
        OUTCOMES.some((one) => !HIDDEN.has(one) && !this.outcomes.has(one)),
    );
  }

  get held(): boolean {
    return this.still !== null;
  }

  /** Freeze the list; new events are still collected. */
  hold(scrolled = false): void {
    if (this.still) this.still = { ...this.still, scrolled: this.still.scrolled && scrolled };
    else this.still = { traces: this.monitor.traces, total: this.monitor.total, scrolled };
  }

  /** Called when the user scrolls to the end. Resumes unless the user paused or selected a row. */
  atEnd(): void {
    if (this.still?.scrolled) this.release();
  }

  /** Resume with the newest events. */
  release = (): void => {
    this.still = null;
    this.chosen = null;
  };

  choose(trace: TraceView): void {
    this.hold();
    this.chosen = trace.sequence;
  }

  toggle(outcome: Shown): void {
    const next = new Set(this.outcomes);
    if (!next.delete(outcome)) next.add(outcome);
    this.outcomes = next;
  }

  clear(): void {
    this.monitor.clear();
    this.release();
  }

  showAll(): void {
    this.device = this.text = "";
    this.control = null;
    this.touching = false;
    this.outcomes = new Set(OUTCOMES.filter((one) => !HIDDEN.has(one)));
  }

  /** Start or cancel selecting a control by touch; `touched` then receives each touch. */
  startTouch(): void {
    this.touching = !this.touching;
    this.control = null;
    this.from = this.monitor.total;
  }

  touched(event: EventView | null): void {
    if (!this.touching || !event || this.monitor.total === this.from) return;
    this.control = event;
    this.touching = false;
    this.release();
  }
}
