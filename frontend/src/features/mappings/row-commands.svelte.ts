/** The commands for the selected rows: delete, toggle, copy, paste, move. */
import { scopeName } from "$lib/scopes";
import { isStale, words } from "$lib/client/client";
import type { MappingInput } from "$lib/client/types";
import { type PlacedRow } from "$lib/state/config.svelte";
import {
  toMappingInput,
  createChanges,
  deleteChanges,
  mappings,
  moveChanges,
  toggleChanges,
  type Plan,
} from "./changes";
import { isSameConfig } from "./draft.svelte";
import type { MappingsController } from "./mappings.controller.svelte";
import { keyOf } from "./rows";
import { strings } from "./strings";

/** The rows that Copy or Cut stored. */
interface Clipboard {
  mappings: MappingInput[];
  /** Whether pasting moves the rows instead of copying them. */
  cut: boolean;
}

export class RowCommands {
  /** What the next paste inserts. */
  clipboard = $state.raw<Clipboard | null>(null);

  constructor(private readonly view: MappingsController) {}

  async remove(): Promise<void> {
    const rows = this.view.chosen;
    if (!rows.length) return;
    const first = this.view.order.indexOf(keyOf(rows[0]!.scope, rows[0]!.index));
    if (
      !(await this.run(
        { changes: deleteChanges(rows), keys: [] },
        strings.deleteReason(nameOf(rows)),
        strings.deleted(nameOf(rows)),
      ))
    )
      return;
    const { order, selection } = this.view;
    selection.at = order[Math.min(first, order.length - 1)] ?? null;
  }

  /** Switch rows off if all of them are on, else on. */
  async toggle(rows: readonly PlacedRow[] = this.view.chosen): Promise<void> {
    const enabled = !rows.every((row) => row.mapping.enabled);
    await this.run(
      { changes: toggleChanges(rows, enabled), keys: [...this.view.selection.keys] },
      strings.switchReason(nameOf(rows), enabled),
      strings.switched(nameOf(rows), enabled),
    );
  }

  async duplicate(): Promise<void> {
    const { chosen } = this.view;
    const last = chosen.at(-1);
    if (!last) return;
    const copies = chosen.map((row) => toMappingInput(row.mapping));
    await this.run(
      createChanges(copies, last.scope, last.index + 1),
      strings.duplicateReason(nameOf(chosen)),
      strings.duplicated(nameOf(chosen)),
    );
  }

  copy(cut = false): void {
    const { app, chosen } = this.view;
    if (!chosen.length) return;
    this.clipboard = { mappings: chosen.map((row) => toMappingInput(row.mapping)), cut };
    app.ui.toast(strings.clipboardFilled(cut, mappings(chosen.length)));
  }

  async paste({ scope, at } = this.view.place()): Promise<void> {
    const { clipboard } = this;
    if (!clipboard) return;
    const rows = this.cutRows();
    // A cut row that has changed since cannot be moved; then all rows are copied.
    const moves = clipboard.cut && rows.length === clipboard.mappings.length;
    const plan = moves
      ? moveChanges(rows, scope, at, this.view.sizes())
      : createChanges(clipboard.mappings, scope, at);
    const name = mappings(clipboard.mappings.length);
    const pasted = await this.run(
      plan,
      (moves ? strings.moveReason : strings.copyReason)(name, scopeName(scope)),
      (moves ? strings.movedTo : strings.copiedTo)(name, scopeName(scope)),
    );
    if (pasted && clipboard.cut) this.clipboard = { ...clipboard, cut: false };
  }

  /** Return the rows that were cut and still exist. */
  cutRows(): PlacedRow[] {
    if (!this.clipboard?.cut) return [];
    const { rows } = this.view.app.config;
    return this.clipboard.mappings
      .map((mapping) => rows.find((row) => isSameConfig(row.mapping, mapping)))
      .filter((row) => row !== undefined);
  }

  async moveTo(scope: string, at: number, copy = false): Promise<void> {
    const rows = this.view.chosen;
    const inputs = rows.map((row) => toMappingInput(row.mapping));
    const plan = copy
      ? createChanges(inputs, scope, at)
      : moveChanges(rows, scope, at, this.view.sizes());
    const name = nameOf(rows);
    const target = scopeName(scope);
    if (copy)
      await this.run(plan, strings.copyReason(name, target), strings.copiedTo(name, target));
    else if (rows.every((row) => row.scope === scope))
      await this.run(plan, strings.reorderReason(name), strings.reordered(name));
    else await this.run(plan, strings.moveReason(name, target), strings.movedTo(name, target));
  }

  /** Move the selected rows one place up or down in their group. */
  async shift(by: 1 | -1): Promise<void> {
    const { chosen } = this.view;
    const [first, last] = [chosen[0], chosen.at(-1)];
    if (!first || !last || first.scope !== last.scope) return;
    const at = by < 0 ? first.index - 1 : last.index + 2;
    if (at >= 0 && at <= (this.view.sizes()[first.scope] ?? 0)) await this.moveTo(first.scope, at);
  }

  /**
   * Commit changes and select their rows. A refused change keeps the selection.
   * @param reason the entry in the history, such as “Delete Note 36”
   * @param done the text of the toast, such as “Deleted Note 36”
   */
  private async run({ changes, keys }: Plan, reason: string, done: string): Promise<boolean> {
    const { app, editor, selection } = this.view;
    if (!changes.length || !(await editor.mayLeave())) return false;
    const { config, ui } = app;
    try {
      await config.commit(changes, reason);
    } catch (error) {
      if (isStale(error)) {
        await config.load();
        ui.toast(strings.changedMeanwhile, {
          tone: "warning",
        });
      } else ui.toast(words(error), { tone: "error" });
      return false;
    }
    this.view.onCommitted(done);
    selection.set(keys);
    editor.openSelected();
    return true;
  }
}

function nameOf(rows: readonly PlacedRow[]): string {
  const row = rows[0];
  return rows.length === 1 && row
    ? row.mapping.description || row.words.trigger
    : mappings(rows.length);
}
