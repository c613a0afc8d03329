/** Commands for the selected rows: delete, toggle, duplicate, copy, cut, paste and move. */
import type { Wording } from "$language/language.svelte";
import { scopeName } from "$lib/scopes";
import { isStale, errorMessage } from "$lib/client/client";
import type { MappingInput } from "$lib/client/types";
import { type PlacedRow } from "$lib/state/config.svelte";
import { nameInHistory } from "$ui";
import {
  toMappingInput,
  createChanges,
  deleteChanges,
  countMappings,
  moveChanges,
  toggleChanges,
  type RowChanges,
} from "./changes";
import { isSameConfig } from "./draft.svelte";
import type { MappingsController } from "./mappings.controller.svelte";
import { keyOf } from "./rows";
import { strings } from "./strings";

/** The mappings that the user copied or cut. */
interface Clipboard {
  mappings: MappingInput[];
  /** Whether pasting moves the rows instead of copying them. */
  cut: boolean;
}

export class RowCommands {
  /** The mappings that the next paste inserts; null: none were copied or cut. */
  clipboard = $state.raw<Clipboard | null>(null);

  constructor(private readonly view: MappingsController) {}

  async remove(): Promise<void> {
    const rows = this.view.selectedRows;
    if (!rows.length) return;
    const first = this.view.order.indexOf(keyOf(rows[0]!.scope, rows[0]!.index));
    if (
      !(await this.commitChanges({ changes: deleteChanges(rows), keys: [] }, () =>
        strings.deleted(describeRows(rows)),
      ))
    )
      return;
    const { order, selection } = this.view;
    selection.focusedKey = order[Math.min(first, order.length - 1)] ?? null;
  }

  /** Switch rows off if all of them are on, otherwise switch them on. */
  async toggle(rows: readonly PlacedRow[] = this.view.selectedRows): Promise<void> {
    const enabled = !rows.every((row) => row.mapping.enabled);
    await this.commitChanges(
      { changes: toggleChanges(rows, enabled), keys: [...this.view.selection.keys] },
      () => strings.switched(describeRows(rows), enabled),
    );
  }

  /** Switch off a mapping while another one is edited, which stays open. */
  async switchOff(row: PlacedRow): Promise<void> {
    await this.view.app.config.apply(toggleChanges([row], false), () =>
      strings.switched(describeRows([row]), false),
    );
  }

  async duplicate(): Promise<void> {
    const { selectedRows } = this.view;
    const last = selectedRows.at(-1);
    if (!last) return;
    const copies = selectedRows.map((row) => toMappingInput(row.mapping));
    await this.commitChanges(createChanges(copies, last.scope, last.index + 1), () =>
      strings.duplicated(describeRows(selectedRows)),
    );
  }

  copy(cut = false): void {
    const { app, selectedRows } = this.view;
    if (!selectedRows.length) return;
    this.clipboard = { mappings: selectedRows.map((row) => toMappingInput(row.mapping)), cut };
    app.ui.toast(strings.clipboardFilled(cut, countMappings(selectedRows.length)));
  }

  async paste({ scope, at } = this.view.insertPosition()): Promise<void> {
    const { clipboard } = this;
    if (!clipboard) return;
    const rows = this.cutRows();
    // If a cut row has changed since, it cannot be moved, and all rows are copied.
    const moves = clipboard.cut && rows.length === clipboard.mappings.length;
    const plan = moves
      ? moveChanges(rows, scope, at, this.view.rowCounts())
      : createChanges(clipboard.mappings, scope, at);
    const pasted = await this.commitChanges(plan, () =>
      (moves ? strings.movedTo : strings.copiedTo)(
        countMappings(clipboard.mappings.length),
        scopeName(scope),
      ),
    );
    if (pasted && clipboard.cut) this.clipboard = { ...clipboard, cut: false };
  }

  /** Return the rows that were cut and have not changed since. */
  cutRows(): PlacedRow[] {
    if (!this.clipboard?.cut) return [];
    const { rows } = this.view.app.config;
    return this.clipboard.mappings
      .map((mapping) => rows.find((row) => isSameConfig(row.mapping, mapping)))
      .filter((row) => row !== undefined);
  }

  async moveTo(scope: string, at: number, copy = false): Promise<void> {
    const rows = this.view.selectedRows;
    const inputs = rows.map((row) => toMappingInput(row.mapping));
    const plan = copy
      ? createChanges(inputs, scope, at)
      : moveChanges(rows, scope, at, this.view.rowCounts());
    const isReordered = !copy && rows.every((row) => row.scope === scope);
    await this.commitChanges(plan, () => {
      const name = describeRows(rows);
      if (isReordered) return strings.reordered(name);
      return (copy ? strings.copiedTo : strings.movedTo)(name, scopeName(scope));
    });
  }

  /** Move the selected rows up or down by one position in their group. */
  async moveBy(by: 1 | -1): Promise<void> {
    const { selectedRows } = this.view;
    const [first, last] = [selectedRows[0], selectedRows.at(-1)];
    if (!first || !last || first.scope !== last.scope) return;
    const at = by < 0 ? first.index - 1 : last.index + 2;
    if (at >= 0 && at <= (this.view.rowCounts()[first.scope] ?? 0))
      await this.moveTo(first.scope, at);
  }

  /**
   * Commit changes and select the affected rows. If the commit fails, the selection stays.
   * @param done the entry in the history and the text of the toast, such as “Deleted Note 36”
   */
  private async commitChanges({ changes, keys }: RowChanges, done: Wording): Promise<boolean> {
    const { app, editor, selection } = this.view;
    if (!changes.length || !(await editor.confirmLeave())) return false;
    const { config, ui } = app;
    let hash: string;
    try {
      hash = await config.commit(changes, done);
    } catch (error) {
      if (isStale(error)) {
        await config.load();
        ui.toast(strings.changedMeanwhile, {
          tone: "warning",
        });
      } else ui.toast(errorMessage(error), { tone: "error" });
      return false;
    }
    this.view.onCommitted(done(), hash);
    selection.set(keys);
    editor.openSelected();
    return true;
  }
}

function describeRows(rows: readonly PlacedRow[]): string {
  const row = rows[0];
  return rows.length === 1 && row
    ? nameInHistory(row.mapping.description, row.words)
    : countMappings(rows.length);
}
