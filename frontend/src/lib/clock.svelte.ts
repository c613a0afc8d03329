/** The current time for texts such as “5 min ago”, which go on while they are shown. */
import { createSubscriber } from "svelte/reactivity";

/** The smallest unit of such texts is a minute, so they are at most this late. */
const TICK_MS = 15_000;

class Clock {
  private readonly subscribe = createSubscriber((update) => {
    const timer = setInterval(update, TICK_MS);
    return () => clearInterval(timer);
  });

  /** The current time in milliseconds. An effect that reads it runs again as the time goes on. */
  get now(): number {
    this.subscribe();
    return Date.now();
  }
}
export const clock = new Clock();
