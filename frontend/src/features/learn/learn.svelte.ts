/** One MIDI Learn session: it listens, ranks the candidates and ends after a time-out. */
import { errorMessage, type Client } from "$lib/client/client";
import type { LearnEvent, LearnSuggestion } from "$lib/client/types";
import { LatestRequest } from "$lib/latest";
import { suggestionsFor, type Gesture } from "./gestures";

const POLL_MS = 200;
const IGNORED_KINDS = ["channel_pressure", "poly_pressure", "clock"];

export class Learn {
  listening = $state(false);
  found = $state.raw<LearnSuggestion[]>([]);
  events = $state.raw<LearnEvent[]>([]);
  error = $state<string | null>(null);
  gesture = $state<Gesture>("any");
  /** The remaining listening time, in milliseconds. */
  left_ms = $state(0);
  timeout_ms = $state(0);
  readonly choices: LearnSuggestion[];
  /** A description of the last event. */
  readonly last: string;
  /** The number of pressure messages that were ignored. */
  readonly ignored: number;
  private timer: ReturnType<typeof setInterval> | undefined;
  private until = 0;
  private readonly sessions = new LatestRequest();
  private polling = false;

  constructor(private readonly client: Client) {
    this.choices = $derived(suggestionsFor(this.found, this.gesture));
    this.last = $derived(this.events.at(-1)?.text ?? "");
    this.ignored = $derived(
      this.found.some((one) => one.trigger.type === "Aftertouch")
        ? 0
        : this.events.filter((event) => IGNORED_KINDS.includes(event.kind)).length,
    );
  }

  async start(): Promise<void> {
    this.close();
    const isLatest = this.sessions.start();
    this.error = null;
    this.found = [];
    this.events = [];
    try {
      const { timeout_ms } = await this.client.call("learn.start");
      if (!isLatest()) return;
      this.listening = true;
      this.timeout_ms = this.left_ms = timeout_ms;
      this.until = performance.now() + timeout_ms;
      this.timer = setInterval(() => void this.tick(isLatest), POLL_MS);
    } catch (failure) {
      if (isLatest()) this.error = errorMessage(failure);
    }
  }

  /** End the session. Its candidates remain. */
  stop(): void {
    if (!this.listening) return this.close();
    this.close();
    void this.client.call("learn.stop").catch(() => {});
  }

  /** Poll for events; every new event restarts the time-out. */
  private async tick(isLatest: () => boolean): Promise<void> {
    this.left_ms = Math.max(0, this.until - performance.now());
    if (this.left_ms === 0) return this.stop();
    if (this.polling) return;
    this.polling = true;
    try {
      const { events, suggestions } = await this.client.call("learn.poll");
      if (!isLatest() || !this.listening) return;
      if (
        events.length !== this.events.length ||
        events.at(-1)?.time !== this.events.at(-1)?.time
      ) {
        this.events = events;
        this.until = performance.now() + this.timeout_ms;
      }
      this.found = suggestions;
    } catch (failure) {
      if (!isLatest()) return;
      this.error = errorMessage(failure);
      this.stop();
    } finally {
      this.polling = false;
    }
  }

  private close(): void {
    clearInterval(this.timer);
    this.sessions.cancel();
    this.listening = false;
  }
}
