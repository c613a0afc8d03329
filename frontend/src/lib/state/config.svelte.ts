/** The config of the backend. The page changes it only through commands. */
import { modeScope, profileScope } from "$lib/scopes";
import { ConnectionLost } from "../transport/transport";
import { words, type Client } from "../client/client";
import type { ChangeInput, ConfigView, Mapping, Proof, RowWords } from "../client/types";
import { Latest } from "../latest";
import { notes, withNotes } from "$ui/notes.svelte";
import type { Theme, UiState } from "./ui.svelte";
import { strings } from "../strings";

export interface PlacedRow {
  scope: string;
  index: number;
  mapping: Mapping;
  words: RowWords;
}

export class ConfigState {
  view = $state.raw<ConfigView | null>(null);
  error = $state<string | null>(null);
  loading = $state(false);
  config = $derived(this.view?.config ?? null);
  hash = $derived(this.view?.hash ?? "");
  modes = $derived(this.view?.config.modes ?? []);
  profiles = $derived(this.view?.config.profiles ?? []);
  /** Each mapping with its scope, index and description: app profiles, modes, then global. */
  rows = $derived.by(() => (this.view ? listRows(this.view) : []));
  private readonly requests = new Latest();
  /** The newest load; older loads resolve with it. */
  private newest: Promise<void> = Promise.resolve();

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

  /** Load the config again. A load that a newer one overtakes resolves together with that one. */
  load(): Promise<void> {
    return (this.newest = this.read(this.requests.start()));
  }

  private async read(isLatest: () => boolean): Promise<void> {
    this.loading = true;
    try {
      const view = await this.client.call("config.get");
      if (!isLatest()) return await this.newest;
      this.view = view;
      this.ui.theme = view.config.settings.ui.theme;
      notes.middle = view.config.settings.ui.note_names;
      notes.cmd = view.config.settings.engine.cmd_key;
      this.error = null;
    } catch (error) {
      if (isLatest() && !(error instanceof ConnectionLost)) this.error = words(error);
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

  preview(changes: ChangeInput[]): Promise<Proof> {
    return this.client.call("config.preview", { changes, base_hash: this.hash });
  }

  /** @throws ApiError with `fields` when a change is invalid. */
  async commit(changes: ChangeInput[], reason: string): Promise<void> {
    await this.client.call("config.commit", { changes, base_hash: this.hash, reason });
    await this.load();
  }

  /**
   * Commit changes and show a toast with an Undo button. Resolves to whether the commit succeeded.
   * @param reason the entry in the history, such as “Delete Note 36”
   * @param done the text of the toast, such as “Deleted Note 36”
   */
  async apply(changes: ChangeInput[], reason: string, done = reason): Promise<boolean> {
    try {
      await this.commit(changes, reason);
      this.ui.toast(done, {
        tone: "success",
        action: { label: strings.undo, run: () => void this.undo() },
      });
      return true;
    } catch (error) {
      this.ui.toast(words(error), { tone: "error" });
      return false;
    }
  }

  /** Change settings, such as `{ui: {theme: "dark"}}`, and show a toast with an Undo button. */
  set(
    settings: Record<string, Record<string, unknown>>,
    reason: string,
    done = reason,
  ): Promise<boolean> {
    return this.apply([{ change_type: "UpdateSettings", settings }], reason, done);
  }

  setTheme(theme: Theme): Promise<boolean> {
    return this.set({ ui: { theme } }, strings.theme(theme));
  }

  undo = (): Promise<boolean> => this.step("config.undo", strings.undone);
  redo = (): Promise<boolean> => this.step("config.redo", strings.redone);

  private async step(method: "config.undo" | "config.redo", word: string): Promise<boolean> {
    try {
      const { reason } = await this.client.call(method);
      await this.load();
      this.ui.toast(`${word}: ${reason}`);
      return true;
    } catch (error) {
      this.ui.toast(words(error), { tone: "error" });
      return false;
    }
  }
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

const fallbackWords = (mapping: Mapping): RowWords => ({
  trigger: mapping.trigger.type,
  numbers: "",
  action: mapping.action.type,
  badges: [],
  device: null,
  controls: [],
});

/** Return descriptions with notes and keys as the settings name them. */
function withNoteNames(words: RowWords): RowWords {
  return { ...words, trigger: withNotes(words.trigger), action: withNotes(words.action) };
}
