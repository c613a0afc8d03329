/** The keys of the list of rows. */
import type { Mappings } from "./mappings.svelte";

const PAGE = 10;

export function gridKeys(view: Mappings, event: KeyboardEvent): void {
  const command = event.ctrlKey || event.metaKey;
  const run = command
    ? withCommand(view, event)
    : event.altKey
      ? withAlt(view, event)
      : plain(view, event);
  if (!run) return;
  event.preventDefault();
  event.stopPropagation();
  void run();
}

type Run = (() => unknown) | undefined;

function plain(view: Mappings, event: KeyboardEvent): Run {
  const steps: Record<string, number | "first" | "last"> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: PAGE,
    PageUp: -PAGE,
    Home: "first",
    End: "last",
  };
  const step = steps[event.key];
  if (step !== undefined) return () => go(view, step, event.shiftKey);
  const does: Record<string, () => unknown> = {
    Enter: () => focusInspector(),
    Delete: () => view.remove(),
    Backspace: () => view.remove(),
    " ": () => view.toggle(),
    Escape: () => (view.selection.keys.size ? view.close() : view.clearFilter()),
  };
  return does[event.key];
}

function withCommand(view: Mappings, event: KeyboardEvent): Run {
  const does: Record<string, () => unknown> = {
    a: () => view.pickAll(view.order),
    c: () => view.copy(),
    x: () => view.copy(true),
    v: () => view.paste(),
    d: () => view.duplicate(),
  };
  return event.shiftKey ? undefined : does[event.key.toLowerCase()];
}

function withAlt(view: Mappings, event: KeyboardEvent): Run {
  if (event.key === "ArrowUp") return () => view.shift(-1);
  return event.key === "ArrowDown" ? () => view.shift(1) : undefined;
}

function go(
  view: Mappings,
  step: number | "first" | "last",
  extend: boolean,
): Promise<void> | undefined {
  const to = view.selection.step(step, view.order);
  return to === null ? undefined : view.pick(to, extend ? "extend" : "only");
}

export function focusRows(): void {
  document.querySelector<HTMLElement>("[data-mapping-rows]")?.focus();
}

export function focusInspector(): void {
  document
    .querySelector<HTMLElement>(
      "[data-inspector] :is(input, button, [tabindex='0']):not([disabled])",
    )
    ?.focus();
}
