/** The state of the chat: conversations, drafts, running answers and the user's commands. */
import { errorMessage, type Client } from "../../client/client";
import type { ChatMessage, ChatTopic, ChatView, RunEvent, SendResult } from "../../client/types";
import type { UiState } from "../ui.svelte";
import { ConversationList } from "./conversation-list.svelte";
import { Drafts, type Draft, type UserPart } from "./drafts.svelte";
import { OpenConversation } from "./open-conversation.svelte";

export interface ModelChoice {
  provider: string;
  model: string | null;
}

export class ChatState {
  /** The conversations, most recently used first. */
  readonly list: ConversationList;
  /** The conversation that is shown. */
  readonly current: OpenConversation;
  /** The unsent text of each conversation. */
  readonly drafts = new Drafts();
  /** The last known run of each conversation, by conversation id. */
  runs = $state.raw<ReadonlyMap<string, RunEvent>>(new Map());
  /** A counter. Increasing it moves the keyboard focus to the composer. */
  focus = $state(0);
  /** The model that the user chose for a new conversation; null for the default model. */
  chosenModel = $state.raw<ModelChoice | null>(null);
  /** The last used model, or the first available one. Set by the view. */
  defaultModel = $state.raw<ModelChoice | null>(null);
  /** The run of the open conversation. */
  readonly run: RunEvent | null;
  /** Whether an answer in the open conversation is in progress. */
  readonly running: boolean;
  /** Whether the user has stopped the answer and it is still running. */
  readonly stopping: boolean;
  /** The draft of the open conversation. */
  readonly draft: Draft;
  /** The conversation in which each plan was proposed, by plan id. */
  private readonly planConversations = new Map<string, string>();
  /** The message that is being sent. Each message waits for the one before it. */
  private lastSend: Promise<unknown> = Promise.resolve();
  /** The conversation that was last started; its id is null until its first message is sent. */
  private started: { id: string | null } = { id: null };

  /** @param onAnswered called with each finished answer. */
  constructor(
    private readonly client: Client,
    private readonly ui: UiState,
    private readonly onAnswered: (message: ChatMessage) => void = () => {},
  ) {
    this.list = new ConversationList(client);
    this.current = new OpenConversation(client, (view, events) => this.onLoaded(view, events));
    this.run = $derived(this.runs.get(this.current.id ?? "") ?? null);
    this.running = $derived(this.run?.running ?? false);
    this.stopping = $derived(this.running && this.current.stopRequested);
    this.draft = $derived(this.drafts.of(this.current.id));
    client.onResync(() => {
      // Until the chat is opened for the first time, nothing is loaded.
      if (this.list.loaded) void this.list.load();
      void this.current.load();
    });
    client.on("chat", (event) => {
      this.current.keepEvent(event);
      this.onEvent(event);
    });
  }

  /** Show a conversation and load its messages. */
  async open(conversation_id: string): Promise<void> {
    this.current.show(conversation_id, this.list.find(conversation_id));
    await this.current.load();
  }

  /** Open the conversation that was open before the page was reloaded. */
  async restore(): Promise<void> {
    const conversation_id = this.current.idToRestore();
    if (!conversation_id) return;
    await this.open(conversation_id);
    if (this.current.error) this.startNew();
  }

  /** Show an empty new conversation. Conductor creates it with the first message. */
  startNew(text?: string): void {
    this.current.show(null, null);
    this.started = { id: null };
    if (text !== undefined) this.setDraft({ text, parts: [] });
    this.focus++;
  }

  /** Send a message to the open conversation. Resolves to whether Conductor accepted it. */
  send(parts: UserPart[]): Promise<boolean> {
    if (!parts.length) return Promise.resolve(false);
    const { started } = this;
    const target = this.current.id === null ? started : { id: this.current.id };
    const sent = this.lastSend.then(() =>
      this.attempt(async () => {
        const choice = target.id === null ? (this.chosenModel ?? this.defaultModel) : null;
        const result = await this.client.call("chat.send", {
          conversation_id: target.id,
          parts,
          ...(choice ? { provider: choice.provider, model: choice.model } : {}),
        });
        // The user may have opened another conversation meanwhile.
        const isOpen =
          this.current.id === target.id && (target.id !== null || this.started === started);
        target.id = result.conversation_id;
        if (isOpen) await this.showSent(result);
      }),
    );
    this.lastSend = sent;
    return sent;
  }

  sendText(text: string): Promise<boolean> {
    return this.send([{ type: "text", text }]);
  }

  /** Stop the answer. A second call also cancels the tool that is running. */
  async stop(): Promise<void> {
    if (!this.running) return;
    this.current.stopRequested = true;
    await this.runForOpen((conversation_id) => this.client.call("chat.stop", { conversation_id }));
  }

  async edit(message_id: string, parts: UserPart[]): Promise<boolean> {
    this.current.editing = null;
    return this.attempt(async () =>
      this.showSent(await this.client.call("chat.edit", { message_id, parts })),
    );
  }
  regenerate(message_id: string, choice?: ModelChoice): Promise<boolean> {
    return this.attempt(async () =>
      this.showSent(
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
    return this.runForOpen((conversation_id) =>
      this.client.call("chat.unqueue", { conversation_id, index }),
    );
  }
  compact(): Promise<boolean> {
    return this.runForOpen((conversation_id) =>
      this.client.call("chat.compact", { conversation_id }),
    );
  }
  rename(conversation_id: string, title: string): Promise<boolean> {
    return this.attempt(() => this.client.call("chat.rename", { conversation_id, title }));
  }
  remove(conversation_id: string): Promise<boolean> {
    return this.attempt(() => this.client.call("chat.delete", { conversation_id }));
  }

  /** Choose the model of the open conversation and of new conversations. */
  async setModel(choice: ModelChoice): Promise<void> {
    this.chosenModel = choice;
    await this.runForOpen((conversation_id) =>
      this.client.call("chat.set_model", { conversation_id, ...choice }),
    );
  }

  setDraft(draft: Draft): void {
    this.drafts.set(this.current.id, draft);
  }

  /** Return the id of the conversation in which a plan was proposed, or of the likeliest one. */
  conversationOfPlan(plan_id: string): string | null {
    return (
      this.planConversations.get(plan_id) ??
      [...this.runs.values()].find((run) => run.running)?.conversation_id ??
      this.current.id
    );
  }

  /** Open the conversation of a sent message, which may be new. */
  private async showSent(sent: SendResult): Promise<void> {
    if (this.current.id === sent.conversation_id) return;
    if (this.current.id === null) this.drafts.moveToConversation(sent.conversation_id);
    await this.open(sent.conversation_id);
  }

  private onLoaded({ run, messages }: ChatView, events: ChatTopic[]): void {
    this.setRun(run);
    for (const { message } of messages) this.rememberPlans(message);
    for (const event of events) this.onEvent(event, { replayed: true });
  }

  /** @param options.replayed whether the event is applied again after a load, without reports. */
  private onEvent(event: ChatTopic, { replayed = false } = {}): void {
    switch (event.type) {
      case "conversation":
        this.list.put(event.conversation);
        if (event.conversation.conversation_id === this.current.id)
          this.current.conversation = event.conversation;
        return;
      case "removed":
        this.list.remove(event.conversation_id);
        if (this.current.id === event.conversation_id) this.startNew();
        return;
      case "state":
        this.setRun(event);
        if (!event.running && event.conversation_id === this.current.id)
          this.current.stopRequested = false;
        return;
      case "message":
        if (!replayed) this.reportAnswer(event.message);
        return this.current.putMessage(event.message);
      default:
        if (event.type === "part" && event.part.type === "tool_result" && event.part.plan_id)
          this.planConversations.set(event.part.plan_id, event.conversation_id);
        return this.current.applyDelta(event);
    }
  }

  private setRun(run: RunEvent): void {
    this.runs = new Map(this.runs).set(run.conversation_id, run);
  }

  /** Call `onAnswered` if a message is an answer that has just ended. */
  private reportAnswer(message: ChatMessage): void {
    this.rememberPlans(message);
    const entry = this.current.find(message.message_id);
    if (message.role === "assistant" && message.state !== "streaming" && (!entry || entry.isLive))
      this.onAnswered(message);
  }

  private rememberPlans(message: ChatMessage): void {
    for (const part of message.parts)
      if (part.type === "tool_result" && part.plan_id)
        this.planConversations.set(part.plan_id, message.conversation_id);
  }

  private async runForOpen(run: (conversation_id: string) => Promise<unknown>): Promise<boolean> {
    const { id } = this.current;
    return id !== null && this.attempt(() => run(id));
  }

  private async attempt(run: () => Promise<unknown>): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (error) {
      this.ui.toast(errorMessage(error), { tone: "error" });
      return false;
    }
  }
}
