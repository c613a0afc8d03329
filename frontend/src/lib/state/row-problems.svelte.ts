/** What is wrong with mappings: their last failure, and what they use but this computer lacks. */
import type { Client } from "../client/client";
import type { FailureTopic } from "../client/types";
import { LatestRequest } from "../latest";
import type { ConfigState, PlacedRow } from "./config.svelte";

export class RowProblems {
  /** What a mapping uses but this computer lacks, by `scope#index`. */
  private missing = $state.raw<ReadonlyMap<string, string[]>>(new Map());
  /** The last failure of each mapping, until it works or is changed, by `rowId`. */
  private failures = $state.raw<ReadonlyMap<string, FailureTopic>>(new Map());
  private readonly requests = new LatestRequest();
  private newFailures = new Map<string, FailureTopic | null>();
  private removal: ((row: PlacedRow) => void) | null = null;

  constructor(
    private readonly client: Client,
    private readonly config: ConfigState,
  ) {
    client.on("failure", (failure) => {
      const row = config.row(failure.scope, failure.index);
      if (row) this.newFailures.set(rowId(row), failure);
    });
    client.on("trace", ({ candidates, sequence }) => {
      for (const { outcome, scope, index } of candidates) {
        const row = outcome === "fired" ? config.row(scope, index) : undefined;
        if (!row) continue;
        const id = rowId(row);
        const last = this.newFailures.get(id) ?? this.failures.get(id);
        // A failure can arrive before the trace of its event.
        if (last && last.sequence < sequence) this.newFailures.set(id, null);
      }
    });
    client.onBatchEnd(() => this.applyBatch());
  }

  /** Call a function with each mapping that works again or was changed. */
  onSolved(removal: (row: PlacedRow) => void): void {
    this.removal = removal;
  }

  /** Load what the mappings of the config use but this computer lacks. */
  async load(): Promise<void> {
    const isLatest = this.requests.start();
    try {
      const { parts } = await this.client.call("config.missing", { action: null });
      if (!isLatest()) return;
      const missing = new Map<string, string[]>();
      for (const { scope, index, message } of parts) {
        const key = `${scope}#${index}`;
        missing.set(key, [...(missing.get(key) ?? []), message]);
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
    return failure === null ? missing : [failure, ...missing.filter((text) => text !== failure)];
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

/** Identify a mapping by what it does, so that its mark follows it when other rows are added. */
export function rowId({ scope, mapping: { trigger, action } }: PlacedRow): string {
  return `${scope} ${JSON.stringify([trigger, action])}`;
}
