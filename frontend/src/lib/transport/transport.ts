/** The untyped connection between the page and the backend. */
import { strings } from "../strings";

export interface Failure {
  code: string;
  message: string;
  data?: unknown;
}
export type Envelope = { ok: true; result: unknown } | { ok: false; error: Failure };
export type Batch = readonly (readonly [seq: number, topic: string, payload: unknown])[];

/** The state of the connection. `refused`: the token is not accepted, so reconnecting is futile. */
export type Link = "connecting" | "open" | "lost" | "refused";

export interface Listener {
  onBatch: (batch: Batch) => void;
  onLink: (link: Link) => void;
}

export interface Transport {
  /** Connect, and reconnect automatically whenever the connection is lost. */
  open(listener: Listener): void;
  /** Call a command. Rejects with `ConnectionLost` if no answer can arrive. */
  call(method: string, params: unknown): Promise<Envelope>;
  /** Reconnect now instead of waiting for the next attempt. */
  retry(): void;
  close(): void;
}

/** Error of a call whose answer cannot arrive because the connection is lost. */
export class ConnectionLost extends Error {
  constructor() {
    super(strings.connectionLost);
    this.name = "ConnectionLost";
  }
}
