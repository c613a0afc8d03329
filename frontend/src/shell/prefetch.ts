/** Prefetches the code of views that have not been opened yet. */
import type { LazyCode } from "$lib/lazy-code.svelte";

/** The delay before prefetching, so that events and data of the first view come first. */
const START_AFTER_MS = 2_000;

/**
 * Load modules one at a time while the page is idle, so that switching views is immediate and works
 * even after Conductor has ended. Returns a function that stops the prefetching.
 */
export function prefetchWhenIdle(all: readonly LazyCode<unknown>[]): () => void {
  let stopped = false;
  const remaining = [...all];

  function loadNext(): void {
    const code = remaining.shift();
    if (stopped || !code) return;
    // Until a reload of the page, Chromium does not request a module again that it could not load.
    // So the first failure ends the prefetching, before it affects more modules.
    code.prefetch().then(
      () => whenIdle(loadNext),
      () => {},
    );
  }

  const timer = setTimeout(() => whenIdle(loadNext), START_AFTER_MS);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Call a function when the page is idle, or after 50 ms in WebKit, which has no idle callbacks. */
function whenIdle(run: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(run);
  else setTimeout(run, 50);
}
