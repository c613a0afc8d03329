/** Loads code before it is needed. */
import type { LazyCode } from "$lib/lazy-code.svelte";

/** Events and data of the first view come first. A user who is faster waits for the code. */
const START_AFTER_MS = 2_000;

/**
 * Load code while the page is idle, one module after the other: switching views is then immediate,
 * and works after Conductor has ended. Returns a function that stops it.
 */
export function prefetchWhenIdle(all: readonly LazyCode<unknown>[]): () => void {
  let stopped = false;
  const rest = [...all];

  function next(): void {
    const code = rest.shift();
    if (stopped || !code) return;
    // Chromium does not ask again for a module that it could not load before the page is reloaded.
    // So the first failure, which the user has not noticed, ends the prefetching.
    code.prefetch().then(
      () => whenIdle(next),
      () => {},
    );
  }

  const timer = setTimeout(() => whenIdle(next), START_AFTER_MS);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** WebKit has no idle callbacks. */
function whenIdle(run: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(run);
  else setTimeout(run, 50);
}
