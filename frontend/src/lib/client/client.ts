/** The client of the backend: typed commands and events over a transport. */
import { capitalize } from "$language/format";
import { translateSentence } from "$language/sentences";
import type { Batch, Failure, Link, Transport } from "../transport/transport";
import type { Commands, Topics } from "./types";

/** Error of a command that the backend refused. */
export class ApiError extends Error {
  readonly code: string;
  readonly data: unknown;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "ApiError";
    this.code = failure.code;
    this.data = failure.data;
  }

  /** Error messages by field path, such as `changes.0.mapping.trigger.note`. */
  get fields(): Record<string, string> {
    const { fields = [] } = (this.data ?? {}) as { fields?: { path: string; message: string }[] };
    return Object.fromEntries(fields.map(({ path, message }) => [path, message]));
  }
}

/** Return whether an error means that the config has changed since it was read. */
export function isStale(error: unknown): boolean {
  return error instanceof ApiError && ["config_stale", "plan_stale"].includes(error.code);
}

/** Return the message of a caught value, which need not be an Error. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? capitalize(translateSentence(error.message)) : String(error);
}

type Params<M extends keyof Commands> = object extends Commands[M]["params"]
  ? [params?: Commands[M]["params"]]
  : [params: Commands[M]["params"]];

export class Client {
  private readonly handlers = new Map<string, Set<(payload: never) => void>>();
  private readonly linkHandlers = new Set<(link: Link) => void>();
  private readonly resyncHandlers = new Set<() => void>();
  private readonly batchHandlers = new Set<() => void>();
  /** The sequence number of the next event; null: any, as all state is loaded after connecting. */
  private expectedSequence: number | null = null;
  link: Link = "connecting";

  constructor(private readonly transport: Transport) {}

  /** Connect. Register handlers before this call, or events may be missed. */
  start(): void {
    this.transport.open({
      onBatch: (batch) => this.onBatch(batch),
      onLink: (link) => this.onLinkChange(link),
    });
  }

  /**
   * Call a command of the backend.
   * @throws ApiError if the backend refuses, ConnectionLost if no answer can arrive.
   */
  async call<M extends keyof Commands>(
    method: M,
    ...[params]: Params<M>
  ): Promise<Commands[M]["result"]> {
    const envelope = await this.transport.call(method, params ?? {});
    if (!envelope.ok) throw new ApiError(envelope.error);
    return envelope.result as Commands[M]["result"];
  }

  /** Register a handler for events of a topic. Returns a function that removes it. */
  on<T extends keyof Topics>(topic: T, handler: (payload: Topics[T]) => void): () => void {
    const set = this.handlers.get(topic) ?? new Set();
    this.handlers.set(topic, set);
    set.add(handler as (payload: never) => void);
    return () => set.delete(handler as (payload: never) => void);
  }

  onLink(handler: (link: Link) => void): () => void {
    this.linkHandlers.add(handler);
    return () => this.linkHandlers.delete(handler);
  }

  /** Register a handler that reloads state: called on each connection, and after lost events. */
  onResync(handler: () => void): () => void {
    this.resyncHandlers.add(handler);
    return () => this.resyncHandlers.delete(handler);
  }

  /** Register a handler that is called after each batch of events. */
  onBatchEnd(handler: () => void): () => void {
    this.batchHandlers.add(handler);
    return () => this.batchHandlers.delete(handler);
  }

  retry(): void {
    this.transport.retry();
  }

  close(): void {
    this.transport.close();
  }

  private onLinkChange(link: Link): void {
    this.link = link;
    if (link === "open") this.expectedSequence = null;
    this.linkHandlers.forEach((handler) => handler(link));
    if (link === "open") this.resync();
  }

  private onBatch(batch: Batch): void {
    let lost = false;
    for (const [seq, topic, payload] of batch) {
      lost ||= seq !== (this.expectedSequence ?? seq);
      this.expectedSequence = seq + 1;
      this.handlers.get(topic)?.forEach((handler) => handler(payload as never));
    }
    this.batchHandlers.forEach((handler) => handler());
    if (lost) this.resync();
  }

  private resync(): void {
    this.resyncHandlers.forEach((handler) => handler());
  }
}
