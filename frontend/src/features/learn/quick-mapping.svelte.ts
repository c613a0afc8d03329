/** A new mapping in the quick editor, with its preview and its conflicts with other mappings. */
import { modeScope, scopeFields } from "$lib/scopes";
import { FieldErrors, isUntouched, missingArguments } from "$forms";
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
import type { PlacedRow } from "$lib/state/config.svelte";
import type { State } from "$lib/state/state";
import { strings } from "./strings";
import { findTaken, gestureOf, waysBeside, type Beside } from "./taken";

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
  /** The mapping that the trigger belonged to at the start, in the chosen scope; null: none. */
  readonly taken: PlacedRow | null;
  /** What can be chosen instead of a mapping that never acts; empty: nothing must be chosen. */
  readonly waysBeside: Beside[];
  /** What the user has chosen of it. */
  beside = $state<Beside | null>(null);
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
    const rows = $derived(app.config.rowsOf(this.scope));
    const blocking = $derived(this.trigger && findTaken(rows, this.trigger));
    this.taken = $derived(findTaken(rows, start) ?? null);
    this.waysBeside = $derived(
      this.taken && (this.beside || blocking) ? waysBeside(rows, start) : [],
    );
    this.fieldErrors = new FieldErrors(() => missingArguments(this.action, app.servers.servers));
    this.ready = $derived(
      this.action !== null &&
        !this.checking &&
        !this.problem &&
        !Object.keys(this.errors).length &&
        (!blocking || this.beside === "replace"),
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
    if (this.trigger?.type !== trigger.type) this.fieldErrors.restart("trigger");
    this.trigger = trigger;
    if (this.beside === "replace") this.beside = null;
    this.scheduleCheck();
  };
  setAction = (action: ActionInput | null): void => {
    if (this.action?.type !== action?.type) this.fieldErrors.restart("action");
    this.action = action;
    this.scheduleCheck();
  };
  setScope = (scope: string): void => {
    this.scope = scope;
    this.scheduleCheck();
  };

  setDescription = (description: string): void => {
    this.description = description;
    this.scheduleCheck();
  };
  /** Replace the mapping of the trigger, or use another gesture of its control. */
  choose = (way: Beside): void => {
    this.setTrigger(way === "replace" ? this.start : gestureOf(this.start, way));
    this.beside = way;
    // A mapping that is replaced keeps its name, which the form shows.
    if (this.description === "" || this.description === this.takenName)
      this.description = way === "replace" ? this.takenName : "";
  };

  private get takenName(): string {
    return this.taken?.mapping.description ?? "";
  }

  /** Whether something was filled in that would be lost. */
  get touched(): boolean {
    const isNamed = this.description !== "" && this.description !== this.takenName;
    return isNamed || !isUntouched(this.action, this.start);
  }

  /** Return whether the mapping can be discarded. Ask the user if something was filled in. */
  async confirmDiscard(): Promise<boolean> {
    if (this.saving) return false;
    if (!this.touched) return true;
    const { trigger, action } = this.words ?? {};
    return this.app.ui.confirm({
      title: strings.discardMappingTitle,
      text: strings.discardMappingText(
        this.description || [trigger, action].filter(Boolean).join(" → "),
      ),
      confirm: strings.discard,
      danger: true,
    });
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
      if (Object.keys(this.errors).length) return (this.fieldErrors.showAll(), false);
      const { words } = this;
      const done = (): string => strings.mapped(words?.trigger ?? strings.aControl);
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
    const { trigger, action, description, taken } = this;
    if (!trigger || !action) return null;
    const place = scopeFields(this.scope);
    if (this.beside === "replace" && taken)
      return { change_type: "UpdateMapping", ...place, index: taken.index, action, description };
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
      const { words, error } = await describeDraft(this.app.client, trigger, action);
      if (!isLatest()) return;
      if (words) this.words = words;
      if (error) throw error;
      const change = this.toChange();
      const [proof, missing] = await Promise.all([
        change ? this.app.config.preview([change]) : null,
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
