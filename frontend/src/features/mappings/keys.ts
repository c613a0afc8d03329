/** Keyboard handling of the list of mappings. */
import type { MappingsController } from "./mappings.controller.svelte";

const PAGE = 10;

export function gridKeys(view: MappingsController, event: KeyboardEvent): void {
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

function plain(view: MappingsController, event: KeyboardEvent): Run {
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
    Delete: () => view.commands.remove(),
    Backspace: () => view.commands.remove(),
    " ": () => view.commands.toggle(),
    Escape: () => (view.selection.keys.size ? view.close() : view.filter.clear()),
  };
  return does[event.key];
}

function withCommand(view: MappingsController, event: KeyboardEvent): Run {
  const does: Record<string, () => unknown> = {
    a: () => view.pickAll(view.order),
    c: () => view.commands.copy(),
    x: () => view.commands.copy(true),
    v: () => view.commands.paste(),
    d: () => view.commands.duplicate(),
  };
  return event.shiftKey ? undefined : does[event.key.toLowerCase()];
}

function withAlt(view: MappingsController, event: KeyboardEvent): Run {
  if (event.key === "ArrowUp") return () => view.commands.shift(-1);
  return event.key === "ArrowDown" ? () => view.commands.shift(1) : undefined;
}

function go(
  view: MappingsController,
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
