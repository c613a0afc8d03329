/** A fake backend of handler functions, for tests and for the demo page. */
import {
  ConnectionLost,
  type Batch,
  type Envelope,
  type Failure,
  type Link,
  type Listener,
  type Transport,
} from "./transport";

export type Handlers = Record<string, (params: never) => unknown>;

/** Error that a handler throws to answer a call with a failure. */
export class Refusal extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

export class FakeTransport implements Transport {
  readonly calls: { method: string; params: unknown }[] = [];
  private listener: Listener | null = null;
  private seq = 0;
  private link: Link = "connecting";

  constructor(readonly handlers: Handlers = {}) {}

  open(listener: Listener): void {
    this.listener = listener;
    this.setLink("open");
  }

  async call(method: string, params: unknown): Promise<Envelope> {
    await Promise.resolve();
    if (this.link !== "open") throw new ConnectionLost();
    this.calls.push({ method, params });
    const handler = this.handlers[method];
    if (!handler)
      return {
        ok: false,
        error: { code: "unknown_command", message: `There is no command \`${method}\`.` },
      };
    try {
      return { ok: true, result: structuredClone(await handler(params as never)) };
    } catch (error) {
      if (error instanceof Refusal) return { ok: false, error: error.failure };
      throw error;
    }
  }

  /** Send events as one batch. */
  push(...events: [topic: string, payload: unknown][]): void {
    this.pushBatch(
      events.map(([topic, payload]) => [++this.seq, topic, structuredClone(payload)] as const),
    );
  }

  /** Skip sequence numbers, as if events were lost. */
  lose(count = 1): void {
    this.seq += count;
  }

  pushBatch(batch: Batch): void {
    this.listener?.onBatch(batch);
  }

  setLink(link: Link): void {
    if (link === "open") this.seq = 0;
    this.link = link;
    this.listener?.onLink(link);
  }

  called(method: string): unknown[] {
    return this.calls.filter((call) => call.method === method).map((call) => call.params);
  }

  retry(): void {
    this.setLink("open");
  }

  close(): void {
    this.listener = null;
  }
}
