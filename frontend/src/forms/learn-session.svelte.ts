/** A MIDI Learn session, which listens to input and ends after a time-out without events. */
import { errorMessage, type Client } from "$lib/client/client";
import type { LearnEvent, LearnSuggestion } from "$lib/client/types";
import { LatestRequest } from "$lib/latest";

const POLL_MS = 200;

export class LearnSession {
  listening = $state(false);
  /** Whether the session is about to begin. */
  starting = $state(false);
  suggestions = $state.raw<LearnSuggestion[]>([]);
  events = $state.raw<LearnEvent[]>([]);
  error = $state<string | null>(null);
  /** The remaining listening time, in milliseconds. */
  remaining_ms = $state(0);
  timeout_ms = $state(0);
  /** Whether the last session ended by itself. */
  isTimeUp = $state(false);
  /** The description of the last event. */
  readonly lastEvent: string;
  /** The number and the time of the events at the last poll. */
  private heard = "";
  private timer: ReturnType<typeof setInterval> | undefined;
  private deadline = 0;
  private readonly sessions = new LatestRequest();
  private polling = false;

  /** @param isSilent whether mappings do nothing while the session listens */
  constructor(
    private readonly client: Client,
    private readonly isSilent: () => boolean,
  ) {
    this.lastEvent = $derived(this.events.at(-1)?.text ?? "");
  }

  async start(): Promise<void> {
    this.close();
    const isLatest = this.sessions.start();
    this.starting = true;
    this.error = null;
    this.isTimeUp = false;
    this.suggestions = [];
    this.events = [];
    try {
      const { timeout_ms } = await this.client.call("learn.start", { is_silent: this.isSilent() });
      if (!isLatest()) return;
      this.starting = false;
      this.listening = true;
      this.timeout_ms = timeout_ms;
      this.restartTimeout();
      this.timer = setInterval(() => void this.poll(isLatest), POLL_MS);
    } catch (failure) {
      if (!isLatest()) return;
      this.starting = false;
      this.error = errorMessage(failure);
    }
  }

  /** Let the session listen as long as a new one. */
  restartTimeout(): void {
    this.remaining_ms = this.timeout_ms;
    this.deadline = performance.now() + this.timeout_ms;
  }

  /** End the session and keep its suggestions. */
  stop(): void {
    if (!this.listening) return this.close();
    this.close();
    void this.client.call("learn.stop").catch(() => {});
  }

  /** Load the events and suggestions of the session. Each new event restarts the time-out. */
  private async poll(isLatest: () => boolean): Promise<void> {
    this.remaining_ms = Math.max(0, this.deadline - performance.now());
    if (this.remaining_ms === 0) {
      this.isTimeUp = true;
      return this.stop();
    }
    if (this.polling) return;
    this.polling = true;
    try {
      const { events, suggestions } = await this.client.call("learn.poll");
      if (!isLatest() || !this.listening) return;
      const heard = `${events.length} ${events.at(-1)?.time}`;
      if (heard !== this.heard) this.deadline = performance.now() + this.timeout_ms;
      this.heard = heard;
      this.events = events;
      this.suggestions = suggestions;
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
    this.starting = this.listening = false;
    this.remaining_ms = 0;
  }
}
