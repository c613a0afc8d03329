/** Push-to-talk: whether the microphone is open, and what becomes of what was heard. */
import { translateSentence } from "$language/sentences";
import { errorMessage, type Client } from "../client/client";
import type { VoiceTopic } from "../client/types";
import { LatestRequest } from "../latest";
import { strings } from "../strings";
import type { ChatState } from "./chat/chat.svelte";
import type { UiState } from "./ui.svelte";

const IDLE: Pick<VoiceTopic, "state" | "by"> = { state: "idle", by: "" };

export class VoiceState {
  now = $state.raw(IDLE);
  /** Whether the microphone is open or is being opened, by a control or by a button of any page. */
  listening = $derived(this.now.state === "opening" || this.now.state === "listening");
  busy = $derived(this.now.state !== "idle");
  /** Why nothing that is said can be recognised; empty if it can, null until loaded. */
  problem = $state<string | null>(null);
  /** Why the microphone could not be opened last; empty if it opened. */
  openingProblem = $state("");
  /** The names of the connected microphones, the default one first; null until they are loaded. */
  microphones = $state.raw<readonly string[] | null>(null);
  /** Why no microphone can be listed, and what to do. */
  microphoneProblem = $state("");
  /** The opening of the microphone for the button of this page; null while it is not held. */
  private opening: Promise<unknown> | null = null;
  private readonly requests = new LatestRequest();

  constructor(
    private readonly client: Client,
    private readonly ui: UiState,
    private readonly chat: ChatState,
  ) {
    client.on("voice", (event) => this.onEvent(event));
    client.onResync(() => void this.loadProblem());
    client.on("config", () => void this.loadProblem());
    // The microphone of a page that loses its connection is closed by Conductor.
    client.onLink((link) => {
      if (link !== "open") this.forget();
    });
  }

  private async loadProblem(): Promise<void> {
    const isLatest = this.requests.start();
    const status = await this.client.call("voice.status").catch(() => null);
    if (!isLatest()) return;
    this.problem = status?.problem ?? null;
    this.openingProblem = status?.microphone_problem ?? "";
  }

  async loadMicrophones(): Promise<void> {
    try {
      const { names } = await this.client.call("voice.microphones");
      this.microphones = [...new Set(names)];
      this.microphoneProblem = "";
    } catch (error) {
      this.microphones = [];
      this.microphoneProblem = errorMessage(error);
    }
  }

  /** Open the microphone, for as long as the button is held. */
  start(): void {
    if (this.opening || this.busy) return;
    this.opening = this.client.call("voice.start");
    this.opening.catch((error: unknown) => {
      this.forget();
      this.ui.toast(errorMessage(error), { tone: "error" });
    });
  }

  /** Close the microphone, and pass on what was heard. */
  async finish(): Promise<void> {
    const opening = this.opening;
    if (!opening) return;
    this.opening = null;
    try {
      await opening;
    } catch {
      return; // `start` has shown the reason
    }
    try {
      const { text, message, outcome } = await this.client.call("voice.finish");
      if (outcome === "performed") this.ui.toast(strings.didSpoken(text), { tone: "success" });
      else if (outcome === "draft" || !(await this.chat.sendText(message))) this.draft(message);
    } catch (error) {
      this.ui.toast(errorMessage(error), { tone: "warning" });
    }
  }

  /** Close the microphone and forget what was said. */
  async cancel(): Promise<void> {
    const opening = this.opening;
    if (!opening) return;
    this.opening = null;
    await opening.catch(() => {});
    await this.client.call("voice.cancel").catch(() => {});
  }

  private onEvent(event: VoiceTopic): void {
    // A microphone that cannot be opened is the failure of the mapping, which is shown.
    const wasOpen = this.now.state === "listening" || this.now.state === "recognizing";
    this.now = event;
    if (event.outcome === "failed") void this.loadProblem();
    if (!event.by || event.state !== "idle") return;
    const conversation_id = event.conversation_id;
    if (event.outcome === "failed" && wasOpen)
      this.ui.toast(translateSentence(event.message), { tone: "warning" });
    else if (event.outcome === "performed")
      this.ui.toast(strings.didSpoken(event.text), { tone: "success" });
    else if (event.outcome === "waiting") {
      this.draft(event.message);
      this.ui.navigate("chat");
    } else if (event.outcome === "sent" && conversation_id)
      this.ui.toast(strings.heard(event.text), {
        action: {
          label: strings.show,
          run: () => this.ui.navigate("chat", { kind: "conversation", conversation_id }),
        },
      });
  }

  /** Put a message into the message field, after what is written there. */
  private draft(message: string): void {
    const { text, parts } = this.chat.draft;
    this.chat.setDraft({ text: text.trim() ? `${text.trimEnd()} ${message}` : message, parts });
    this.chat.focus++;
  }

  private forget(): void {
    this.opening = null;
    this.now = IDLE;
  }
}
