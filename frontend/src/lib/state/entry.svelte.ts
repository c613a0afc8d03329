/** One message that is shown, as it grows. */
import type { CallNews, ChatMessage, DeltaNews, PartNews, ShownMessage } from "../client/types";

export type Part = ChatMessage["parts"][number];
export type PartOf<T extends Part["type"]> = Extract<Part, { type: T }>;

/** A call whose arguments are still being written: it can be looked at, and nothing else. */
export interface Forming {
  call_id: string;
  tool: string;
  text: string;
}

export class Entry {
  message = $state.raw<ChatMessage>() as ChatMessage;
  /** The ids of the messages in its place, itself among them, the oldest first. */
  siblings = $state.raw<string[]>([]);
  /** By the index that the part will have. */
  forming = $state.raw<ReadonlyMap<number, Forming>>(new Map());
  /** The length of each growing part in characters, as Conductor counts them. */
  private lengths = new Map<number, number>();

  constructor({ message, siblings }: ShownMessage) {
    this.message = message;
    this.siblings = siblings;
  }

  get id(): string {
    return this.message.message_id;
  }
  get isLive(): boolean {
    return this.message.state === "streaming";
  }

  replace(message: ChatMessage): void {
    this.message = message;
    this.lengths.clear();
    if (message.state !== "streaming") this.forming = new Map();
  }

  /** Gives whether it fits; when not, something was lost and the message must be read again. */
  append({ index, text, at }: DeltaNews): boolean {
    const part = this.message.parts[index];
    if (!part || !("text" in part)) return false;
    const length = this.lengths.get(index) ?? count(part.text);
    if (at !== null && at > length) return false;
    // What was there already when the message was read.
    const fresh = at === null || at === length ? text : [...text].slice(length - at).join("");
    this.lengths.set(index, length + count(fresh));
    if (fresh) this.message = { ...this.message, parts: this.message.parts.with(index, { ...part, text: part.text + fresh }) };
    return true;
  }

  put({ index, part }: PartNews): boolean {
    const { parts } = this.message;
    if (index > parts.length) return false;
    this.message = { ...this.message, parts: index === parts.length ? [...parts, part] : parts.with(index, part) };
    this.lengths.delete(index);
    if (this.forming.has(index)) this.forming = new Map([...this.forming].filter(([at]) => at !== index));
    return true;
  }

  form({ index, call_id, tool, arguments_so_far }: CallNews): void {
    if (index < this.message.parts.length) return;
    this.forming = new Map(this.forming).set(index, { call_id, tool, text: arguments_so_far });
  }
}

function count(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** Gives the words of a message, without what stands around them. */
export function textOf(message: ChatMessage): string {
  return message.parts.filter((part) => part.type === "text").map((part) => part.text).join("\n\n");
}
