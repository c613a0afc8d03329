/** How the page reaches Conductor: bytes, no types. */
import { strings } from "../strings";

export interface Failure {
  code: string;
  message: string;
  data?: unknown;
}
export type Envelope = { ok: true; result: unknown } | { ok: false; error: Failure };
export type Batch = readonly (readonly [seq: number, topic: string, payload: unknown])[];

/** `refused`: the page's key is not accepted; only opening the window again helps. */
export type Link = "connecting" | "open" | "lost" | "refused";

export interface Listener {
  onBatch: (batch: Batch) => void;
  onLink: (link: Link) => void;
}

export interface Transport {
  /** Starts; connects again by itself when the connection is lost. */
  open(listener: Listener): void;
  /** Rejects with a `ConnectionLost` when no answer can come. */
  call(method: string, params: unknown): Promise<Envelope>;
  /** Tries at once instead of waiting for the next try. */
  retry(): void;
  close(): void;
}

export class ConnectionLost extends Error {
  constructor() {
    super(strings.connectionLost);
    this.name = "ConnectionLost";
  }
}
