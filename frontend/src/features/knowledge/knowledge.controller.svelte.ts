/** View model of the Knowledge view: the search, its results and the open text. */
import { errorMessage } from "$lib/client/client";
import type { Chunk, KnowledgeDocument, ManualPage, ScoredChunk } from "$lib/client/types";
import { classifyRelevance, type Domain } from "$lib/knowledge";
import { LatestRequest } from "$lib/latest";
import type { State } from "$lib/state/state";

/** The text in the right pane: a chunk, a document or a page of a manual. */
export type OpenText =
  | { kind: "chunk"; chunk: Chunk; found: ScoredChunk | null }
  | { kind: "document"; document: KnowledgeDocument }
  | { kind: "page"; page: ManualPage };

const MANUAL_PREFIX = "manual/";
/** So many results are shown even if they fit weakly. */
const MIN_SHOWN = 3;

export class KnowledgeController {
  /** The text in the search field. */
  query = $state("");
  /** The domain to search in; null searches all. */
  domain = $state<Domain | null>(null);
  /** The search results; null: not searched yet. */
  found = $state.raw<ScoredChunk[] | null>(null);
  /** Whether the results that fit weakly are shown, too. */
  showsWeak = $state(false);
  /** The shown results: the best ones, or all. */
  readonly shown: readonly ScoredChunk[];
  /** The query of the results in `found`. */
  answered = $state("");
  /** Whether a search is running. */
  busy = $state(false);
  /** The reason why the last search failed; null: the search succeeded. */
  error = $state<string | null>(null);
  /** The open text. */
  reading = $state.raw<OpenText | null>(null);
  /** The reason why the last text could not be opened; null: no error. */
  readError = $state<string | null>(null);
  /** The query and the domain of the last search with a result. */
  private lastSearch = "";
  private readonly searches = new LatestRequest();
  private readonly readings = new LatestRequest();

  constructor(private readonly state: State) {
    this.shown = $derived.by(() => {
      const found = this.found ?? [];
      const weak = found.findIndex(({ score }) => classifyRelevance(score) === "weak");
      return this.showsWeak || weak < 0 ? found : found.slice(0, Math.max(weak, MIN_SHOWN));
    });
  }

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
    const search = JSON.stringify([query, this.domain]);
    try {
      const { found } = await this.state.client.call("knowledge.search", {
        query,
        domain: this.domain,
      });
      if (!isLatest()) return;
      const isRepeated = search === this.lastSearch;
      this.lastSearch = search;
      if (!isRepeated) this.showsWeak = false;
      this.found = found;
      this.answered = query;
      this.error = null;
      const same = found.find(
        ({ chunk }) => this.reading?.kind === "chunk" && chunk.id === this.reading.chunk.id,
      );
      // A search is repeated when the sources change. What the user has opened since stays open.
      if (isRepeated && this.reading && this.reading.kind !== "chunk") return;
      if (isRepeated && same) this.reading = { kind: "chunk", chunk: same.chunk, found: same };
      else this.openResult(same ?? found[0] ?? null);
    } catch (error) {
      if (isLatest()) this.error = errorMessage(error);
    } finally {
      if (isLatest()) this.busy = false;
    }
  }

  /** Open the text of a result, or close the open text. @param found null: close the text */
  openResult(found: ScoredChunk | null): void {
    this.readings.cancel();
    this.readError = null;
    this.reading = found && { kind: "chunk", chunk: found.chunk, found };
  }

  openChunk(id: string): Promise<void> {
    return this.openText(async () => ({
      kind: "chunk",
      chunk: await this.state.knowledge.chunk(id),
      found: this.found?.find(({ chunk }) => chunk.id === id) ?? null,
    }));
  }

  /** Open a document, or the first page of a manual. */
  openDocument(source_id: string): Promise<void> {
    if (source_id.startsWith(MANUAL_PREFIX)) return this.openPage(source_id, 1);
    return this.openText(async () => ({
      kind: "document",
      document: await this.state.client.call("knowledge.document", { source_id }),
    }));
  }

  openPage(manual_id: string, page: number): Promise<void> {
    return this.openText(async () => ({
      kind: "page",
      page: await this.state.manuals.page(manual_id, page),
    }));
  }

  private async openText(get: () => Promise<OpenText>): Promise<void> {
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
