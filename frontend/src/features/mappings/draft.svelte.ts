/** A mapping that is being edited. Its description and effects are requested after each pause. */
import {
  actionForTrigger,
  FieldErrors,
  isUntouched,
  missingArguments,
  TakenChoice,
  type Resolution,
  type Choices,
  withControl,
  withoutGuess,
} from "$forms";
import { scopeFields } from "$lib/scopes";
import { ApiError, errorMessage, type Client } from "$lib/client/client";
import type {
  ActionInput,
  ChangeInput,
  Mapping,
  MappingInput,
  Proof,
  RowDescription,
  TriggerInput,
} from "$lib/client/types";
import { describeDraft, findMissing } from "$lib/describe";
import { LatestRequest } from "$lib/latest";
import type { PlanEdit } from "$lib/state/navigation";
import type { PlacedRow } from "$lib/state/config.svelte";

const PAUSE_MS = 250;

export class Draft {
  scope = $state("");
  /** The index of the mapping in its scope; null: the mapping is new. */
  index = $state<number | null>(null);
  trigger = $state.raw<TriggerInput | null>(null);
  action = $state.raw<ActionInput | null>(null);
  description = $state("");
  enabled = $state(true);
  words = $state.raw<RowDescription | null>(null);
  proof = $state.raw<Proof | null>(null);
  /** An error that does not belong to a field. */
  problem = $state<string | null>(null);
  /** What the action uses but this computer lacks. */
  missing = $state.raw<string[]>([]);
  checking = $state(false);
  saving = $state(false);
  /** How the mapping was changed elsewhere during editing; null: not changed. */
  conflict = $state<"changed" | "deleted" | null>(null);
  /** The mapping at the start of editing; null: the mapping is new. */
  base = $state.raw<Mapping | null>(null);
  /** The plan that proposed the mapping, which is discarded when the mapping is saved. */
  plan_id: string | null = null;
  /** Whether the user is choosing another control for a saved mapping. */
  choosesControl = $state(false);
  /** Whether the user builds the trigger of a new mapping in the form. */
  isByHand = $state(false);
  /** Whether the editor must start to change the action, for a keystroke with the recorder. */
  editsAction = $state(false);
  readonly dirty: boolean;
  readonly complete: boolean;
  readonly canSave: boolean;
  /** What becomes of the mapping that has the trigger of a new mapping already. */
  readonly taken: TakenChoice;
  private readonly fieldErrors: FieldErrors;
  private readonly checks = new LatestRequest();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly client: Client,
    scope: string,
    index: number | null,
    base: Mapping | null,
    servers: () => Choices["servers"],
    rowsOf: (scope: string) => readonly PlacedRow[],
    hold_ms: () => number,
    private readonly withNewModes: (changes: ChangeInput[]) => ChangeInput[],
  ) {
    this.scope = scope;
    this.index = index;
    this.complete = $derived(this.trigger !== null && this.action !== null);
    this.dirty = $derived(
      this.base === null
        ? this.complete || this.description !== ""
        : this.changedFields().length > 0,
    );
    this.fieldErrors = new FieldErrors(() => missingArguments(this.action, servers()));
    this.taken = new TakenChoice(
      () => (this.index === null && this.enabled ? rowsOf(this.scope) : []),
      () => this.trigger,
      hold_ms,
    );
    this.canSave = $derived(
      this.dirty &&
        this.complete &&
        !Object.keys(this.errors).length &&
        !this.conflict &&
        !this.taken.isOpen,
    );
    this.reset(base);
  }

  /** Reset the draft to a mapping. @param base null: an empty draft */
  reset(base: Mapping | null): void {
    clearTimeout(this.timer);
    this.checks.cancel();
    this.base = base;
    this.trigger = (base?.trigger ?? null) as TriggerInput | null;
    this.action = (base?.action ?? null) as ActionInput | null;
    this.description = base?.description ?? "";
    this.enabled = base?.enabled ?? true;
    this.words = this.proof = this.problem = this.conflict = null;
    this.fieldErrors.reset();
    this.taken.follow(this.index === null ? this.trigger : null);
    this.missing = [];
    this.checking = false;
  }

  /** Error messages by field path, such as `trigger.note`. */
  get errors(): Readonly<Record<string, string>> {
    return this.fieldErrors.all;
  }
  /** The errors of the fields that the user has left. */
  get visibleErrors(): Readonly<Record<string, string>> {
    return this.fieldErrors.visible;
  }
  /** Whether a new mapping has nothing that was filled in and would be lost. */
  get isUntouched(): boolean {
    const isNamed = this.description !== "" && this.description !== this.taken.name;
    return this.base === null && !isNamed && isUntouched(this.action, this.trigger);
  }
  leaveField = (path: string): void => this.fieldErrors.leave(path);
  /** Show all errors, because the user has tried to save. */
  showErrors(): void {
    this.fieldErrors.showAll();
  }

  setTrigger = (trigger: TriggerInput): void => {
    this.taken.follow(trigger);
    this.changeTrigger(trigger);
  };
  /** Change the mapping as a plan would. */
  edit({ change: { trigger, action, description, enabled }, plan_id }: PlanEdit): void {
    this.plan_id = plan_id;
    if (trigger) this.setTrigger(trigger);
    if (action) this.setAction(action);
    this.description = description ?? this.description;
    this.enabled = enabled ?? this.enabled;
  }
  /** Take a trigger from the form of a new mapping, in which no control is chosen yet. */
  setByHand = (trigger: TriggerInput): void => {
    this.isByHand = true;
    const isChosen = this.trigger?.type === trigger.type;
    this.setTrigger(isChosen ? trigger : withoutGuess(trigger, this.trigger));
  };
  /** Listen to the control that was played, with the same gesture if it was only pressed. */
  setControl(played: TriggerInput): void {
    this.setTrigger(this.trigger ? withControl(this.trigger, played) : played);
  }
  /** Replace the mapping that has the trigger already, or use another gesture of its control. */
  choose = (way: Resolution): void => {
    const { trigger, name } = this.taken.choose(way, this.description);
    this.description = name;
    if (trigger) this.changeTrigger(trigger);
  };
  private changeTrigger(trigger: TriggerInput): void {
    if (this.trigger?.type !== trigger.type) this.fieldErrors.restart("trigger");
    // An action that was chosen before its control starts as it suits the control.
    if (!this.trigger && this.action) this.action = actionForTrigger(this.action, trigger);
    this.trigger = trigger;
    this.scheduleCheck();
  }
  setAction = (action: ActionInput | null): void => {
    if (this.action?.type !== action?.type) this.fieldErrors.restart("action");
    this.action = action;
    this.scheduleCheck();
  };
  setDescription = (description: string): void => {
    this.description = description;
    this.scheduleCheck();
  };
  setEnabled = (enabled: boolean): void => {
    this.enabled = enabled;
    this.scheduleCheck();
  };
  setScope = (scope: string): void => {
    this.scope = scope;
    this.taken.follow(this.trigger);
    this.scheduleCheck();
  };

  /** Return the change that saves the draft; null when the draft is incomplete or unchanged. */
  toChange(): ChangeInput | null {
    if (!this.trigger || !this.action) return null;
    const place = scopeFields(this.scope);
    const { trigger, action, description, enabled } = this;
    const { replaced } = this.taken;
    if (replaced)
      return { change_type: "UpdateMapping", ...place, index: replaced.index, action, description };
    if (this.index === null) {
      const mapping: MappingInput = {
        trigger,
        action,
        ...(description ? { description } : {}),
        ...(enabled ? {} : { enabled }),
      };
      return { change_type: "CreateMapping", ...place, mapping };
    }
    const parts = this.changedFields();
    if (!parts.length) return null;
    return {
      change_type: "UpdateMapping",
      ...place,
      index: this.index,
      ...Object.fromEntries(parts.map((part) => [part, this[part]])),
    };
  }

  /** Show the error of a failed commit at the invalid fields. */
  showError(error: unknown): void {
    this.fieldErrors.showAll();
    this.applyError(error);
  }

  private applyError(error: unknown): void {
    const fields = error instanceof ApiError ? error.fields : {};
    this.fieldErrors.set(fields);
    this.problem = Object.keys(fields).length ? null : errorMessage(error);
  }

  close(): void {
    clearTimeout(this.timer);
    this.checks.cancel();
  }

  private changedFields(): ("trigger" | "action" | "description" | "enabled")[] {
    const { base } = this;
    if (!base) return [];
    const names = ["trigger", "action", "description", "enabled"] as const;
    return names.filter(
      (name) => !isSameConfig(this[name], base[name] ?? (name === "description" ? "" : null)),
    );
  }

  private scheduleCheck(): void {
    clearTimeout(this.timer);
    const isLatest = this.checks.start();
    this.checking = this.trigger !== null || this.action !== null;
    if (this.checking) this.timer = setTimeout(() => void this.check(isLatest), PAUSE_MS);
  }

  /** Check the draft again after other mappings changed. */
  recheck(): void {
    if (this.proof) this.scheduleCheck();
  }

  /** Check the last edit now instead of after the pause. */
  async finishCheck(): Promise<void> {
    if (this.checking) await this.check(this.checks.start());
  }

  private async check(isLatest: () => boolean): Promise<void> {
    clearTimeout(this.timer);
    try {
      const { words, error } = await describeDraft(this.client, this.trigger, this.action);
      if (!isLatest()) return;
      if (words) this.words = words;
      if (error) throw error;
      this.fieldErrors.set({});
      this.problem = null;
      const change = this.toChange();
      const [proof, missing] = await Promise.all([
        change
          ? this.client.call("config.preview", { changes: this.withNewModes([change]) })
          : null,
        findMissing(this.client, this.trigger, this.action),
      ]);
      if (!isLatest()) return;
      this.proof = proof;
      this.missing = missing;
    } catch (error) {
      if (!isLatest()) return;
      this.proof = null;
      this.applyError(error);
    } finally {
      if (isLatest()) this.checking = false;
    }
  }
}

/** Return whether two config values are equal. Null, empty lists and missing fields are equal. */
export function isSameConfig(a: unknown, b: unknown): boolean {
  return toComparable(a) === toComparable(b);
}

function toComparable(value: unknown): string {
  return (
    JSON.stringify(value, (_, item: unknown) => {
      if (item === null || typeof item !== "object" || Array.isArray(item)) return item;
      const record = item as Record<string, unknown>;
      return Object.fromEntries(
        Object.keys(record)
          .sort()
          .filter(
            (key) =>
              record[key] !== null &&
              record[key] !== undefined &&
              !(Array.isArray(record[key]) && !record[key].length),
          )
          .map((key) => [key, record[key]]),
      );
    }) ?? ""
  );
}
