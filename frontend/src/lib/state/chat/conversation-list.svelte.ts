/** The list of conversations, most recently used first. */
import { words, type Client } from "../../client/client";
import type { Conversation, Conversations } from "../../client/types";
import { Latest } from "../../latest";
import { ConnectionLost } from "../../transport/transport";

/** How many conversations a first load asks for. */
const PAGE = 100;
/** The most that `chat.conversations` returns at once. */
const MAX_PAGE = 1_000;

export class ConversationList {
  /** The loaded part of the list. */
  conversations = $state.raw<Conversation[]>([]);
  /** Whether there are older conversations to load. */
  hasOlder = $state(false);
  /** Whether the list was loaded once. */
  loaded = $state(false);
  /** Why the list could not be loaded. */
  error = $state<string | null>(null);
  /** The words that the list is searched for. */
  query = $state("");
  private readonly requests = new Latest();
  /** Counts changes that events made, to notice a change during a load. */
  private changeCount = 0;

  constructor(private readonly client: Client) {}

  async load(): Promise<void> {
    const isLatest = this.requests.start();
    const { changeCount } = this;
    try {
      // As many as are listed, so that a user who scrolled down stays there.
      const limit = Math.min(Math.max(this.conversations.length, PAGE), MAX_PAGE);
      const { conversations, older }: Conversations = await this.client.call("chat.conversations", {
        query: this.query,
        limit,
      });
      if (!isLatest()) return;
      this.conversations = conversations;
      this.hasOlder = older;
      this.loaded = true;
      this.error = null;
      // An event arrived meanwhile, and the answer may be older than it.
      if (changeCount !== this.changeCount) void this.load();
    } catch (error) {
      if (isLatest() && !(error instanceof ConnectionLost)) this.error = words(error);
    }
  }

  /** Load the next page of older conversations. */
  async loadOlder(): Promise<void> {
    const before_id = this.conversations.at(-1)?.conversation_id;
    if (before_id === undefined || !this.hasOlder) return;
    const isCurrent = this.requests.current();
    const { changeCount } = this;
    const { conversations, older } = await this.client.call("chat.conversations", {
      query: this.query,
      before_id,
    });
    if (!isCurrent()) return;
    // The order may have changed meanwhile: ask again from the new last one.
    if (changeCount !== this.changeCount) return this.loadOlder();
    this.conversations = [...this.conversations, ...conversations];
    this.hasOlder = older;
  }

  find(conversation_id: string | null): Conversation | null {
    return this.conversations.find((listed) => listed.conversation_id === conversation_id) ?? null;
  }

  /** Add or update a conversation that an event brought. */
  put(conversation: Conversation): void {
    this.changeCount++;
    const others = this.without(conversation.conversation_id);
    const isListed = others.length < this.conversations.length;
    // A conversation older than the loaded part comes with its own page.
    const isOlder = this.hasOlder && conversation.updated_at < (others.at(-1)?.updated_at ?? "");
    const belongs = !this.query && !isOlder;
    if (this.loaded && (isListed || belongs))
      this.conversations = [conversation, ...others].sort((a, b) =>
        b.updated_at.localeCompare(a.updated_at),
      );
  }

  remove(conversation_id: string): void {
    this.changeCount++;
    this.conversations = this.without(conversation_id);
  }

  private without(conversation_id: string): Conversation[] {
    return this.conversations.filter((listed) => listed.conversation_id !== conversation_id);
  }
}
