/** One message that is shown, and how it grows while it streams. */
import type {
  CallEvent,
  ChatMessage,
  DeltaEvent,
  PartEvent,
  ShownMessage,
} from "../../client/types";

export type Part = ChatMessage["parts"][number];
export type PartOf<T extends Part["type"]> = Extract<Part, { type: T }>;

export class MessageEntry {
  /** The message as far as it was received. */
  message = $state.raw<ChatMessage>() as ChatMessage;
  /** The ids of the alternative messages at this place, this one included, oldest first. */
  siblings = $state.raw<string[]>([]);
  /** The incomplete JSON arguments of each tool call that still streams, by call id. */
  partialArguments = $state.raw<ReadonlyMap<string, string>>(new Map());
  /**
   * The length of each streaming part (by index) and call (by id), in code points: Conductor counts
   * positions so, and JavaScript in UTF-16 units.
   */
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

  /** Take the message as a whole; pieces that follow are counted from it. */
  replace(message: ChatMessage): void {
    this.message = message;
    this.lengths.clear();
    this.partialArguments = new Map();
  }

  /** Append text to a part. Returns false when text before it was lost: load the message again. */
  appendText({ index, text, at }: DeltaEvent): boolean {
    const part = this.message.parts[index];
    if (!part || !("text" in part)) return false;
    const length = this.lengths.get(index) ?? countCodePoints(part.text);
    if (at !== null && at > length) return false;
    const fresh = cutKnownText(length, text, at);
    this.lengths.set(index, length + countCodePoints(fresh));
    if (fresh)
      this.message = {
        ...this.message,
        parts: this.message.parts.with(index, { ...part, text: part.text + fresh }),
      };
    return true;
  }

  /** Add or replace a part. Returns false when a part before it was lost. */
  putPart({ index, part }: PartEvent): boolean {
    const { parts } = this.message;
    if (index > parts.length) return false;
    this.message = {
      ...this.message,
      parts: index === parts.length ? [...parts, part] : parts.with(index, part),
    };
    this.lengths.delete(index);
    if (part.type === "tool_call")
      this.partialArguments = new Map(
        [...this.partialArguments].filter(([call_id]) => call_id !== part.call_id),
      );
    return true;
  }

  /**
   * Append to the arguments of a tool call. The call gets its place among the parts with its first
   * piece, as the indexes of later parts count it. Returns false when a part before it was lost.
   */
  appendCall({ index, call_id, tool, text, at }: CallEvent): boolean {
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
    // A conversation opened in mid-call lacks the beginning: show the rest until the call is whole.
    const length = this.lengths.get(call_id) ?? at;
    const fresh = cutKnownText(length, text, at);
    this.lengths.set(call_id, Math.max(length, at) + countCodePoints(fresh));
    this.partialArguments = new Map(this.partialArguments).set(
      call_id,
      (this.partialArguments.get(call_id) ?? "") + fresh,
    );
    return true;
  }
}

/**
 * Return the new part of a text that starts at code point `at`, when `length` of them are known: a
 * message loaded in mid-answer may already contain the beginning.
 */
function cutKnownText(length: number, text: string, at: number | null): string {
  return at === null || at >= length ? text : [...text].slice(length - at).join("");
}

function countCodePoints(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** Return the text parts of a message, joined by blank lines. */
export function textOf(message: ChatMessage): string {
  return message.parts
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("\n\n");
}
