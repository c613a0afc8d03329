/** A MIDI Learn session for one gesture, or for any. */
import { LearnSession } from "$forms";
import type { Client } from "$lib/client/client";
import type { LearnSuggestion } from "$lib/client/types";
import { suggestionsFor, type Gesture } from "./gestures";

const IGNORED_KINDS = ["channel_pressure", "poly_pressure", "clock"];

export class GestureSession extends LearnSession {
  gesture = $state<Gesture>("any");
  /** The suggestions for the gesture. */
  readonly choices: LearnSuggestion[];
  /** The number of pressure messages that were ignored. */
  readonly ignoredCount: number;

  constructor(client: Client, isSilent: () => boolean) {
    super(client, isSilent);
    this.choices = $derived(suggestionsFor(this.suggestions, this.gesture));
    this.ignoredCount = $derived(
      this.suggestions.some((one) => one.trigger.type === "Aftertouch")
        ? 0
        : this.events.filter((event) => IGNORED_KINDS.includes(event.kind)).length,
    );
  }
}
