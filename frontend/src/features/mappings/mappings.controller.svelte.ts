/** View model of the Mappings view: the rows, the selection and the commands. */
import { tick } from "svelte";
import { modeScope, profileScope } from "$lib/scopes";
import type { ConfigView, ControlRef, Overlap } from "$lib/client/types";
import type { PlacedRow } from "$lib/state/config.svelte";
import type { PlanEdit } from "$lib/state/navigation";
import type { State } from "$lib/state/state";
import type { Draft } from "./draft.svelte";
import { focusInspector, focusRows } from "./keys";
import { EditorController } from "./editor.controller.svelte";
import { findFollowedKey } from "./reconcile";
import { RowCommands } from "./row-commands.svelte";
import { RowFilter } from "./row-filter.svelte";
import { overlapsByKey } from "$lib/overlaps";
import { groupRows, keyOf, splitKey } from "./rows";
import { Selection } from "./selection.svelte";

export class MappingsController {
  /** The filter of the rows. */
  readonly filter = new RowFilter();
  /** The keys of the selected rows. */
  readonly selection = new Selection();
  /** The view model of the inspector. */
  readonly editor = new EditorController(this);
  /** The commands for the selected rows. */
  readonly commands = new RowCommands(this);
  /** The scopes whose groups are collapsed. */
  folded = $state.raw<ReadonlySet<string>>(new Set());

  /**
   * Whether the inspector was opened, by a click, Enter or a new mapping. Moving the selection with
   * the arrow keys does not open it, so that the list stays visible without room for both.
   */
  inspectorOpened = $state(false);
  /** The control whose name is being changed. */
  renamed = $state.raw<{ device: string; control: ControlRef } | null>(null);

  /** The scopes in the order of the list: modes, global, profiles. */
  readonly scopes: string[];
  /** The rows that pass the filter, by scope. */
  readonly groups: ReturnType<typeof groupRows>;
  /** The keys of the visible rows, from top to bottom. */
  readonly order: string[];
  /** The selected rows, in the order of the config. */
  readonly selectedRows: PlacedRow[];
  /** The conflicts of each row, by its key. */
  readonly overlaps: ReturnType<typeof overlapsByKey>;
  /** The config that the selection refers to. */
  private followedView: ConfigView | null = null;

  constructor(readonly app: State) {
    const { config } = app;
    this.scopes = $derived([
      ...config.modes.map((mode) => modeScope(mode.name)),
      "global",
      ...config.profiles.map((profile) => profileScope(profile.name)),
    ]);
    this.groups = $derived(groupRows(config.rows, this.scopes, this.filter.value));
    this.order = $derived(
      this.groups
        .filter((group) => !this.folded.has(group.scope))
        .flatMap((group) => group.rows.map((row) => keyOf(row.scope, row.index))),
    );
    this.selectedRows = $derived(
      config.rows.filter((row) => this.selection.has(keyOf(row.scope, row.index))),
    );
    this.overlaps = $derived(overlapsByKey(config.view?.overlaps ?? []));
    this.followedView = config.view;
  }

  /** Return the conflicts of a draft, including conflicts that saving the draft would cause. */
  overlapsOf(draft: Draft): Overlap[] {
    const key = draft.index === null ? null : keyOf(draft.scope, draft.index);
    if (!draft.proof) return key ? (this.overlaps.get(key) ?? []) : [];
    const place = key?.replace("#", " #");
    return draft.proof.overlaps.filter(
      (overlap) => overlap.is_new || (place && overlap.places.includes(place)),
    );
  }

  /**
   * Return the position at which pasted rows are inserted: after the focused row if it is
   * selected, or else at the end of the current mode.
   */
  insertPosition(): { scope: string; at: number } {
    const { focusedKey } = this.selection;
    if (focusedKey && this.selection.has(focusedKey)) {
      const { scope, index } = splitKey(focusedKey);
      if (this.scopes.includes(scope))
        return { scope, at: Math.min(index + 1, this.rowCounts()[scope] ?? 0) };
    }
    const scope = this.currentScope;
    return { scope, at: this.rowCounts()[scope] ?? 0 };
  }

  /** The scope of the current mode, to which a new mapping is added. */
  get currentScope(): string {
    const mode = modeScope(this.app.modes.current);
    return this.scopes.includes(mode) ? mode : (this.scopes[0] ?? "global");
  }

  /** Return the number of rows of each scope, without the filter. */
  rowCounts(): Record<string, number> {
    return Object.fromEntries(this.groups.map((group) => [group.scope, group.total]));
  }

  async select(key: string, how: "only" | "toggle" | "extend" = "only"): Promise<void> {
    const { draft } = this.editor;
    if (how === "only" && this.selection.only === key && draft && draft.index !== null)
      return void (this.selection.focusedKey = key);
    if (!(await this.editor.confirmLeave())) return;
    if (how === "toggle") this.selection.toggle(key);
    else if (how === "extend") this.selection.extend(key, this.order);
    else this.selection.set([key]);
    this.editor.openSelected();
  }

  /** Open a row to change its action. For a keystroke, the recorder starts. */
  async editAction(key: string): Promise<void> {
    await this.select(key);
    const { draft } = this.editor;
    if (this.selection.only !== key || !draft) return;
    this.inspectorOpened = true;
    draft.editsAction = true;
  }

  async selectAll(keys: readonly string[]): Promise<void> {
    if (!(await this.editor.confirmLeave())) return;
    this.selection.set(keys);
    this.editor.openSelected();
  }

  /** Select one row, after removing the filter and expanding the group that hide the row. */
  async show(scope: string, index: number, edit?: PlanEdit): Promise<void> {
    this.filter.clear();
    this.folded = new Set([...this.folded].filter((folded) => folded !== scope));
    await this.select(keyOf(scope, index));
    this.inspectorOpened = true;
    const { draft } = this.editor;
    if (!edit || draft?.scope !== scope || draft.index !== index) return;
    draft.edit(edit);
    await tick();
    focusInspector();
  }

  async close(): Promise<void> {
    const focused = document.activeElement;
    // The body has the focus if the focused button has just been disabled or replaced.
    const isFocusHere =
      focused === document.body || !!focused?.closest("[data-inspector], [role='dialog']");
    if (!(await this.editor.confirmClose())) return;
    this.inspectorOpened = false;
    this.selection.clear();
    this.editor.openSelected();
    await tick();
    if (isFocusHere) focusRows();
  }

  toggleGroup(scope: string): void {
    const next = new Set(this.folded);
    if (!next.delete(scope)) next.add(scope);
    this.folded = next;
  }

  /** Find the selected mappings and the draft again after the config changed. */
  followConfig(): void {
    const before = this.followedView;
    const { view, rows } = this.app.config;
    if (!view || view === before) return;
    this.followedView = view;
    if (!before) return;
    const keys = new Map(
      [...this.selection.keys].map((key) => [key, findFollowedKey(key, before, rows)] as const),
    );
    const { focusedKey } = this.selection;
    this.selection.set([...keys.values()].filter((key) => key !== null));
    const followed = focusedKey === null ? null : keys.get(focusedKey);
    if (followed) this.selection.focusedKey = followed;
    this.editor.followConfig();
  }

  /**
   * Show a toast with an Undo button after a change from this view, which selects its own rows.
   * @param done the text of the toast, such as “Deleted Note 36”
   * @param hash of the config that the change made
   */
  onCommitted(done: string, hash: string): void {
    const { config } = this.app;
    this.followedView = config.view;
    config.showChange(done, hash);
  }
}
