/** What is wrong with mappings: their last failure, and what they use but this computer lacks. */
import type { Client } from "../client/client";
import type { FailureTopic, TraceView } from "../client/types";
import { findFrontProblem, usesFrontApp } from "../describe";
import { LatestRequest } from "../latest";
import type { ConfigState, PlacedRow } from "./config.svelte";

/** The number of traces whose failures are loaded: all that the engine keeps. */
const RECENT_TRACES = 1_000;

export class RowProblems {
  /** What a mapping uses but this computer lacks, by `scope#index`. */
  private missing = $state.raw<ReadonlyMap<string, string[]>>(new Map());
  /** The last failure of each mapping, until it works or is changed, by `rowId`. */
  private failures = $state.raw<ReadonlyMap<string, FailureTopic>>(new Map());
  private readonly requests = new LatestRequest();
  private newFailures = new Map<string, FailureTopic | null>();
  /** Whether the failures that happened before the page was opened are loaded. */
  private hasEarlier = false;
  private removal: ((row: PlacedRow) => void) | null = null;

  constructor(
    private readonly client: Client,
    private readonly config: ConfigState,
  ) {
    client.on("failure", (failure) => {
      const row = config.row(failure.scope, failure.index);
      if (row) this.newFailures.set(rowId(row), failure);
    });
    client.on("trace", (trace) => this.onTrace(trace));
    client.onBatchEnd(() => this.applyBatch());
    client.onResync(() => (this.hasEarlier = false));
  }

  /** Call a function with each mapping that works again or was changed. */
  onSolved(removal: (row: PlacedRow) => void): void {
    this.removal = removal;
  }

  /**
   * Load what the mappings of the config use but this computer lacks, and once the failures that
   * happened before the page was opened.
   */
  async load(): Promise<void> {
    if (this.config.rows.length && !this.hasEarlier) void this.loadEarlier();
    const isLatest = this.requests.start();
    try {
      const { parts } = await this.client.call("config.missing", { action: null });
      if (!isLatest()) return;
      const missing = new Map<string, string[]>();
      for (const { scope, index, message } of parts) {
        const key = `${scope}#${index}`;
        missing.set(key, [...(missing.get(key) ?? []), message]);
      }
      const fronts = this.config.rows.filter((row) => usesFrontApp(row.mapping));
      const problem = fronts.length ? await findFrontProblem(this.client) : [];
      if (!isLatest()) return;
      for (const { scope, index } of fronts) {
        const key = `${scope}#${index}`;
        missing.set(key, [...(missing.get(key) ?? []), ...problem]);
      }
      this.missing = missing;
    } catch {
      // The marks stay as they are until the next change.
    }
  }

  /** Return the reason why the mapping failed last; null: it works, or has not been used. */
  failureOf(row: PlacedRow): string | null {
    return this.failures.get(rowId(row))?.reason ?? null;
  }

  /** Return everything that is wrong with a mapping. */
  of(row: PlacedRow): string[] {
    const failure = this.failureOf(row);
    const missing = this.missing.get(`${row.scope}#${row.index}`) ?? [];
    if (failure === null) return missing;
    const name = namedIn(failure);
    return [
      failure,
      ...missing.filter((text) => text !== failure && (!name || namedIn(text) !== name)),
    ];
  }

  private async loadEarlier(): Promise<void> {
    this.hasEarlier = true;
    try {
      const { traces, failures } = await this.client.call("monitor.recent", {
        limit: RECENT_TRACES,
      });
      for (const failure of failures) {
        const row = this.rowOf(failure);
        const last = row && this.failures.get(rowId(row));
        if (row && (!last || last.sequence < failure.sequence))
          this.newFailures.set(rowId(row), failure);
      }
      for (const trace of traces) this.onTrace(trace);
      this.applyBatch();
    } catch {
      this.hasEarlier = false; // The next change of the config tries again.
    }
  }

  /** Return the mapping of an earlier failure; undefined if it was changed or deleted since. */
  private rowOf({ scope, index, action }: FailureTopic): PlacedRow | undefined {
    const rows = this.config.rows.filter(
      (row) => row.scope === scope && contains(row.mapping.action, action),
    );
    return rows.find((row) => row.index === index) ?? (rows.length === 1 ? rows[0] : undefined);
  }

  private onTrace({ candidates, sequence }: TraceView): void {
    for (const { outcome, scope, index } of candidates) {
      const row = outcome === "fired" ? this.config.row(scope, index) : undefined;
      if (!row) continue;
      const id = rowId(row);
      const last = this.newFailures.get(id) ?? this.failures.get(id);
      // A failure can arrive before the trace of its event.
      if (last && last.sequence < sequence) this.newFailures.set(id, null);
    }
  }

  private applyBatch(): void {
    if (!this.newFailures.size) return;
    const failures = new Map(this.failures);
    for (const [id, failure] of this.newFailures) {
      if (failure) failures.set(id, failure);
      else failures.delete(id);
    }
    const solved = [...this.newFailures].filter(([, failure]) => !failure).map(([id]) => id);
    this.newFailures = new Map();
    this.failures = failures;
    if (!solved.length || !this.removal) return;
    for (const row of this.config.rows) if (solved.includes(rowId(row))) this.removal(row);
  }
}

/** Return what a message is about, such as an output, so that its absence is shown once. */
const namedIn = (text: string): string | undefined => /`[^`]+`/.exec(text)?.[0];

/** Return whether a value, or a part of it, has all fields of another value. */
function contains(whole: unknown, part: unknown): boolean {
  if (hasFields(whole, part)) return true;
  return (
    typeof whole === "object" &&
    whole !== null &&
    Object.values(whole).some((inner) => contains(inner, part))
  );
}

function hasFields(whole: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return whole === part;
  if (typeof whole !== "object" || whole === null) return false;
  return Object.entries(part).every(([key, value]) =>
    hasFields((whole as Record<string, unknown>)[key], value),
  );
}

/** Identify a mapping by what it does, so that its mark follows it when other rows are added. */
export function rowId({ scope, mapping: { trigger, action } }: PlacedRow): string {
  return `${scope} ${JSON.stringify([trigger, action])}`;
}
