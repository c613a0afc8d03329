/** One message that is shown, as it grows. */
import type { CallEvent, ChatMessage, DeltaEvent, PartEvent, ShownMessage } from "../client/types";

export type Part = ChatMessage["parts"][number];
export type PartOf<T extends Part["type"]> = Extract<Part, { type: T }>;

export class Entry {
  message = $state.raw<ChatMessage>() as ChatMessage;
  /** The ids of the messages in its place, itself among them, the oldest first. */
  siblings = $state.raw<string[]>([]);
  /**
   * What there is of the arguments of each call that is still being written, by its id: it can be
   * looked at, and nothing else.
   */
  forming = $state.raw<ReadonlyMap<string, string>>(new Map());
  /** The length of each growing part and forming call in characters, as Conductor counts them. */
  private lengths = new Map<number | string, number>();

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
    this.forming = new Map();
  }

  /** Gives whether it fits; when not, something was lost and the message must be read again. */
  append({ index, text, at }: DeltaEvent): boolean {
    const part = this.message.parts[index];
    if (!part || !("text" in part)) return false;
    const length = this.lengths.get(index) ?? count(part.text);
    if (at !== null && at > length) return false;
    const fresh = after(length, text, at);
    this.lengths.set(index, length + count(fresh));
    if (fresh)
      this.message = {
        ...this.message,
        parts: this.message.parts.with(index, { ...part, text: part.text + fresh }),
      };
    return true;
  }

  put({ index, part }: PartEvent): boolean {
    const { parts } = this.message;
    if (index > parts.length) return false;
    this.message = {
      ...this.message,
      parts: index === parts.length ? [...parts, part] : parts.with(index, part),
    };
    this.lengths.delete(index);
    if (part.type === "tool_call")
      this.forming = new Map([...this.forming].filter(([call_id]) => call_id !== part.call_id));
    return true;
  }

  /**
   * Has the call at its place from its beginning on, as what comes after it is counted from there.
   */
  form({ index, call_id, tool, text, at }: CallEvent): boolean {
    const { parts } = this.message;
    if (index > parts.length) return false;
    if (index === parts.length)
      this.message = {
        ...this.message,
        parts: [
          ...parts,
          { type: "tool_call", call_id, tool, arguments: {}, malformed: null, origin: null },
        ],
      };
    // Who opens the conversation meanwhile sees what comes from then on, until the call is whole.
    const length = this.lengths.get(call_id) ?? at;
    const fresh = after(length, text, at);
    this.lengths.set(call_id, Math.max(length, at) + count(fresh));
    this.forming = new Map(this.forming).set(call_id, (this.forming.get(call_id) ?? "") + fresh);
    return true;
  }
}

/**
 * Gives what is new of a text that begins at a character, where so many were there already when the
 * message was read.
 */
function after(length: number, text: string, at: number | null): string {
  return at === null || at >= length ? text : [...text].slice(length - at).join("");
}

function count(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** Gives the words of a message, without what stands around them. */
export function textOf(message: ChatMessage): string {
  return message.parts
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("\n\n");
}
