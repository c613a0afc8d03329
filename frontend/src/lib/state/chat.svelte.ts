/** The conversations, the one that is shown, and how it grows. */
import { ConnectionLost } from "../transport/transport";
import { words, type Client } from "../client/client";
import type {
  ChatMessage,
  ChatTopic,
  ChatView,
  Conversation,
  Conversations,
  RunEvent,
  SendRequest,
  Sent,
  ShownMessage,
} from "../client/types";
import { Entry } from "./entry.svelte";
import type { UiState } from "./ui.svelte";

export type UserPart = SendRequest["parts"][number];
/** What is being written, before it is sent. */
export interface Draft {
  text: string;
  parts: UserPart[];
}
export interface ModelChoice {
  provider: string;
  model: string | null;
}

const EMPTY: Draft = { text: "", parts: [] };
const NEW = "";
/** So many conversations are listed at first. */
const LISTED = 100;
/** Where the tab keeps which conversation is open. */
const OPEN = "conductor.chat";

export class ChatState {
  /** Used last first. */
  conversations = $state.raw<Conversation[]>([]);
  /** There are some that were used before those of the list. */
  listOlder = $state(false);
  loaded = $state(false);
  error = $state<string | null>(null);
  /** The one that is shown; null: a new one. */
  openId = $state<string | null>(null);
  conversation = $state.raw<Conversation | null>(null);
  entries = $state.raw<Entry[]>([]);
  older = $state(false);
  opening = $state(false);
  openError = $state<string | null>(null);
  sending = $state(false);
  runs = $state.raw<ReadonlyMap<string, RunEvent>>(new Map());
  query = $state("");
  /** The message that is being edited. */
  editing = $state<string | null>(null);
  drafts = $state.raw<Record<string, Draft>>({});
  /** Counts up when the composer should take the keyboard. */
  focus = $state(0);
  /** What a new conversation will be asked of, as the user chose; null: the usual. */
  wanted = $state.raw<ModelChoice | null>(null);
  /** The model that was used last, or the first that can be asked; the view knows it. */
  usual = $state.raw<ModelChoice | null>(null);
  readonly run: RunEvent | null;
  readonly running: boolean;
  readonly draft: Draft;
  private readonly planHome = new Map<string, string>();
  private asked = 0;
  private listed = 0;
  /** How many changes of conversations were told. */
  private told = 0;
  private stops = $state(0);
  /** What was told while a conversation is read: what is read may be older. */
  private meanwhile: ChatTopic[] = [];
  /**
   * The message that grows, and was read again for: while it is not shown, it is on another branch.
   */
  private elsewhere: string | null = null;

  /** @param answered is told of an answer that has ended. */
  constructor(
    private readonly client: Client,
    private readonly ui: UiState,
    private readonly answered: (message: ChatMessage) => void = () => {},
  ) {
    this.run = $derived(this.openId === null ? null : (this.runs.get(this.openId) ?? null));
    this.running = $derived(this.run?.running ?? false);
    this.draft = $derived(this.drafts[this.openId ?? NEW] ?? EMPTY);
    client.onResync(() => {
      // Until the chat was looked at, nothing of it is read.
      if (this.loaded) void this.load();
      if (this.openId !== null) void this.open(this.openId, true);
    });
    client.on("chat", (news) => {
      if (this.opening) this.meanwhile.push(news);
      this.hear(news);
    });
  }

  async load(): Promise<void> {
    const own = ++this.listed;
    const told = this.told;
    try {
      // Who has scrolled down stays there when all is read again.
      const limit = Math.min(Math.max(this.conversations.length, LISTED), 1_000);
      const { conversations, older }: Conversations = await this.client.call("chat.conversations", {
        query: this.query,
        limit,
      });
      if (own !== this.listed) return;
      this.conversations = conversations;
      this.listOlder = older;
      this.loaded = true;
      this.error = null;
      // What was told meanwhile may not be in it.
      if (told !== this.told) void this.load();
    } catch (error) {
      if (own === this.listed && !(error instanceof ConnectionLost)) this.error = words(error);
    }
  }

  /** Adds conversations that were used before those of the list. */
  async loadListed(): Promise<void> {
    const before_id = this.conversations.at(-1)?.conversation_id;
    if (before_id === undefined || !this.listOlder) return;
    const [own, told] = [this.listed, this.told];
    const { conversations, older } = await this.client.call("chat.conversations", {
      query: this.query,
      before_id,
    });
    if (own !== this.listed) return;
    if (told !== this.told) return this.loadListed();
    this.conversations = [...this.conversations, ...conversations];
    this.listOlder = older;
  }

  /** @param again keeps what is shown until it is read. */
  async open(conversation_id: string, again = false): Promise<void> {
    if (!again) this.show(conversation_id);
    await this.view(() => this.client.call("chat.open", { conversation_id }));
  }

  /** Opens again what was open before the page was loaded anew. */
  async restore(): Promise<void> {
    const kept = sessionStorage.getItem(OPEN);
    if (!kept || this.asked) return;
    await this.open(kept);
    if (this.openError) this.startNew();
  }

  /** Begins a new conversation; it is made when something is said. */
  startNew(text?: string): void {
    this.show(null);
    this.opening = false;
    if (text !== undefined) this.setDraft({ text, parts: [] });
    this.focus++;
  }

  async loadOlder(): Promise<void> {
    const first = this.entries[0];
    if (this.openId === null || !first || !this.older) return;
    const own = this.asked;
    const { messages, older } = await this.client.call("chat.older", {
      conversation_id: this.openId,
      before_id: first.id,
    });
    if (own !== this.asked || this.entries[0] !== first) return;
    this.entries = [...messages.map((one) => new Entry(one)), ...this.entries];
    this.older = older;
  }

  async showBranch(message_id: string): Promise<void> {
    const conversation_id = this.openId;
    if (conversation_id === null) return;
    await this.view(() => this.client.call("chat.branch", { conversation_id, message_id }));
  }

  /** Says something; gives whether it was taken. */
  async send(parts: UserPart[]): Promise<boolean> {
    const to = this.openId;
    if (this.sending || !parts.length) return false;
    this.sending = true;
    const choice = to === null ? (this.wanted ?? this.usual) : null;
    try {
      const sent = await this.client.call("chat.send", {
        conversation_id: to,
        parts,
        ...(choice ? { provider: choice.provider, model: choice.model } : {}),
      });
      if (this.openId === to) await this.follow(sent);
      return true;
    } catch (error) {
      this.ui.toast(words(error), { tone: "error" });
      return false;
    } finally {
      this.sending = false;
    }
  }

  say(text: string): Promise<boolean> {
    return this.send([{ type: "text", text }]);
  }

  /** Stops the answer; once more, and what it does is cut off. */
  async stop(): Promise<void> {
    const conversation_id = this.openId;
    if (conversation_id === null || !this.running) return;
    this.stops++;
    await this.attempt(() => this.client.call("chat.stop", { conversation_id }));
  }
  /** It was asked to stop, and has not yet. */
  get stopping(): boolean {
    return this.running && this.stops > 0;
  }

  async edit(message_id: string, parts: UserPart[]): Promise<boolean> {
    this.editing = null;
    return this.attempt(async () =>
      this.follow(await this.client.call("chat.edit", { message_id, parts })),
    );
  }
  regenerate(message_id: string, choice?: ModelChoice): Promise<boolean> {
    return this.attempt(async () =>
      this.follow(
        await this.client.call("chat.regenerate", {
          message_id,
          provider: choice?.provider ?? null,
          model: choice?.model ?? null,
        }),
      ),
    );
  }
  resume(message_id: string): Promise<boolean> {
    return this.attempt(() => this.client.call("chat.resume", { message_id }));
  }
  unqueue(index: number): Promise<boolean> {
    return this.withOpen((conversation_id) =>
      this.client.call("chat.unqueue", { conversation_id, index }),
    );
  }
  compact(): Promise<boolean> {
    return this.withOpen((conversation_id) =>
      this.client.call("chat.compact", { conversation_id }),
    );
  }
  rename(conversation_id: string, title: string): Promise<boolean> {
    return this.attempt(() => this.client.call("chat.rename", { conversation_id, title }));
  }
  remove(conversation_id: string): Promise<boolean> {
    return this.attempt(() => this.client.call("chat.delete", { conversation_id }));
  }

  async setModel(choice: ModelChoice): Promise<void> {
    this.wanted = choice;
    if (this.openId === null) return;
    await this.withOpen((conversation_id) =>
      this.client.call("chat.set_model", { conversation_id, ...choice }),
    );
  }

  setDraft(draft: Draft): void {
    this.drafts = { ...this.drafts, [this.openId ?? NEW]: draft };
  }

  /** Says in which conversation a plan was proposed, as far as it was heard. */
  homeOf(plan_id: string): string | null {
    return (
      this.planHome.get(plan_id) ??
      [...this.runs.values()].find((run) => run.running)?.conversation_id ??
      this.openId
    );
  }

  private show(conversation_id: string | null): void {
    this.asked++;
    this.openId = conversation_id;
    sessionStorage.setItem(OPEN, conversation_id ?? "");
    this.conversation =
      this.conversations.find((one) => one.conversation_id === conversation_id) ?? null;
    this.entries = [];
    this.older = false;
    this.openError = this.editing = null;
    this.stops = 0;
  }

  private async follow(sent: Sent): Promise<void> {
    if (this.openId === sent.conversation_id) return;
    this.drafts = { ...this.drafts, [NEW]: EMPTY };
    await this.open(sent.conversation_id);
  }

  private async view(read: () => Promise<ChatView>): Promise<void> {
    const own = ++this.asked;
    this.opening = true;
    this.meanwhile = [];
    try {
      const view = await read();
      if (own !== this.asked) return;
      this.conversation = view.conversation;
      this.entries = joined(this.entries, view.messages);
      this.older = view.older;
      this.runs = new Map(this.runs).set(view.run.conversation_id, view.run);
      for (const { message } of view.messages) this.notePlans(message);
      this.openError = null;
      this.opening = false;
      for (const news of this.meanwhile.splice(0)) this.hear(news, true);
    } catch (error) {
      if (own !== this.asked) return;
      this.elsewhere = null;
      if (!(error instanceof ConnectionLost)) this.openError = words(error);
    } finally {
      if (own === this.asked) this.opening = false;
    }
  }

  /** @param again leaves out what was done when it was told. */
  private hear(news: ChatTopic, again = false): void {
    switch (news.type) {
      case "conversation":
        return this.put(news.conversation);
      case "removed":
        this.told++;
        this.conversations = this.conversations.filter(
          (one) => one.conversation_id !== news.conversation_id,
        );
        if (this.openId === news.conversation_id) this.startNew();
        return;
      case "state":
        this.runs = new Map(this.runs).set(news.conversation_id, news);
        if (!news.running && news.conversation_id === this.openId) this.stops = 0;
        return;
      case "message":
        if (!again) this.noteAnswer(news.message);
        return this.putMessage(news.message);
      default:
        return this.grow(news);
    }
  }

  private grow(news: Extract<ChatTopic, { message_id: string }>): void {
    if (news.type === "part" && news.part.type === "tool_result" && news.part.plan_id)
      this.planHome.set(news.part.plan_id, news.conversation_id);
    if (news.conversation_id !== this.openId) return;
    const entry = this.shownAs(news.message_id);
    if (!entry && news.message_id === this.elsewhere) return;
    // What does not fit was lost, or stands on a branch that has been put in the place of this one.
    const fits =
      entry &&
      (news.type === "delta"
        ? entry.append(news)
        : news.type === "call"
          ? entry.form(news)
          : entry.put(news));
    if (fits || this.opening) return;
    if (!entry) this.elsewhere = news.message_id;
    void this.open(news.conversation_id, true);
  }

  private shownAs(message_id: string): Entry | undefined {
    return this.entries.findLast((one) => one.id === message_id);
  }

  private put(conversation: Conversation): void {
    this.told++;
    const others = this.conversations.filter(
      (one) => one.conversation_id !== conversation.conversation_id,
    );
    const isListed = others.length < this.conversations.length;
    // One that was used before all of the list comes with the page it is on.
    const comes =
      !this.query &&
      !(this.listOlder && conversation.updated_at < (others.at(-1)?.updated_at ?? ""));
    if (this.loaded && (isListed || comes))
      this.conversations = [conversation, ...others].sort((a, b) =>
        b.updated_at.localeCompare(a.updated_at),
      );
    if (conversation.conversation_id === this.openId) this.conversation = conversation;
  }

  private noteAnswer(message: ChatMessage): void {
    this.notePlans(message);
    const known = this.shownAs(message.message_id);
    if (message.role === "assistant" && message.state !== "streaming" && (!known || known.isLive))
      this.answered(message);
  }

  private putMessage(message: ChatMessage): void {
    if (message.conversation_id !== this.openId) return;
    this.elsewhere = null;
    const known = this.shownAs(message.message_id);
    if (known) return known.replace(message);
    this.entries = withChild(this.entries, message) ?? this.entries;
  }

  private notePlans(message: ChatMessage): void {
    for (const part of message.parts)
      if (part.type === "tool_result" && part.plan_id)
        this.planHome.set(part.plan_id, message.conversation_id);
  }

  private withOpen(run: (conversation_id: string) => Promise<unknown>): Promise<boolean> {
    const conversation_id = this.openId;
    return conversation_id === null
      ? Promise.resolve(false)
      : this.attempt(() => run(conversation_id));
  }

  private async attempt(run: () => Promise<unknown>): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (error) {
      this.ui.toast(words(error), { tone: "error" });
      return false;
    }
  }
}

/**
 * Puts a new message where it belongs, and takes away the branch that it takes the place of; null:
 * it is on another branch.
 */
function withChild(entries: readonly Entry[], message: ChatMessage): Entry[] | null {
  const at =
    message.parent_id === null ? 0 : entries.findIndex((one) => one.id === message.parent_id) + 1;
  if (message.parent_id === null ? (entries[0]?.message.parent_id ?? null) !== null : at === 0)
    return null;
  const before = entries[at]?.siblings ?? [];
  const siblings = before.includes(message.message_id) ? before : [...before, message.message_id];
  return [...entries.slice(0, at), new Entry({ message, siblings })];
}

/** Keeps the entries that are there already, so that what is open in them stays open. */
function joined(entries: readonly Entry[], shown: readonly ShownMessage[]): Entry[] {
  const known = new Map(entries.map((one) => [one.id, one]));
  return shown.map((one) => {
    const entry = known.get(one.message.message_id);
    if (!entry) return new Entry(one);
    entry.replace(one.message);
    entry.siblings = one.siblings;
    return entry;
  });
}
