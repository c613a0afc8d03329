/** Keyboard handling of the list of mappings. */
import { tick } from "svelte";
import type { MappingsController } from "./mappings.controller.svelte";

const PAGE_ROWS = 10;

export function onGridKey(view: MappingsController, event: KeyboardEvent): void {
  const hasModifier = event.ctrlKey || event.metaKey;
  const run = hasModifier
    ? modifierKeyCommand(view, event)
    : event.altKey
      ? altKeyCommand(view, event)
      : plainKeyCommand(view, event);
  if (!run) return;
  event.preventDefault();
  event.stopPropagation();
  void run();
}

type KeyCommand = (() => unknown) | undefined;

function plainKeyCommand(view: MappingsController, event: KeyboardEvent): KeyCommand {
  const steps: Record<string, number | "first" | "last"> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: PAGE_ROWS,
    PageUp: -PAGE_ROWS,
    Home: "first",
    End: "last",
  };
  const step = steps[event.key];
  if (step !== undefined) return () => moveSelection(view, step, event.shiftKey);
  const commands: Record<string, () => unknown> = {
    Enter: () => openInspector(view),
    F2: () => view.selection.focusedKey && view.editAction(view.selection.focusedKey),
    Delete: () => view.commands.remove(),
    Backspace: () => view.commands.remove(),
    " ": () => view.commands.toggle(),
    Escape: () => (view.selection.keys.size ? view.close() : view.filter.clear()),
  };
  return commands[event.key];
}

function modifierKeyCommand(view: MappingsController, event: KeyboardEvent): KeyCommand {
  const commands: Record<string, () => unknown> = {
    a: () => view.selectAll(view.order),
    c: () => view.commands.copy(),
    x: () => view.commands.copy(true),
    v: () => view.commands.paste(),
    d: () => view.commands.duplicate(),
  };
  return event.shiftKey ? undefined : commands[event.key.toLowerCase()];
}

function altKeyCommand(view: MappingsController, event: KeyboardEvent): KeyCommand {
  if (event.key === "ArrowUp") return () => view.commands.moveBy(-1);
  return event.key === "ArrowDown" ? () => view.commands.moveBy(1) : undefined;
}

function moveSelection(
  view: MappingsController,
  step: number | "first" | "last",
  extend: boolean,
): Promise<void> | undefined {
  const to = view.selection.keyAfterStep(step, view.order);
  return to === null ? undefined : view.select(to, extend ? "extend" : "only");
}

async function openInspector(view: MappingsController): Promise<void> {
  view.inspectorOpened = true;
  await tick();
  focusInspector();
}

/** Focus the list. Returns false if the list is covered by the inspector. */
export function focusRows(): boolean {
  const rows = document.querySelector<HTMLElement>("[data-mapping-rows]");
  rows?.focus();
  return !!rows && document.activeElement === rows;
}

export function focusInspector(): void {
  document
    .querySelector<HTMLElement>(
      "[data-inspector] :is(input, button, [tabindex='0']):not([disabled])",
    )
    ?.focus();
}
