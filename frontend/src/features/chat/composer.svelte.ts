/** The state of the composer: its text, mentions and files, and the menu at its caret. */
import { words } from "$lib/client/client";
import type { EventView, MentionPart, SlashCommand } from "$lib/client/types";
import type { UserPart } from "$lib/state/chat/drafts.svelte";
import type { State } from "$lib/state/state";
import { Latest } from "$lib/latest";
import { base64Of } from "$lib/files";
import {
  FILE_AT_MOST,
  queryAtCaret,
  matchingCommands,
  insertChoice,
  mentionText,
  partsToSend,
  touchedMention,
  type CaretQuery,
} from "./compose";
import { strings } from "./strings";

/** An entry of the suggestion menu. */
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
  at = $state(0);
  /** Whether the next control that is touched becomes a mention. */
  listening = $state(false);
  attaching = $state(0);
  commands = $state.raw<SlashCommand[]>([]);
  readonly text: string;
  readonly parts: UserPart[];
  readonly files: Extract<UserPart, { name: string }>[];
  readonly asked: CaretQuery | null;
  readonly choices: Choice[];
  readonly canSend: boolean;
  /** Whether the caret is at the end of a complete command, with nothing left to suggest. */
  readonly isWhole: boolean;
  private mentions = $state.raw<MentionPart[]>([]);
  private closedAt = $state<string | null>(null);
  private readonly queries = new Latest();
  private place: CaretQuery | null = null;

  constructor(
    private readonly state: State,
    /** Move the caret there once the new text is rendered. */
    private readonly moveCaret: (to: number) => void,
  ) {
    const { chat } = state;
    this.text = $derived(chat.draft.text);
    this.parts = $derived(chat.draft.parts);
    this.files = $derived(
      this.parts.filter((part) => part.type === "file" || part.type === "image"),
    );
    this.asked = $derived.by(() => {
      const asked = queryAtCaret(this.text, this.caret);
      return asked && `${asked.kind}${asked.from}` !== this.closedAt ? asked : null;
    });
    this.choices = $derived.by(() =>
      this.asked?.kind === "command"
        ? this.commandChoices(this.asked)
        : this.asked
          ? this.mentionChoices(this.asked)
          : [],
    );
    this.isWhole = $derived(
      this.commands.some((one) => one.name === this.text.trim().toLowerCase()),
    );
    this.canSend = $derived(
      partsToSend(this.text, this.parts).length > 0 && !this.attaching && !chat.sending,
    );
  }

  write(text: string, caret: number): void {
    this.set(text);
    this.moved(caret);
  }

  moved(caret: number): void {
    const before = this.asked?.query;
    this.caret = caret;
    if (!queryAtCaret(this.text, caret)) this.closedAt = null;
    if (this.asked?.query === before && this.choices.length) return;
    this.at = 0;
    if (this.asked?.kind === "mention") void this.loadMentions(this.asked.query);
  }

  /** Close the menu until another mention or command is typed. Returns whether it was open. */
  closeMenu(): boolean {
    if (!this.asked || !this.choices.length) return false;
    this.closedAt = `${this.asked.kind}${this.asked.from}`;
    return true;
  }

  async loadCommands(): Promise<void> {
    try {
      this.commands = (await this.state.client.call("chat.commands")).commands;
    } catch {
      // Slash commands can be typed even when their list did not load.
    }
  }

  async send(): Promise<void> {
    if (!this.canSend) return;
    const { chat, ui } = this.state;
    const draft = chat.draft;
    const view = /^\s*\/open\s+(\w+)\s*$/.exec(draft.text)?.[1];
    chat.setDraft({ text: "", parts: [] });
    if (!(await chat.send(partsToSend(draft.text, draft.parts))))
      return chat.draft.text ? undefined : chat.setDraft(draft);
    if (view) ui.navigate(view.toLowerCase());
  }

  async attach(files: Iterable<File>): Promise<void> {
    for (const file of files) {
      this.attaching++;
      try {
        if (file.size > FILE_AT_MOST) throw new Error(strings.fileTooLarge(file.name));
        const { part } = await this.state.client.call("chat.attach", {
          name: file.name || "pasted",
          content: await base64Of(file),
        });
        this.setParts([...this.parts, part]);
      } catch (error) {
        this.state.ui.toast(words(error), { tone: "error" });
      } finally {
        this.attaching--;
      }
    }
  }

  remove(part: UserPart): void {
    this.setParts(this.parts.filter((one) => one !== part));
  }

  touched(event: EventView): void {
    if (!this.listening) return;
    this.listening = false;
    const at = this.place ?? { from: this.text.length, to: this.text.length };
    this.point(touchedMention(event), at);
  }

  listen(): void {
    this.place = this.asked;
    this.listening = true;
  }

  private commandChoices(asked: CaretQuery): Choice[] {
    return matchingCommands(this.commands, asked.query).map((one) => ({
      id: one.name,
      title: `${one.name} ${one.usage}`.trim(),
      hint: one.examples[0] ? strings.commandExample(one.help, one.examples[0]) : one.help,
      kind: "command",
      run: () => this.fill(asked, one.name),
    }));
  }

  private mentionChoices(asked: CaretQuery): Choice[] {
    const touch: Choice = {
      id: "touch",
      title: strings.touchAControl,
      hint: strings.touchHint,
      kind: "touch",
      run: () => this.listen(),
    };
    const found = [...this.mentions, ...this.unnamed(asked.query)].map((one): Choice => ({
      id: `${one.kind}:${one.detail}`,
      title: one.label,
      hint: hintOf(one),
      kind: one.kind,
      run: () => this.point(one, asked),
    }));
    return [
      ...(strings.touchAControl.toLowerCase().includes(asked.query.toLowerCase()) ? [touch] : []),
      ...found,
    ].slice(0, MAX_CHOICES);
  }

  /** Return mentions of the connected devices that have no alias. */
  private unnamed(query: string): MentionPart[] {
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

  private point(mention: MentionPart, asked: Pick<CaretQuery, "from" | "to">): void {
    this.setParts([
      ...this.parts.filter((part) => part.type !== "mention" || part.label !== mention.label),
      mention,
    ]);
    this.fill(asked, mentionText(mention));
  }

  private fill(asked: Pick<CaretQuery, "from" | "to">, words: string): void {
    const [text, caret] = insertChoice(this.text, asked, words);
    this.set(text);
    this.caret = caret;
    this.moveCaret(caret);
  }

  private set(text: string): void {
    this.state.chat.setDraft({ text, parts: this.parts });
  }

  private setParts(parts: UserPart[]): void {
    this.state.chat.setDraft({ text: this.text, parts });
  }
}

/** Return the hint beside a mention; for a plan, its description instead of its id. */
function hintOf({ kind, detail }: MentionPart): string {
  return (
    kind === "plan" ? detail.replace(/^plan \S+, (\w+): [^]*$/, "plan, $1") : detail
  ).replaceAll("`", "");
}
