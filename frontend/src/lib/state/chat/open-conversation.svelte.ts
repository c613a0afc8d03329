/** The open conversation: its messages, including the streaming answer. */
import { errorMessage, type Client } from "../../client/client";
import type {
  ChatMessage,
  ChatTopic,
  ChatView,
  Conversation,
  ShownMessage,
} from "../../client/types";
import { LatestRequest } from "../../latest";
import { ConnectionLost } from "../../transport/transport";
import { MessageEntry } from "./message-entry.svelte";

/** An event about one streaming message. */
export type MessageEvent = Extract<ChatTopic, { message_id: string }>;

/** The session storage key of the open conversation's id, to restore it after a reload. */
const OPEN_CONVERSATION_KEY = "conductor.chat";

export class OpenConversation {
  /** The id of the conversation; null for a new conversation, which does not exist yet. */
  id = $state<string | null>(null);
  /** The entry of the conversation list; null for a new conversation or until it is loaded. */
  conversation = $state.raw<Conversation | null>(null);
  /** The messages of the selected branch, oldest first. */
  entries = $state.raw<MessageEntry[]>([]);
  /** Whether there are older messages to load. */
  hasOlder = $state(false);
  /** Whether the messages are being loaded. */
  loading = $state(false);
  /** The error of the last load; null if it succeeded. */
  error = $state<string | null>(null);
  /** The id of the message that the user is editing. */
  editing = $state<string | null>(null);
  /** Whether the user asked to stop the answer. */
  stopRequested = $state(false);
  private readonly requests = new LatestRequest();
  /** Whether a conversation has been shown since the page was loaded. */
  private wasShown = false;
  /** Events that arrived during a load, and may be newer than the loaded messages. */
  private pendingEvents: ChatTopic[] = [];
  /**
   * The id of a streaming message that is missing even after a reload, so it is on another branch.
   * It is remembered because each event of that message would otherwise cause another reload.
   */
  private offBranchId: string | null = null;

  /** @param onLoaded called with each loaded view and the events that arrived during the load. */
  constructor(
    private readonly client: Client,
    private readonly onLoaded: (view: ChatView, events: ChatTopic[]) => void,
  ) {}

  /** Show a conversation without its messages; null shows a new conversation. */
  show(conversation_id: string | null, conversation: Conversation | null): void {
    this.requests.cancel();
    this.wasShown = true;
    this.id = conversation_id;
    sessionStorage.setItem(OPEN_CONVERSATION_KEY, conversation_id ?? "");
    this.conversation = conversation;
    this.entries = [];
    this.hasOlder = this.loading = this.stopRequested = false;
    this.error = this.editing = null;
  }

  /** Return the id of the conversation that was open before the page was reloaded. */
  idToRestore(): string | null {
    return this.wasShown ? null : sessionStorage.getItem(OPEN_CONVERSATION_KEY) || null;
  }

  /** Load the messages. The shown messages stay until the load is complete. */
  async load(): Promise<void> {
    const conversation_id = this.id;
    if (conversation_id === null) return;
    await this.loadView(() => this.client.call("chat.open", { conversation_id }));
  }

  /** Load the branch of a message. */
  async showBranch(message_id: string): Promise<void> {
    const conversation_id = this.id;
    if (conversation_id === null) return;
    await this.loadView(() => this.client.call("chat.branch", { conversation_id, message_id }));
  }

  /** Load the messages before the first shown message. */
  async loadOlder(): Promise<void> {
    const first = this.entries[0];
    if (this.id === null || !first || !this.hasOlder) return;
    const isCurrent = this.requests.current();
    const { messages, older } = await this.client.call("chat.older", {
      conversation_id: this.id,
      before_id: first.id,
    });
    if (!isCurrent() || this.entries[0] !== first) return;
    this.entries = [...messages.map((message) => new MessageEntry(message)), ...this.entries];
    this.hasOlder = older;
  }

  find(message_id: string): MessageEntry | undefined {
    return this.entries.findLast((entry) => entry.id === message_id);
  }

  /** Store an event that arrives during a load, to apply it again after the load. */
  keepEvent(event: ChatTopic): void {
    if (this.loading) this.pendingEvents.push(event);
  }

  /** Apply a new piece of a streaming message. */
  applyDelta(event: MessageEvent): void {
    if (event.conversation_id !== this.id) return;
    const entry = this.find(event.message_id);
    if (!entry && event.message_id === this.offBranchId) return;
    const applied = entry && applyEvent(entry, event);
    // During a load, the event is stored and applied again afterwards.
    if (applied || this.loading) return;
    // A piece was lost, or the message is on a branch that replaced this one.
    if (!entry) this.offBranchId = event.message_id;
    void this.load();
  }

  /** Add or update a whole message. */
  putMessage(message: ChatMessage): void {
    if (message.conversation_id !== this.id) return;
    this.offBranchId = null;
    const entry = this.find(message.message_id);
    if (entry) return entry.replace(message);
    this.entries = insertMessage(this.entries, message) ?? this.entries;
  }

  private async loadView(request: () => Promise<ChatView>): Promise<void> {
    const isLatest = this.requests.start();
    this.loading = true;
    this.pendingEvents = [];
    try {
      const view = await request();
      if (!isLatest()) return;
      this.conversation = view.conversation;
      this.entries = mergeEntries(this.entries, view.messages);
      this.hasOlder = view.older;
      this.error = null;
      this.loading = false;
      this.onLoaded(view, this.pendingEvents.splice(0));
    } catch (error) {
      if (!isLatest()) return;
      this.offBranchId = null;
      if (!(error instanceof ConnectionLost)) this.error = errorMessage(error);
    } finally {
      if (isLatest()) this.loading = false;
    }
  }
}

/** Apply an event to its message. Returns false if an earlier piece is missing. */
function applyEvent(entry: MessageEntry, event: MessageEvent): boolean {
  switch (event.type) {
    case "delta":
      return entry.appendText(event);
    case "call":
      return entry.appendCall(event);
    case "part":
      return entry.putPart(event);
  }
}

/**
 * Add a new message after its parent and remove the branch that it replaces. Returns null if the
 * message is on another branch.
 */
function insertMessage(
  entries: readonly MessageEntry[],
  message: ChatMessage,
): MessageEntry[] | null {
  const { parent_id } = message;
  const at = parent_id === null ? 0 : entries.findIndex((entry) => entry.id === parent_id) + 1;
  // The first entry has a parent when only the newest messages are loaded.
  if (parent_id === null ? (entries[0]?.message.parent_id ?? null) !== null : at === 0) return null;
  const before = entries[at]?.siblings ?? [];
  const siblings = before.includes(message.message_id) ? before : [...before, message.message_id];
  return [...entries.slice(0, at), new MessageEntry({ message, siblings })];
}

/** Return entries for messages, reusing known ones so that unfolded parts stay unfolded. */
function mergeEntries(
  entries: readonly MessageEntry[],
  messages: readonly ShownMessage[],
): MessageEntry[] {
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  return messages.map((shown) => {
    const entry = known.get(shown.message.message_id);
    if (!entry) return new MessageEntry(shown);
    entry.replace(shown.message);
    entry.siblings = shown.siblings;
    return entry;
  });
}
