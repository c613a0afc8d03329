/** View model of the inspector, which edits, saves and closes the draft of a mapping. */
import { confirmDiscard } from "$forms";
import type { Wording } from "$language/language.svelte";
import { isStale } from "$lib/client/client";
import type { ChangeInput, Mapping, MappingInput } from "$lib/client/types";
import { goThereAndBack } from "$lib/dead-end";
import { scopeName } from "$lib/scopes";
import { nameInHistory, nameMapping } from "$ui";
import { moveChanges } from "./changes";
import { Draft, isSameConfig } from "./draft.svelte";
import type { MappingsController } from "./mappings.controller.svelte";
import { keyOf } from "./rows";
import { strings } from "./strings";

/** The answer of the user to the question about unsaved changes. */
export type LeaveAnswer = "save" | "discard" | "stay";

export class EditorController {
  /** The draft of the selected or new mapping; null unless exactly one row is selected. */
  draft = $state.raw<Draft | null>(null);
  /** Receives the answer of the dialog about unsaved changes; null: the dialog is closed. */
  leaveQuestion = $state.raw<((answer: LeaveAnswer) => void) | null>(null);

  /** The save in progress; null: none. */
  private saving: Promise<boolean> | null = null;

  constructor(private readonly view: MappingsController) {}

  private createDraft(scope: string, index: number | null, base: Mapping | null): Draft {
    const { client, config, servers } = this.view.app;
    return new Draft(
      client,
      scope,
      index,
      base,
      () => servers.servers,
      (wanted) => config.rowsOf(wanted),
      () => config.hold_ms,
      (changes) => config.withNewModes(changes),
    );
  }

  /** Start a new mapping. @param plan_id the plan to close when the mapping is saved */
  async startDraft(
    start: Partial<MappingInput> = {},
    scope = this.view.currentScope,
    plan_id: string | null = null,
  ): Promise<void> {
    if (!(await this.confirmLeave())) return;
    // A row that was to be opened once it exists must not take the place of the new mapping.
    this.view.app.ui.clearParams();
    this.view.selection.clear();
    this.draft?.close();
    const draft = this.createDraft(scope, null, null);
    draft.plan_id = plan_id;
    if (start.trigger) draft.setTrigger(start.trigger);
    if (start.action) draft.setAction(start.action);
    if (start.description) draft.description = start.description;
    this.draft = draft;
    this.view.inspectorOpened = true;
  }

  /** Open the selected row. Closes the draft unless exactly one row is selected. */
  openSelected(): void {
    this.draft?.close();
    const { selectedRows } = this.view;
    const row = selectedRows.length === 1 ? selectedRows[0]! : null;
    this.draft = row ? this.createDraft(row.scope, row.index, row.mapping) : null;
  }

  /** Return whether the draft can be closed. Ask the user if there are unsaved changes. */
  async confirmLeave(): Promise<boolean> {
    // Changes that are being saved need no question.
    await this.saving;
    const { draft } = this;
    if (!draft?.dirty || draft.isUntouched) return true;
    const answer = await new Promise<LeaveAnswer>((resolve) => {
      // A second attempt to leave cancels the first one.
      this.leaveQuestion?.("stay");
      this.leaveQuestion = resolve;
    });
    this.leaveQuestion = null;
    if (answer === "stay") return false;
    if (answer === "discard") draft.reset(draft.base);
    return answer === "discard" || this.save();
  }

  /** Return whether a new mapping, or a draft without changes, can be closed. */
  async confirmClose(): Promise<boolean> {
    const { draft } = this;
    if (!draft || draft.index !== null || draft.saving) return this.confirmLeave();
    if (!draft.dirty || draft.isUntouched) return true;
    if (!(await confirmDiscard(this.view.app.ui, draft))) return false;
    draft.reset(null);
    return true;
  }

  /**
   * Make the mapping lead back from the mode to which it switches. A saved mapping of one scope
   * moves to all modes at once; otherwise the user saves the change.
   */
  async goThereAndBack(mode: string): Promise<void> {
    const { draft } = this;
    if (!draft) return;
    draft.setAction(goThereAndBack(draft.action, mode));
    if (draft.index === null) draft.setScope("global");
    else if (draft.scope !== "global") await this.save("global");
  }

  /**
   * Save the draft. Returns whether the draft has no unsaved changes afterwards.
   * @param scope the scope to which a saved mapping moves
   */
  async save(scope = this.draft?.scope ?? ""): Promise<boolean> {
    const { draft } = this;
    if (!draft || draft.saving || draft.conflict) return false;
    this.saving = this.saveDraft(draft, scope);
    try {
      return await this.saving;
    } finally {
      this.saving = null;
    }
  }

  private async saveDraft(draft: Draft, scope: string): Promise<boolean> {
    const { config } = this.view.app;
    const moves = scope !== draft.scope;
    const buildChanges = (): ChangeInput[] => {
      const change = draft.toChange();
      const row = moves ? config.row(draft.scope, draft.index ?? -1) : undefined;
      const counts = this.view.rowCounts();
      const move = row ? moveChanges([row], scope, counts[scope] ?? 0, counts).changes : [];
      return [...(change ? [change] : []), ...move];
    };
    draft.saving = true;
    try {
      await draft.finishCheck();
      if (!buildChanges().length) return !draft.dirty;
      // The shortcut must save nothing that the button does not save.
      if (Object.keys(draft.errors).length || draft.taken.isOpen)
        return (draft.showErrors(), false);
      const { description, words } = draft;
      const before = draft.taken.replaced?.index ?? draft.index;
      const old = config.row(draft.scope, before ?? -1)?.words;
      const done = (): string => {
        const name = words
          ? nameInHistory(description, words)
          : nameMapping(description, strings.aMapping);
        if (before === null) return strings.mapped(name);
        if (moves) return strings.movedTo(name, scopeName(scope));
        return !description && old && words && old.trigger !== words.trigger
          ? strings.changedInto(old.trigger, name)
          : strings.changed(name);
      };
      if (draft.plan_id !== null) this.view.app.plans.edited.add(draft.plan_id);
      const hash = await this.commit(draft, buildChanges, done);
      if (hash === null) return false;
      const last = (this.view.rowCounts()[scope] ?? 1) - 1;
      const index = moves ? last : (before ?? last);
      draft.scope = scope;
      this.view.selection.set([keyOf(scope, index)]);
      if (draft.plan_id !== null) void this.view.app.plans.markEdited(draft.plan_id, hash);
      draft.plan_id = null;
      draft.index = index;
      draft.reset(config.row(scope, index)?.mapping ?? null);
      return true;
    } finally {
      draft.saving = false;
    }
  }

  /** Find the mapping of the draft again after the config changed, or mark a conflict. */
  followConfig(): void {
    const { draft } = this;
    if (!draft || draft.saving) return;
    draft.recheck();
    if (draft.index === null) return;
    const { selectedRows } = this.view;
    const row = selectedRows.length === 1 ? selectedRows[0]! : null;
    if (row && draft.base && isSameConfig(row.mapping, draft.base)) {
      draft.scope = row.scope;
      draft.index = row.index;
    } else if (!draft.dirty) this.openSelected();
    else draft.conflict = row ? "changed" : "deleted";
  }

  /** Resolve a conflict: the draft replaces the changed row, or becomes a new mapping. */
  keepMine(): void {
    const { draft } = this;
    if (!draft) return;
    const { selectedRows, scopes } = this.view;
    const row = draft.conflict === "changed" ? selectedRows[0] : undefined;
    draft.conflict = null;
    draft.base = row?.mapping ?? null;
    draft.scope = row?.scope ?? (scopes.includes(draft.scope) ? draft.scope : "global");
    draft.index = row?.index ?? null;
    draft.taken.follow(draft.trigger);
  }

  /**
   * Commit the changes of the draft; if the config changed meanwhile, ask the user and try again.
   * Resolves to the hash of the saved config, or null if it was not saved.
   * @param done the entry in the history and the text of the toast
   */
  private async commit(
    draft: Draft,
    buildChanges: () => ChangeInput[],
    done: Wording,
  ): Promise<string | null> {
    const { config, ui } = this.view.app;
    let hash: string;
    try {
      hash = await config.commit(buildChanges(), done);
    } catch (error) {
      if (!isStale(error)) return (draft.showError(error), null);
      await config.load();
      this.view.followConfig();
      if (draft.conflict) return null;
      const again = await ui.confirm({
        title: strings.configChangedMeanwhile,
        text: strings.saveOnTopQuestion,
        confirm: strings.save,
      });
      return again && buildChanges().length ? this.commit(draft, buildChanges, done) : null;
    }
    this.view.onCommitted(done(), hash);
    return hash;
  }
}
