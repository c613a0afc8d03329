/** A MIDI Learn session for one gesture, or for any. */
import { LearnSession } from "$forms";
import type { LearnSuggestion } from "$lib/client/types";
import type { State } from "$lib/state/state";
import { suggestionsFor, type Gesture } from "./gestures";

const IGNORED_KINDS = ["channel_pressure", "poly_pressure", "clock"];

export class GestureSession extends LearnSession {
  gesture = $state<Gesture>("any");
  /** The suggestions for the gesture. */
  readonly choices: LearnSuggestion[];
  /** The number of pressure messages that were ignored. */
  readonly ignoredCount: number;

  constructor({ client, config, ui }: State) {
    super(client, () => ui.learnsSilently);
    this.choices = $derived(suggestionsFor(this.suggestions, this.gesture, config.hold_ms));
    this.ignoredCount = $derived(
      this.suggestions.some((one) => one.trigger.type === "Aftertouch")
        ? 0
        : this.events.filter((event) => IGNORED_KINDS.includes(event.kind)).length,
    );
  }
}
