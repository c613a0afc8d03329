/** The view model of the Knowledge view: the search, its results, and the text that is open. */
import { errorMessage } from "$lib/client/client";
import type { Chunk, KnowledgeDocument, ScoredChunk } from "$lib/client/types";
import type { Domain } from "$lib/knowledge";
import { LatestRequest } from "$lib/latest";
import type { State } from "$lib/state/state";

/** The content of the right pane. */
export type Reading =
  | { kind: "chunk"; chunk: Chunk; found: ScoredChunk | null }
  | { kind: "document"; document: KnowledgeDocument };

export class KnowledgeController {
  /** The text in the search field. */
  query = $state("");
  /** The domain to search in; null searches all. */
  domain = $state<Domain | null>(null);
  /** The results; null before the first search. */
  found = $state.raw<ScoredChunk[] | null>(null);
  /** The query that `found` answers. */
  answered = $state("");
  /** Whether a search is running. */
  busy = $state(false);
  /** Why the last search failed. */
  error = $state<string | null>(null);
  /** The text that is open. */
  reading = $state.raw<Reading | null>(null);
  /** Why the last text could not be opened. */
  readError = $state<string | null>(null);
  private readonly searches = new LatestRequest();
  private readonly readings = new LatestRequest();

  constructor(private readonly state: State) {}

  async search(): Promise<void> {
    const isLatest = this.searches.start();
    const query = this.query.trim();
    if (!query) {
      this.found = null;
      this.answered = "";
      this.busy = false;
      return;
    }
    this.busy = true;
    try {
      const { found } = await this.state.client.call("knowledge.search", {
        query,
        domain: this.domain,
      });
      if (!isLatest()) return;
      this.found = found;
      this.answered = query;
      this.error = null;
      const same = found.find(
        ({ chunk }) => this.reading?.kind === "chunk" && chunk.id === this.reading.chunk.id,
      );
      this.pick(same ?? found[0] ?? null);
    } catch (error) {
      if (isLatest()) this.error = errorMessage(error);
    } finally {
      if (isLatest()) this.busy = false;
    }
  }

  /** Open a result; null closes the text. */
  pick(found: ScoredChunk | null): void {
    this.readings.cancel();
    this.readError = null;
    this.reading = found && { kind: "chunk", chunk: found.chunk, found };
  }

  openChunk(id: string): Promise<void> {
    return this.read(async () => ({
      kind: "chunk",
      chunk: await this.state.knowledge.chunk(id),
      found: this.found?.find(({ chunk }) => chunk.id === id) ?? null,
    }));
  }

  openDocument(source_id: string): Promise<void> {
    return this.read(async () => ({
      kind: "document",
      document: await this.state.client.call("knowledge.document", { source_id }),
    }));
  }

  private async read(get: () => Promise<Reading>): Promise<void> {
    const isLatest = this.readings.start();
    try {
      const reading = await get();
      if (!isLatest()) return;
      this.reading = reading;
      this.readError = null;
    } catch (error) {
      if (isLatest()) this.readError = errorMessage(error);
    }
  }
}
