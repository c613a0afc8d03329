/** State of the message composer: its text, mentions and files, and the menu at its caret. */
import { translateSentence } from "$language/sentences";
import { errorMessage } from "$lib/client/client";
import type { EventView, MentionPart, SlashCommand } from "$lib/client/types";
import type { UserPart } from "$lib/state/chat/drafts.svelte";
import type { State } from "$lib/state/state";
import { LatestRequest } from "$lib/latest";
import { readAsBase64 } from "$lib/files";
import {
  MAX_FILE_BYTES,
  queryAtCaret,
  matchingCommands,
  insertChoice,
  mentionText,
  partsToSend,
  mentionForEvent,
  type CaretQuery,
} from "./compose";
import { joinParts } from "$ui";
import { strings } from "./strings";

/** An entry of the menu of mentions and commands. */
export interface Choice {
  id: string;
  title: string;
  hint: string;
  kind: MentionPart["kind"] | "command" | "touch";
  run: () => void;
}

const MAX_CHOICES = 12;

export class Composer {
  caret = $state(0);
  selectedIndex = $state(0);
  /** Whether the next control that the user touches becomes a mention. */
  listening = $state(false);
  attaching = $state(0);
  commands = $state.raw<SlashCommand[]>([]);
  readonly text: string;
  readonly parts: UserPart[];
  readonly files: Extract<UserPart, { name: string }>[];
  readonly query: CaretQuery | null;
  readonly choices: Choice[];
  readonly canSend: boolean;
  /** Whether the text is the complete name of a command, which Enter then sends. */
  readonly isCompleteCommand: boolean;
  private mentions = $state.raw<MentionPart[]>([]);
  private dismissedQuery = $state<string | null>(null);
  private readonly queries = new LatestRequest();
  private insertionRange: CaretQuery | null = null;

  constructor(
    private readonly state: State,
    /** Moves the caret to an index, after the new text is rendered. */
    private readonly moveCaret: (to: number) => void,
  ) {
    const { chat } = state;
    this.text = $derived(chat.draft.text);
    this.parts = $derived(chat.draft.parts);
    this.files = $derived(
      this.parts.filter((part) => part.type === "file" || part.type === "image"),
    );
    this.query = $derived.by(() => {
      const caretQuery = queryAtCaret(this.text, this.caret);
      return caretQuery && `${caretQuery.kind}${caretQuery.from}` !== this.dismissedQuery
        ? caretQuery
        : null;
    });
    this.choices = $derived.by(() =>
      this.query?.kind === "command"
        ? this.commandChoices(this.query)
        : this.query
          ? this.mentionChoices(this.query)
          : [],
    );
    this.isCompleteCommand = $derived(
      this.commands.some((one) => one.name === this.text.trim().toLowerCase()),
    );
    this.canSend = $derived(partsToSend(this.text, this.parts).length > 0 && !this.attaching);
  }

  onInput(text: string, caret: number): void {
    this.setText(text);
    this.onCaretMove(caret);
  }

  onCaretMove(caret: number): void {
    const before = this.query?.query;
    this.caret = caret;
    if (!queryAtCaret(this.text, caret)) this.dismissedQuery = null;
    if (this.query?.query === before && this.choices.length) return;
    this.selectedIndex = 0;
    if (this.query?.kind === "mention") void this.loadMentions(this.query.query);
  }

  /** Close the menu until another mention or command is typed. Returns whether a menu was open. */
  closeMenu(): boolean {
    if (!this.query || !this.choices.length) return false;
    this.dismissedQuery = `${this.query.kind}${this.query.from}`;
    return true;
  }

  async loadCommands(): Promise<void> {
    try {
      this.commands = (await this.state.client.call("chat.commands")).commands;
    } catch {
      // Slash commands can be typed even if the list cannot be loaded.
    }
  }

  async send(): Promise<void> {
    if (!this.canSend) return;
    const { chat, ui } = this.state;
    const draft = chat.draft;
    const conversation_id = chat.current.id;
    const view = /^\s*\/open\s+(\w+)\s*$/.exec(draft.text)?.[1];
    chat.setDraft({ text: "", parts: [] });
    if (!(await chat.send(partsToSend(draft.text, draft.parts))))
      return chat.drafts.restore(conversation_id, draft);
    if (view) ui.navigate(view.toLowerCase());
  }

  async attach(files: Iterable<File>): Promise<void> {
    for (const file of files) {
      this.attaching++;
      try {
        if (file.size > MAX_FILE_BYTES) throw new Error(strings.fileTooLarge(file.name));
        const { part } = await this.state.client.call("chat.attach", {
          name: file.name || "pasted",
          content: await readAsBase64(file),
        });
        this.setParts([...this.parts, part]);
      } catch (error) {
        this.state.ui.toast(errorMessage(error), { tone: "error" });
      } finally {
        this.attaching--;
      }
    }
  }

  remove(part: UserPart): void {
    this.setParts(this.parts.filter((one) => one !== part));
  }

  onTouch(event: EventView): void {
    if (!this.listening) return;
    this.listening = false;
    const at = this.insertionRange ?? { from: this.text.length, to: this.text.length };
    this.insertMention(mentionForEvent(event), at);
  }

  startListening(): void {
    this.insertionRange = this.query;
    this.listening = true;
  }

  private commandChoices(caretQuery: CaretQuery): Choice[] {
    return matchingCommands(this.commands, caretQuery.query).map((one) => {
      const help = translateSentence(one.help);
      return {
        id: one.name,
        title: `${one.name} ${one.usage}`.trim(),
        hint: joinParts(help, one.examples[0] && strings.commandExample(one.examples[0])),
        kind: "command",
        run: () => this.insertText(caretQuery, one.name),
      };
    });
  }

  private mentionChoices(caretQuery: CaretQuery): Choice[] {
    const touch: Choice = {
      id: "touch",
      title: strings.touchAControl,
      hint: strings.touchHint,
      kind: "touch",
      run: () => this.startListening(),
    };
    const found = [...this.mentions, ...this.unnamedDeviceMentions(caretQuery.query)].map(
      (one): Choice => ({
        id: `${one.kind}:${one.detail}`,
        title: one.label,
        hint: mentionHint(one),
        kind: one.kind,
        run: () => this.insertMention(one, caretQuery),
      }),
    );
    return [
      ...(strings.touchAControl.toLowerCase().includes(caretQuery.query.toLowerCase())
        ? [touch]
        : []),
      ...found,
    ].slice(0, MAX_CHOICES);
  }

  /** Return mentions of the connected devices that have no alias. */
  private unnamedDeviceMentions(query: string): MentionPart[] {
    const wanted = query.toLowerCase();
    const { devices } = this.state.devices;
    return devices
      .filter(
        (one) =>
          !one.is_configured &&
          one.kind !== "midi_output" &&
          one.device_id.toLowerCase().includes(wanted),
      )
      .map((one) => ({
        type: "mention",
        kind: "device",
        label: one.device_id,
        detail: `the device "${one.device_id}", which has no alias`,
      }));
  }

  private async loadMentions(query: string): Promise<void> {
    const isLatest = this.queries.start();
    try {
      const { mentions } = await this.state.client.call("chat.mentions", { query });
      if (isLatest()) this.mentions = mentions;
    } catch {
      if (isLatest()) this.mentions = [];
    }
  }

  private insertMention(mention: MentionPart, range: Pick<CaretQuery, "from" | "to">): void {
    this.setParts([
      ...this.parts.filter((part) => part.type !== "mention" || part.label !== mention.label),
      mention,
    ]);
    this.insertText(range, mentionText(mention));
  }

  private insertText(range: Pick<CaretQuery, "from" | "to">, inserted: string): void {
    const [text, caret] = insertChoice(this.text, range, inserted);
    this.setText(text);
    this.caret = caret;
    this.moveCaret(caret);
  }

  private setText(text: string): void {
    this.state.chat.setDraft({ text, parts: this.parts });
  }

  private setParts(parts: UserPart[]): void {
    this.state.chat.setDraft({ text: this.text, parts });
  }
}

/** Return the hint beside a mention; for a plan, its description instead of its id. */
function mentionHint({ kind, detail }: MentionPart): string {
  return (
    kind === "plan" ? detail.replace(/^plan \S+, (\w+): [^]*$/, "plan, $1") : detail
  ).replaceAll("`", "");
}
