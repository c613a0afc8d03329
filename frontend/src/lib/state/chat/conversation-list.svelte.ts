/** The list of conversations, most recently used first. */
import { errorMessage, type Client } from "../../client/client";
import type { Conversation, Conversations } from "../../client/types";
import { LatestRequest } from "../../latest";
import { ConnectionLost } from "../../transport/transport";

/** The number of conversations in the first load. */
const PAGE_SIZE = 100;
/** The most conversations that `chat.conversations` returns. */
const MAX_PAGE_SIZE = 1_000;

export class ConversationList {
  /** The loaded conversations, most recently used first. */
  conversations = $state.raw<Conversation[]>([]);
  /** Whether there are older conversations to load. */
  hasOlder = $state(false);
  /** Whether the list has been loaded. */
  loaded = $state(false);
  /** The error of the last load; null if it succeeded. */
  error = $state<string | null>(null);
  /** The search query; empty to list all conversations. */
  query = $state("");
  private readonly requests = new LatestRequest();
  /** The number of changes by events, to detect a change during a load. */
  private changeCount = 0;

  constructor(private readonly client: Client) {}

  async load(): Promise<void> {
    const isLatest = this.requests.start();
    const { changeCount } = this;
    try {
      // At least as many as are listed, so that the scroll position of the user is kept.
      const limit = Math.min(Math.max(this.conversations.length, PAGE_SIZE), MAX_PAGE_SIZE);
      const { conversations, older }: Conversations = await this.client.call("chat.conversations", {
        query: this.query,
        limit,
      });
      if (!isLatest()) return;
      this.conversations = conversations;
      this.hasOlder = older;
      this.loaded = true;
      this.error = null;
      // An event arrived meanwhile, so the answer may be outdated.
      if (changeCount !== this.changeCount) void this.load();
    } catch (error) {
      if (isLatest() && !(error instanceof ConnectionLost)) this.error = errorMessage(error);
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
    // The order may have changed meanwhile: request the page after the new last conversation.
    if (changeCount !== this.changeCount) return this.loadOlder();
    this.conversations = [...this.conversations, ...conversations];
    this.hasOlder = older;
  }

  find(conversation_id: string | null): Conversation | null {
    return this.conversations.find((listed) => listed.conversation_id === conversation_id) ?? null;
  }

  /** Add or update a conversation from an event. */
  put(conversation: Conversation): void {
    this.changeCount++;
    const others = this.without(conversation.conversation_id);
    const isListed = others.length < this.conversations.length;
    // A conversation older than the loaded part is added when its page is loaded.
    const isOlder = this.hasOlder && conversation.updated_at < (others.at(-1)?.updated_at ?? "");
    const belongsHere = !this.query && !isOlder;
    if (this.loaded && (isListed || belongsHere))
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
