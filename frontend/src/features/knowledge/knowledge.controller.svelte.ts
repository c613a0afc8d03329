/** What the Knowledge view shows: what was looked for, what was found, and what is read. */
import { words } from "$lib/client/client";
import type { Chunk, Document, Found } from "$lib/client/types";
import type { Domain } from "$lib/knowledge";
import type { State } from "$lib/state/state";

/** What is read at the right. */
export type Reading =
  { kind: "chunk"; chunk: Chunk; found: Found | null } | { kind: "document"; document: Document };

export class KnowledgeController {
  query = $state("");
  domain = $state<Domain | null>(null);
  /** What the words found; null: none are given yet. */
  found = $state.raw<Found[] | null>(null);
  /** The query that `found` answers. */
  answered = $state("");
  busy = $state(false);
  error = $state<string | null>(null);
  reading = $state.raw<Reading | null>(null);
  readError = $state<string | null>(null);
  private asked = 0;
  private opened = 0;

  constructor(private readonly state: State) {}

  async search(): Promise<void> {
    const own = ++this.asked;
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
      if (own !== this.asked) return;
      this.found = found;
      this.answered = query;
      this.error = null;
      const same = found.find(
        (one) => this.reading?.kind === "chunk" && one.chunk.id === this.reading.chunk.id,
      );
      this.pick(same ?? found[0] ?? null);
    } catch (error) {
      if (own === this.asked) this.error = words(error);
    } finally {
      if (own === this.asked) this.busy = false;
    }
  }

  /** Reads one of the results. */
  pick(found: Found | null): void {
    this.opened++;
    this.readError = null;
    this.reading = found && { kind: "chunk", chunk: found.chunk, found };
  }

  openChunk(id: string): Promise<void> {
    return this.read(async () => ({
      kind: "chunk",
      chunk: await this.state.knowledge.chunk(id),
      found: this.found?.find((one) => one.chunk.id === id) ?? null,
    }));
  }

  openDocument(source_id: string): Promise<void> {
    return this.read(async () => ({
      kind: "document",
      document: await this.state.client.call("knowledge.document", { source_id }),
    }));
  }

  private async read(get: () => Promise<Reading>): Promise<void> {
    const own = ++this.opened;
    try {
      const reading = await get();
      if (own !== this.opened) return;
      this.reading = reading;
      this.readError = null;
    } catch (error) {
      if (own === this.opened) this.readError = words(error);
    }
  }
}
