/** The connection of the page to the backend, without types of commands and events. */
import { strings } from "../strings";

export interface Failure {
  code: string;
  message: string;
  data?: unknown;
}
export type Envelope = { ok: true; result: unknown } | { ok: false; error: Failure };
export type Batch = readonly (readonly [seq: number, topic: string, payload: unknown])[];

/** `refused`: the page's token is not accepted; only reopening the window helps. */
export type Link = "connecting" | "open" | "lost" | "refused";

export interface Listener {
  onBatch: (batch: Batch) => void;
  onLink: (link: Link) => void;
}

export interface Transport {
  /** Connect; reconnects automatically when the connection is lost. */
  open(listener: Listener): void;
  /** Call a command. Rejects with a `ConnectionLost` when no answer can arrive. */
  call(method: string, params: unknown): Promise<Envelope>;
  /** Reconnect now instead of waiting for the next attempt. */
  retry(): void;
  close(): void;
}

export class ConnectionLost extends Error {
  constructor() {
    super(strings.connectionLost);
    this.name = "ConnectionLost";
  }
}
