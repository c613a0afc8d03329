/** Drag and drop of rows, which moves the rows, or copies them with Ctrl or Alt. */
import type { PlacedRow } from "$lib/state/config.svelte";
import type { MappingsController } from "./mappings.controller.svelte";
import { keyOf } from "./rows";

const DRAG_TYPE = "application/x-conductor-mapping";

export class DragState {
  /** The drop target: the key of a row, or the scope of a group. */
  over = $state<string | null>(null);
  side = $state<"before" | "after">("after");
  active = $state(false);
  private target: { scope: string; at: number } | null = null;

  constructor(private readonly view: MappingsController) {}

  start(event: DragEvent, row: PlacedRow): void {
    const key = keyOf(row.scope, row.index);
    if (!this.view.selection.has(key)) {
      if (this.view.editor.draft?.dirty) return event.preventDefault();
      void this.view.select(key);
    }
    event.dataTransfer?.setData(DRAG_TYPE, key);
    if (event.dataTransfer) event.dataTransfer.effectAllowed = "copyMove";
    this.active = true;
  }

  hover(event: DragEvent, row: PlacedRow): void {
    if (!this.acceptDrag(event)) return;
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    this.side = event.clientY < box.top + box.height / 2 ? "before" : "after";
    this.over = keyOf(row.scope, row.index);
    this.target = { scope: row.scope, at: row.index + (this.side === "before" ? 0 : 1) };
  }

  /** Set a group as the drop target. @param at the index at which the dropped rows are inserted */
  hoverGroup(event: DragEvent, scope: string, at: number): void {
    if (!this.acceptDrag(event)) return;
    this.over = scope;
    this.target = { scope, at };
  }

  drop(event: DragEvent): void {
    const { target } = this;
    if (!this.active || !target) return;
    event.preventDefault();
    this.end();
    void this.view.commands.moveTo(target.scope, target.at, event.ctrlKey || event.altKey);
  }

  end(): void {
    this.active = false;
    this.over = this.target = null;
  }

  private acceptDrag(event: DragEvent): boolean {
    if (!this.active) return false;
    event.preventDefault();
    event.stopPropagation();
    if (event.dataTransfer)
      event.dataTransfer.dropEffect = event.ctrlKey || event.altKey ? "copy" : "move";
    return true;
  }
}
