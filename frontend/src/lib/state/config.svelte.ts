/** The running config. The page changes it only through commands of the backend. */
import { keepOwnNames, translateSentence } from "$language/sentences";
import { language, type LanguageSetting, type Wording } from "$language/language.svelte";
import { modeScope, profileScope } from "$lib/scopes";
import { ConnectionLost } from "../transport/transport";
import { errorMessage, type Client } from "../client/client";
import type { ChangeInput, ConfigView, Mapping, Proof, RowDescription } from "../client/types";
import { LatestRequest } from "../latest";
import { delaysOf, losersOf } from "../overlaps";
import { describeReason } from "../reasons";
import { notes, withNoteNames } from "$ui/notes.svelte";
import type { ToastMessage } from "$ui/types";
import type { Theme, UiState } from "./ui.svelte";
import { strings } from "../strings";

export interface PlacedRow {
  scope: string;
  index: number;
  mapping: Mapping;
  words: RowDescription;
}

/** Return whether a mapping is for a device: it names the device, or none. */
export const isForDevice = ({ words }: PlacedRow, device: string): boolean =>
  words.device === null || words.device === device;

export class ConfigState {
  view = $state.raw<ConfigView | null>(null);
  error = $state<string | null>(null);
  loading = $state(false);
  config = $derived(this.view?.config ?? null);
  hash = $derived(this.view?.hash ?? "");
  modes = $derived(this.view?.config.modes ?? []);
  /** The duration of a hold that is created here; a file without one means a longer default. */
  hold_ms = $derived(this.config?.settings.learn.long_press_ms ?? 500);
  profiles = $derived(this.view?.config.profiles ?? []);
  /** All mappings with scope, index and description: those of profiles, modes, then global ones. */
  rows = $derived.by(() => (this.view ? listRows(this.view) : []));
  /** Why mappings never act, because another one goes first, by `scope#index`. */
  losers = $derived(losersOf(this.view?.overlaps ?? []));
  /** The taps that wait for another gesture of their control, by `scope#index`. */
  delays = $derived(delaysOf(this.view?.overlaps ?? []));
  private readonly requests = new LatestRequest();
  /** The newest load, with which superseded loads resolve. */
  private newestLoad: Promise<void> = Promise.resolve();

  constructor(
    private readonly client: Client,
    private readonly ui: UiState,
  ) {
    client.onResync(() => void this.load());
    client.on("names", () => void this.load());
    client.on("config", ({ hash }) => {
      if (hash !== this.view?.hash) void this.load();
    });
  }

  /** Load the config. If a newer load starts meanwhile, both resolve together. */
  load(): Promise<void> {
    return (this.newestLoad = this.fetchView(this.requests.start()));
  }

  private async fetchView(isLatest: () => boolean): Promise<void> {
    this.loading = true;
    try {
      const view = await this.client.call("config.get");
      if (!isLatest()) return await this.newestLoad;
      if (this.view && this.hash !== view.hash) this.ui.dismissToastsOf(this.hash);
      keepOwnNames(
        Object.values(view.config.settings.names ?? {}).flatMap(Object.values),
        listRows(view).flatMap((row) => row.mapping.description ?? []),
      );
      this.view = view;
      this.ui.theme = view.config.settings.ui.theme;
      notes.middle = view.config.settings.ui.note_names;
      notes.cmd = view.config.settings.engine.cmd_key;
      this.error = null;
      // What is said about a change of the language is said in the new one.
      await language.choose(view.config.settings.ui.language);
    } catch (error) {
      if (isLatest() && !(error instanceof ConnectionLost)) this.error = errorMessage(error);
    } finally {
      if (isLatest()) this.loading = false;
    }
  }

  rowsOf(scope: string): PlacedRow[] {
    return this.rows.filter((row) => row.scope === scope);
  }

  row(scope: string, index: number): PlacedRow | undefined {
    return this.rows.find((row) => row.scope === scope && row.index === index);
  }

  /** @param finds_missing whether the warnings name what is missing, as those of a plan do. */
  preview(changes: ChangeInput[], finds_missing = false): Promise<Proof> {
    return this.client.call("config.preview", {
      changes,
      base_hash: this.hash,
      finds_missing,
    });
  }

  /** Return changes with those that create the missing modes that their mappings name. */
  withNewModes(changes: ChangeInput[]): ChangeInput[] {
    const missing = new Set(changes.flatMap(modesOfMapping));
    for (const { name } of this.modes) missing.delete(name);
    for (const one of changes) if (one.change_type === "CreateMode") missing.delete(one.name);
    return [
      ...changes,
      ...[...missing].map((name) => ({ change_type: "CreateMode" as const, name })),
    ];
  }

  /**
   * Save changes of the config and load the result. Resolves to the hash of the saved config, which
   * another change may have replaced since.
   * @param done the entry in the history, such as “Deleted Note 36”, which is stored in English
   * @throws ApiError with `fields` if a change is invalid.
   */
  async commit(changes: ChangeInput[], done: Wording): Promise<string> {
    const { hash } = await this.client.call("config.commit", {
      changes: this.withNewModes(changes),
      base_hash: this.hash,
      reason: language.inEnglish(done),
    });
    await this.load();
    return hash;
  }

  /**
   * Commit changes and show a toast with an Undo button. Resolves to whether the commit succeeded.
   * @param done the entry in the history and the text of the toast, such as “Deleted Note 36”
   */
  async apply(changes: ChangeInput[], done: Wording): Promise<boolean> {
    const hash = await this.tryToCommit(changes, done);
    if (hash !== null) this.showChange(done(), hash);
    return hash !== null;
  }

  private async tryToCommit(changes: ChangeInput[], done: Wording): Promise<string | null> {
    try {
      return await this.commit(changes, done);
    } catch (error) {
      this.ui.toast(errorMessage(error), { tone: "error" });
      return null;
    }
  }

  /**
   * Show a toast for a change of the user, with an Undo button if its config still runs.
   * @param hash of the config that the change made
   */
  showChange(done: string, hash: string): void {
    this.ui.toast(done, {
      tone: "success",
      group: "change",
      ...(hash === this.hash ? this.undoButton(hash) : {}),
    });
  }

  /** Return the options of a toast with a button that undoes the change that made a version. */
  undoButton(hash: string): Pick<ToastMessage, "action" | "config"> {
    const run = (): void =>
      void (this.hash === hash
        ? this.undo()
        : this.ui.toast(strings.cannotUndo, { tone: "warning" }));
    return { action: { label: strings.undo, run }, config: hash };
  }

  /** Change settings, such as `{ui: {theme: "dark"}}`, and show a toast with an Undo button. */
  set(settings: Record<string, Record<string, unknown>>, done: Wording): Promise<boolean> {
    return this.apply([{ change_type: "UpdateSettings", settings }], done);
  }

  setTheme(theme: Theme): Promise<boolean> {
    return this.setLook({ theme }, () => strings.theme(theme));
  }

  setLanguage(chosen: LanguageSetting): Promise<boolean> {
    return this.setLook({ language: chosen }, () => strings.languageChosen(chosen));
  }

  /** Change how the window looks, without a toast: the change is seen, and the history omits it. */
  private async setLook(ui: Record<string, unknown>, done: Wording): Promise<boolean> {
    const change: ChangeInput = { change_type: "UpdateSettings", settings: { ui } };
    return (await this.tryToCommit([change], done)) !== null;
  }

  undo = (): Promise<boolean> => this.moveInHistory("config.undo");
  redo = (): Promise<boolean> => this.moveInHistory("config.redo");

  private async moveInHistory(method: "config.undo" | "config.redo"): Promise<boolean> {
    try {
      const { reason, hash } = await this.client.call(method);
      await this.load();
      const isUndo = method === "config.undo";
      const label = isUndo ? strings.undone : strings.redone;
      const isForeign = language.current !== "en" && translateSentence(reason) === reason;
      const opposite = isUndo
        ? { label: strings.redo, run: () => void this.redo() }
        : { label: strings.undo, run: () => void this.undo() };
      this.ui.toast(isForeign ? label : `${label}: ${describeReason(reason)}`, {
        group: "change",
        ...(hash === this.hash ? { action: opposite, config: hash } : {}),
      });
      return true;
    } catch (error) {
      this.ui.toast(errorMessage(error), { tone: "error" });
      return false;
    }
  }
}

/** Return the modes that the trigger, the conditions and the actions of a changed mapping name. */
function modesOfMapping(change: ChangeInput): string[] {
  if (change.change_type === "CreateMapping") return listModes(change.mapping);
  return change.change_type === "UpdateMapping" ? listModes([change.trigger, change.action]) : [];
}

function listModes(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]: [string, unknown]) =>
    name === "mode" && typeof item === "string" ? [item] : listModes(item),
  );
}

function listRows(view: ConfigView): PlacedRow[] {
  const { profiles, modes, global_mappings } = view.config;
  const rows = (scope: string, mappings: Mapping[] = []): PlacedRow[] =>
    mappings.map((mapping, index) => ({
      scope,
      index,
      mapping,
      words: withNoteNames(view.rows[scope]?.[index] ?? fallbackWords(mapping)),
    }));
  return [
    ...profiles.flatMap((profile) => rows(profileScope(profile.name), profile.mappings)),
    ...modes.flatMap((mode) => rows(modeScope(mode.name), mode.mappings)),
    ...rows("global", global_mappings),
  ];
}

const fallbackWords = (mapping: Mapping): RowDescription => ({
  trigger: mapping.trigger.type,
  printed: "",
  numbers: "",
  action: mapping.action.type,
  badges: [],
  device: null,
  controls: [],
});
