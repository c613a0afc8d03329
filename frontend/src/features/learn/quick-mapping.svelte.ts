/** A new mapping in the quick editor, with its preview and its conflicts with other mappings. */
import { modeScope, scopeFields } from "$lib/scopes";
import {
  confirmDiscard,
  FieldErrors,
  isUntouched,
  missingArguments,
  TakenChoice,
  type Resolution,
} from "$forms";
import { ApiError, isStale, errorMessage } from "$lib/client/client";
import type {
  ActionInput,
  ChangeInput,
  Proof,
  RowDescription,
  TriggerInput,
} from "$lib/client/types";
import { describeDraft, findMissing } from "$lib/describe";
import { LatestRequest } from "$lib/latest";
import type { State } from "$lib/state/state";
import { nameInHistory, nameMapping } from "$ui";
import { strings } from "./strings";

const PAUSE_MS = 200;

export class QuickMapping {
  trigger = $state.raw<TriggerInput | null>(null);
  action = $state.raw<ActionInput | null>(null);
  scope = $state("");
  words = $state.raw<RowDescription | null>(null);
  proof = $state.raw<Proof | null>(null);
  /** What the mapping uses but this computer lacks. */
  missing = $state.raw<string[]>([]);
  problem = $state<string | null>(null);
  checking = $state(false);
  saving = $state(false);
  description = $state("");
  /** What becomes of the mapping that the trigger belongs to, in the chosen scope. */
  readonly taken: TakenChoice;
  /** The place of the mapping after it was saved. */
  place: { scope: string; index: number } | null = null;
  private readonly fieldErrors: FieldErrors;
  readonly ready: boolean;
  private readonly checks = new LatestRequest();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly app: State,
    private readonly start: TriggerInput,
    action: ActionInput | null,
    mode: string,
  ) {
    this.scope = modeScope(mode);
    this.trigger = start;
    this.action = action;
    this.taken = new TakenChoice(
      () => app.config.rowsOf(this.scope),
      () => this.trigger,
      () => app.config.hold_ms,
    );
    this.taken.follow(start);
    this.fieldErrors = new FieldErrors(() => missingArguments(this.action, app.servers.servers));
    this.ready = $derived(
      this.action !== null &&
        !this.checking &&
        !this.problem &&
        !Object.keys(this.errors).length &&
        !this.taken.isOpen,
    );
    this.scheduleCheck();
  }

  /** Error messages by field path, such as `trigger.note`. */
  get errors(): Readonly<Record<string, string>> {
    return this.fieldErrors.all;
  }
  /** The errors of the fields that the user has left. */
  get visibleErrors(): Readonly<Record<string, string>> {
    return this.fieldErrors.visible;
  }
  leaveField = (path: string): void => this.fieldErrors.leave(path);

  setTrigger = (trigger: TriggerInput): void => {
    this.taken.follow(trigger);
    this.changeTrigger(trigger);
  };
  setAction = (action: ActionInput | null): void => {
    if (this.action?.type !== action?.type) this.fieldErrors.restart("action");
    this.action = action;
    this.scheduleCheck();
  };
  setScope = (scope: string): void => {
    this.scope = scope;
    this.taken.follow(this.trigger);
    this.scheduleCheck();
  };

  setDescription = (description: string): void => {
    this.description = description;
    this.scheduleCheck();
  };
  choose = (way: Resolution): void => {
    const { trigger, name } = this.taken.choose(way, this.description);
    this.description = name;
    if (trigger) this.changeTrigger(trigger);
  };
  private changeTrigger(trigger: TriggerInput): void {
    if (this.trigger?.type !== trigger.type) this.fieldErrors.restart("trigger");
    this.trigger = trigger;
    this.scheduleCheck();
  }

  /** Whether something was filled in that would be lost. */
  get touched(): boolean {
    const isNamed = this.description !== "" && this.description !== this.taken.name;
    return isNamed || !isUntouched(this.action, this.start);
  }

  /** Return whether the mapping can be discarded. Ask the user if something was filled in. */
  async confirmDiscard(): Promise<boolean> {
    if (this.saving) return false;
    return !this.touched || confirmDiscard(this.app.ui, this);
  }

  /** Return whether the mapping can be left for something else. Offer to save it first. */
  async confirmLeave(): Promise<boolean> {
    if (this.saving) return false;
    if (!this.touched) return true;
    if (this.checking) await this.check(this.checks.start());
    return confirmDiscard(this.app.ui, this, this.ready ? () => this.save() : undefined);
  }

  close(): void {
    clearTimeout(this.timer);
    this.checks.cancel();
  }

  /**
   * Save the mapping. Resolves to whether the mapping was saved.
   * @param quiet whether no toast is shown, because the mapping is shown next
   */
  async save(quiet = false): Promise<boolean> {
    if (this.saving) return false;
    this.saving = true;
    const { config } = this.app;
    try {
      if (this.checking) await this.check(this.checks.start());
      const change = this.toChange();
      if (!change) return false;
      // The shortcut must save nothing that the button does not save.
      if (!this.ready) return (this.fieldErrors.showAll(), false);
      const { description, words } = this;
      const done = (): string =>
        strings.mapped(
          words ? nameInHistory(description, words) : nameMapping(description, strings.aControl),
        );
      const replaced = change.change_type === "UpdateMapping" ? change.index : null;
      const hash = await config.commit([change], done);
      const { scope } = this;
      this.place = { scope, index: replaced ?? config.rowsOf(scope).length - 1 };
      if (!quiet) config.showChange(done(), hash);
      return true;
    } catch (error) {
      if (isStale(error)) {
        await config.load();
        this.scheduleCheck();
        this.problem = strings.changedMeanwhile;
      } else {
        this.fieldErrors.showAll();
        this.showError(error);
      }
      return false;
    } finally {
      this.saving = false;
    }
  }

  private toChange(): ChangeInput | null {
    const { trigger, action, description } = this;
    const { replaced } = this.taken;
    if (!trigger || !action) return null;
    const place = scopeFields(this.scope);
    if (replaced)
      return { change_type: "UpdateMapping", ...place, index: replaced.index, action, description };
    const mapping = { trigger, action, ...(description ? { description } : {}) };
    return { change_type: "CreateMapping", ...place, mapping };
  }

  private scheduleCheck(): void {
    clearTimeout(this.timer);
    const isLatest = this.checks.start();
    this.checking = true;
    this.timer = setTimeout(() => void this.check(isLatest), PAUSE_MS);
  }

  private async check(isLatest: () => boolean): Promise<void> {
    clearTimeout(this.timer);
    try {
      const { trigger, action } = this;
      const { config } = this.app;
      const { words, error } = await describeDraft(this.app.client, trigger, action);
      if (!isLatest()) return;
      if (words) this.words = words;
      if (error) throw error;
      const change = this.toChange();
      const [proof, missing] = await Promise.all([
        change ? config.preview(config.withNewModes([change])) : null,
        findMissing(this.app.client, trigger, action),
      ]);
      if (!isLatest()) return;
      this.proof = proof;
      this.missing = missing;
      this.fieldErrors.set({});
      this.problem = null;
    } catch (error) {
      if (!isLatest()) return;
      this.proof = null;
      this.showError(error);
    } finally {
      if (isLatest()) this.checking = false;
    }
  }

  private showError(error: unknown): void {
    const fields = error instanceof ApiError ? error.fields : {};
    this.fieldErrors.set(fields);
    this.problem = Object.keys(fields).length ? null : errorMessage(error);
  }
}
