/** The knowledge index: its status, its sources and a cache of chunks. */
import { ConnectionLost } from "../transport/transport";
import { errorMessage, type Client } from "../client/client";
import { LatestRequest } from "../latest";
import type {
  AddedProfile,
  Chunk,
  ControllerFileView,
  KnowledgeSource,
  KnowledgeTopic,
  KnowledgeView,
  ProfileLine,
  IndexUpdate,
} from "../client/types";

export class KnowledgeState {
  view = $state.raw<KnowledgeView | null>(null);
  sources = $state.raw<KnowledgeSource[]>([]);
  /** The device profiles that the user added. */
  own = $state.raw<ProfileLine[]>([]);
  error = $state<string | null>(null);
  /** The progress of indexing; null while no index is being built. */
  progress = $state.raw<KnowledgeTopic | null>(null);
  /** A counter that increases when the index or the enabled sources change. */
  version = $state(0);
  private loadRequested = false;
  private readonly requests = new LatestRequest();
  private readonly chunks = new Map<string, Promise<Chunk>>();

  constructor(private readonly client: Client) {
    const reloadIfNeeded = (): void => this.reloadIfLoaded();
    client.onResync(reloadIfNeeded);
    client.on("config", reloadIfNeeded);
    client.on("knowledge", (update) => {
      this.progress = update.updating ? update : null;
      if (update.updating) return;
      this.chunks.clear();
      reloadIfNeeded();
    });
  }

  /** Load everything again if it was loaded, for example when a source was added. */
  reloadIfLoaded(): void {
    if (this.loadRequested) void this.load();
  }

  /** Load the status, the sources and the user's profiles. Later, events reload them. */
  async load(): Promise<void> {
    this.loadRequested = true;
    const isLatest = this.requests.start();
    try {
      const view = await this.client.call("knowledge.status");
      const { profiles } = await this.client.call("devices.profiles");
      const { sources } = view.status.built
        ? await this.client.call("knowledge.sources")
        : { sources: [] };
      if (!isLatest()) return;
      this.view = view;
      if (!view.updating) this.progress = null;
      else this.progress ??= { updating: true, step: "", done: 0, of: 0 };
      this.sources = sources;
      this.own = profiles.filter((one) => one.own);
      this.error = null;
      this.version++;
    } catch (error) {
      if (isLatest() && !(error instanceof ConnectionLost)) this.error = errorMessage(error);
    }
  }

  /** Load a chunk, or return the cached one. */
  chunk(chunk_id: string): Promise<Chunk> {
    const cached = this.chunks.get(chunk_id);
    if (cached) return cached;
    const request = this.client.call("knowledge.chunk", { chunk_id });
    request.catch(() => this.chunks.delete(chunk_id));
    this.chunks.set(chunk_id, request);
    return request;
  }

  /**
   * Enable or disable sources.
   * @param source_id a source, a domain, or a platform such as `platform:macos`.
   */
  async toggle(source_id: string, enabled: boolean): Promise<void> {
    const { sources } = await this.client.call("knowledge.toggle_source", { source_id, enabled });
    this.sources = sources;
  }

  update(): Promise<IndexUpdate> {
    return this.client.call("knowledge.update_index");
  }

  addProfile(text: string): Promise<AddedProfile> {
    return this.client.call("knowledge.add_profile", { text });
  }

  /** Read a controller file of another program, without saving anything. */
  readControllerFile(name: string, content: string, port: string): Promise<ControllerFileView> {
    return this.client.call("devices.read_controller_file", { name, content, port });
  }

  async removeProfile(profile_id: string): Promise<void> {
    await this.client.call("knowledge.remove_profile", { profile_id });
  }
}
