/** The Mappings view: what is shown, what is selected, and what can be done with it. */
import { ApiError, words } from "$lib/client/client";
import type { ChangeInput, ConfigView, EventView, MappingInput, Overlap } from "$lib/client/types";
import { scopeName, wasDone, type PlacedRow } from "$lib/state/config.svelte";
import { answers } from "$lib/state/monitor.svelte";
import type { State } from "$lib/state/state";
import { asInput, creation, deletion, mappings, movement, toggling, type Plan } from "./changes";
import { Draft, same } from "./draft.svelte";
import { grouped, isFiltered, keyOf, overlapsByKey, splitKey, type Filter } from "./rows";
import { Selection } from "./selection.svelte";

export type Leave = "save" | "discard" | "stay";
interface Clip {
  mappings: MappingInput[];
  /** Moved when pasted. */
  cut: boolean;
}

export class Mappings {
  search = $state("");
  device = $state<string | null>(null);
  /** The next control that is touched filters the rows. */
  wiggling = $state(false);
  touched = $state.raw<EventView | null>(null);
  folded = $state.raw<ReadonlySet<string>>(new Set());
  readonly selection = new Selection();
  draft = $state.raw<Draft | null>(null);
  clip = $state.raw<Clip | null>(null);
  /** Open while it is asked what becomes of an unsaved draft. */
  leaving = $state.raw<((answer: Leave) => void) | null>(null);

  readonly filter: Filter;
  readonly scopes: string[];
  readonly groups: ReturnType<typeof grouped>;
  readonly order: string[];
  readonly chosen: PlacedRow[];
  readonly overlaps: ReturnType<typeof overlapsByKey>;
  readonly filtered: boolean;
  private toast: number | null = null;
  private seen: ConfigView | null = null;

  constructor(readonly app: State) {
    const { config } = app;
    this.filter = $derived({
      words: this.search,
      device: this.device,
      touched: this.touched ? (control) => answers(control, this.touched!) : null,
    });
    this.filtered = $derived(isFiltered(this.filter));
    this.scopes = $derived([
      ...config.modes.map((mode) => `mode:${mode.name}`),
      "global",
      ...config.profiles.map((profile) => `profile:${profile.name}`),
    ]);
    this.groups = $derived(grouped(config.rows, this.scopes, this.filter));
    this.order = $derived(
      this.groups
        .filter((group) => !this.folded.has(group.scope))
        .flatMap((group) => group.rows.map((row) => keyOf(row.scope, row.index))),
    );
    this.chosen = $derived(
      config.rows.filter((row) => this.selection.has(keyOf(row.scope, row.index))),
    );
    this.overlaps = $derived(overlapsByKey(config.view?.overlaps ?? []));
    this.seen = config.view;
  }

  /**
   * What stands in a row's way: of a draft, what its change brings and what concerns its own row.
   */
  overlapsOf(draft: Draft): Overlap[] {
    const key = draft.index === null ? null : keyOf(draft.scope, draft.index);
    if (!draft.proof) return key ? (this.overlaps.get(key) ?? []) : [];
    const place = key?.replace("#", " #");
    return draft.proof.overlaps.filter(
      (overlap) => overlap.is_new || (place && overlap.places.includes(place)),
    );
  }

  /** Where new and pasted rows go: behind the row that has the keyboard. */
  place(): { scope: string; at: number } {
    const { at } = this.selection;
    if (at) {
      const { scope, index } = splitKey(at);
      if (this.scopes.includes(scope))
        return { scope, at: Math.min(index + 1, this.sizes()[scope] ?? 0) };
    }
    const mode = `mode:${this.app.modes.current}`;
    const scope = this.scopes.includes(mode) ? mode : (this.scopes[0] ?? "global");
    return { scope, at: this.sizes()[scope] ?? 0 };
  }

  sizes(): Record<string, number> {
    return Object.fromEntries(this.groups.map((group) => [group.scope, group.total]));
  }

  // Selecting

  async pick(key: string, how: "only" | "toggle" | "extend" = "only"): Promise<void> {
    if (how === "only" && this.selection.only === key && this.draft && this.draft.index !== null)
      return void (this.selection.at = key);
    if (!(await this.mayLeave())) return;
    if (how === "toggle") this.selection.toggle(key);
    else if (how === "extend") this.selection.extend(key, this.order);
    else this.selection.set([key]);
    this.open();
  }

  async pickAll(keys: readonly string[]): Promise<void> {
    if (!(await this.mayLeave())) return;
    this.selection.set(keys);
    this.open();
  }

  /** @param added is told when it has become a row. */
  async begin(
    start: Partial<MappingInput> = {},
    scope = this.place().scope,
    added?: () => void,
  ): Promise<void> {
    if (!(await this.mayLeave())) return;
    this.selection.clear();
    this.draft?.close();
    const draft = new Draft(this.app.client, scope, null, null);
    draft.added = added;
    if (start.trigger) draft.setTrigger(start.trigger);
    if (start.action) draft.setAction(start.action);
    if (start.description) draft.description = start.description;
    this.draft = draft;
  }

  /** Shows a row that was asked for from elsewhere. */
  async show(scope: string, index: number): Promise<void> {
    this.app.ui.params = {};
    this.clearFilter();
    this.folded = new Set([...this.folded].filter((one) => one !== scope));
    await this.pick(keyOf(scope, index));
  }

  async close(): Promise<void> {
    if (!(await this.mayLeave())) return;
    this.selection.clear();
    this.open();
  }

  fold(scope: string): void {
    const next = new Set(this.folded);
    if (!next.delete(scope)) next.add(scope);
    this.folded = next;
  }

  clearFilter(): void {
    this.search = "";
    this.device = null;
    this.touched = null;
    this.wiggling = false;
  }

  // The draft

  /** Says whether the draft may be left, asking when something would be lost. */
  async mayLeave(): Promise<boolean> {
    const { draft } = this;
    if (!draft?.dirty) return true;
    const answer = await new Promise<Leave>((resolve) => {
      this.leaving?.("stay");
      this.leaving = resolve;
    });
    this.leaving = null;
    if (answer === "stay") return false;
    if (answer === "discard") draft.reset(draft.base);
    return answer === "discard" || this.save();
  }

  async save(): Promise<boolean> {
    const { draft } = this;
    const { config } = this.app;
    const change = draft?.change();
    if (!draft || draft.saving) return false;
    if (!change) return !draft.dirty;
    draft.saving = true;
    const name = draft.description || draft.words?.trigger || "a mapping";
    const reason = draft.index === null ? `Add ${name}` : `Change ${name}`;
    try {
      if (!(await this.commitDraft(draft, change, reason))) return false;
      const index = draft.index ?? (this.sizes()[draft.scope] ?? 1) - 1;
      this.selection.set([keyOf(draft.scope, index)]);
      if (draft.index === null) draft.added?.();
      draft.index = index;
      draft.reset(config.row(draft.scope, index)?.mapping ?? null);
      return true;
    } finally {
      draft.saving = false;
    }
  }

  private async commitDraft(draft: Draft, change: ChangeInput, reason: string): Promise<boolean> {
    const { config, ui } = this.app;
    try {
      await config.commit([change], reason);
    } catch (error) {
      if (!isStale(error)) return (draft.refuse(error), false);
      await config.load();
      this.follow();
      if (draft.elsewhere) return false;
      const again = await ui.confirm({
        title: "The set-up changed meanwhile",
        text: "This mapping is as it was. Save your change on top of the new set-up?",
        confirm: "Save",
      });
      const now = draft.change();
      return again && now ? this.commitDraft(draft, now, reason) : false;
    }
    this.seen = config.view;
    this.done(reason);
    return true;
  }

  /** Says what was done, with the way back; only the last change has one. */
  private done(reason: string): void {
    const { config, ui } = this.app;
    if (this.toast !== null) ui.dismiss(this.toast);
    this.toast = ui.toast(wasDone(reason), {
      tone: "success",
      action: { label: "Undo", run: () => void config.undo() },
    });
  }

  /** Opens what is selected in the inspector. */
  private open(): void {
    this.draft?.close();
    const row = this.chosen.length === 1 ? this.chosen[0]! : null;
    this.draft = row ? new Draft(this.app.client, row.scope, row.index, row.mapping) : null;
  }

  /** After a new config: keeps the selection and the draft on their mappings. */
  follow(): void {
    const before = this.seen;
    const { view } = this.app.config;
    if (!view || view === before) return;
    this.seen = view;
    if (!before) return;
    const found = new Map(
      [...this.selection.keys].map((key) => [key, this.moved(key, before)] as const),
    );
    const at = this.selection.at;
    this.selection.set([...found.values()].filter((key) => key !== null));
    if (at && found.get(at)) this.selection.at = found.get(at)!;
    this.followDraft();
  }

  private followDraft(): void {
    const { draft } = this;
    if (!draft || draft.index === null || draft.saving) return;
    const row = this.chosen.length === 1 ? this.chosen[0]! : null;
    if (row && draft.base && same(row.mapping, draft.base)) {
      draft.scope = row.scope;
      draft.index = row.index;
    } else if (!draft.dirty) this.open();
    else draft.elsewhere = row ? "changed" : "gone";
  }

  /** Gives where a row of the config before is now; null: it went. */
  private moved(key: string, before: ConfigView): string | null {
    const { scope, index } = splitKey(key);
    const old = listOf(before, scope)[index];
    const rows = this.app.config.rows;
    const here = rows.find((row) => row.scope === scope && row.index === index);
    if (!old || (here && same(here.mapping, old))) return here ? key : null;
    const twin =
      rows.find((row) => row.scope === scope && same(row.mapping, old)) ??
      rows.find((row) => same(row.mapping, old));
    if (twin) return keyOf(twin.scope, twin.index);
    return here && listOf(before, scope).length === (this.sizes()[scope] ?? 0) ? key : null;
  }

  /** Saves what is edited here over what it became elsewhere, or as a new one when it went. */
  keepMine(): void {
    const { draft } = this;
    if (!draft) return;
    const row = draft.elsewhere === "changed" ? this.chosen[0] : undefined;
    draft.elsewhere = null;
    draft.base = row?.mapping ?? null;
    draft.scope = row?.scope ?? (this.scopes.includes(draft.scope) ? draft.scope : "global");
    draft.index = row?.index ?? null;
  }

  // Changing rows

  /**
   * Commits with an undo in a toast, then selects these rows; keeps what is selected when refused.
   */
  private async run({ changes, keys }: Plan, reason: string): Promise<boolean> {
    if (!changes.length || !(await this.mayLeave())) return false;
    const { config, ui } = this.app;
    try {
      await config.commit(changes, reason);
    } catch (error) {
      if (isStale(error)) {
        await config.load();
        ui.toast("The set-up changed meanwhile. Look at it again, then repeat.", {
          tone: "warning",
        });
      } else ui.toast(words(error), { tone: "error" });
      return false;
    }
    this.seen = config.view;
    this.selection.set(keys);
    this.open();
    this.done(reason);
    return true;
  }

  async remove(): Promise<void> {
    const rows = this.chosen;
    if (!rows.length) return;
    const first = this.order.indexOf(keyOf(rows[0]!.scope, rows[0]!.index));
    if (!(await this.run({ changes: deletion(rows), keys: [] }, `Delete ${nameOf(rows)}`))) return;
    this.selection.at = this.order[Math.min(first, this.order.length - 1)] ?? null;
  }

  async toggle(rows: readonly PlacedRow[] = this.chosen): Promise<void> {
    const enabled = !rows.every((row) => row.mapping.enabled);
    await this.run(
      { changes: toggling(rows, enabled), keys: [...this.selection.keys] },
      `Switch ${nameOf(rows)} ${enabled ? "on" : "off"}`,
    );
  }

  async duplicate(): Promise<void> {
    const last = this.chosen.at(-1);
    if (last)
      await this.run(
        creation(
          this.chosen.map((row) => asInput(row.mapping)),
          last.scope,
          last.index + 1,
        ),
        `Duplicate ${nameOf(this.chosen)}`,
      );
  }

  copy(cut = false): void {
    if (!this.chosen.length) return;
    this.clip = { mappings: this.chosen.map((row) => asInput(row.mapping)), cut };
    this.app.ui.toast(
      `${cut ? "Cut" : "Copied"} ${mappings(this.chosen.length)}. Paste where they should go.`,
    );
  }

  async paste({ scope, at } = this.place()): Promise<void> {
    const { clip } = this;
    if (!clip) return;
    const rows = clip.cut ? this.cutRows() : [];
    const whole = rows.length === clip.mappings.length;
    const plan =
      clip.cut && whole
        ? movement(rows, scope, at, this.sizes())
        : creation(clip.mappings, scope, at);
    const done = await this.run(
      plan,
      `${clip.cut && whole ? "Move" : "Copy"} ${mappings(clip.mappings.length)} to ` +
        `${scopeName(scope)}`,
    );
    if (done && clip.cut) this.clip = { ...clip, cut: false };
  }

  /** The rows that wait to be moved by pasting. */
  cutRows(): PlacedRow[] {
    if (!this.clip?.cut) return [];
    return this.clip.mappings
      .map((mapping) => this.app.config.rows.find((row) => same(row.mapping, mapping)))
      .filter((row) => row !== undefined);
  }

  async moveTo(scope: string, at: number, copy = false): Promise<void> {
    const rows = this.chosen;
    const plan = copy
      ? creation(
          rows.map((row) => asInput(row.mapping)),
          scope,
          at,
        )
      : movement(rows, scope, at, this.sizes());
    const stays = !copy && rows.every((row) => row.scope === scope);
    await this.run(
      plan,
      `${copy ? "Copy" : "Move"} ${nameOf(rows)}${stays ? "" : ` to ${scopeName(scope)}`}`,
    );
  }

  /** Moves what is selected one up or down in its group. */
  async shift(by: 1 | -1): Promise<void> {
    const [first, last] = [this.chosen[0], this.chosen.at(-1)];
    if (!first || !last || first.scope !== last.scope) return;
    const at = by < 0 ? first.index - 1 : last.index + 2;
    if (at >= 0 && at <= (this.sizes()[first.scope] ?? 0)) await this.moveTo(first.scope, at);
  }
}

function nameOf(rows: readonly PlacedRow[]): string {
  const row = rows[0];
  return rows.length === 1 && row
    ? row.mapping.description || row.words.trigger
    : mappings(rows.length);
}

function isStale(error: unknown): boolean {
  return error instanceof ApiError && ["config_stale", "plan_stale"].includes(error.code);
}

function listOf(view: ConfigView, scope: string): MappingInput[] {
  const { modes, profiles, global_mappings } = view.config;
  const name = scope.slice(scope.indexOf(":") + 1);
  const owner =
    scope === "global"
      ? { mappings: global_mappings }
      : scope.startsWith("mode:")
        ? modes.find((mode) => mode.name === name)
        : profiles.find((profile) => profile.name === name);
  return (owner?.mappings ?? []) as MappingInput[];
}
