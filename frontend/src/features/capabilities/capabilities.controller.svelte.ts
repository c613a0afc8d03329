/** View model of the assistant's capabilities and the remembered approvals in Settings. */
import { errorMessage } from "$lib/client/client";
import type { Abilities, GrantView } from "$lib/client/types";
import type { State } from "$lib/state/state";
import { strings } from "./strings";

export class CapabilitiesController {
  /** The text in the search field. */
  search = $state("");
  /** The remembered approvals; null: not loaded yet. */
  grants = $state.raw<readonly GrantView[] | null>(null);
  /** The reason why the remembered approvals could not be loaded; null: no error. */
  grantsError = $state<string | null>(null);

  constructor(private readonly state: State) {}

  get view(): Abilities | null {
    return this.state.capabilities.view;
  }

  load = (): Promise<void> => this.state.capabilities.load();

  async loadGrants(): Promise<void> {
    try {
      this.grants = (await this.state.client.call("grants.list")).grants;
      this.grantsError = null;
    } catch (error) {
      this.grantsError = errorMessage(error);
    }
  }

  setTier(tier: Abilities["tiers"][number]["tier"], enabled: boolean): Promise<boolean> {
    return this.runChange(() => this.state.client.call("abilities.set_tier", { tier, enabled }));
  }

  /** Switch one capability on or off. @param enabled null: follow the tier */
  set(skill_id: string, enabled: boolean | null): Promise<boolean> {
    return this.runChange(() => this.state.client.call("abilities.set", { skill_id, enabled }));
  }

  /** Allow or forbid reading a folder. Returns the error text, or null on success. */
  async setFolderAccess(path: string, granted: boolean): Promise<string | null> {
    try {
      this.state.capabilities.put(
        await this.state.client.call("abilities.folder", { path, granted }),
      );
      return null;
    } catch (error) {
      return errorMessage(error);
    }
  }

  setSearchAddress(search_url: string): Promise<boolean> {
    return this.state.config.set({ skills: { search_url: search_url || null } }, () =>
      search_url ? strings.searxngSet : strings.searxngCleared,
    );
  }

  async revoke({ grant_id, title }: GrantView): Promise<void> {
    await this.state.app.attempt(async () => {
      this.grants = (await this.state.client.call("grants.revoke", { grant_id })).grants;
    }, strings.forgotten(title));
  }

  private runChange(change: () => Promise<Abilities>): Promise<boolean> {
    return this.state.app.attempt(async () => this.state.capabilities.put(await change()));
  }
}
