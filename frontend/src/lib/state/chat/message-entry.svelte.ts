/** A message that is shown, updated piece by piece while it streams. */
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
  /** The message with all pieces received so far. */
  message = $state.raw<ChatMessage>() as ChatMessage;
  /** The ids of this message and its alternatives on other branches, oldest first. */
  siblings = $state.raw<string[]>([]);
  /** The incomplete JSON arguments of streaming tool calls, by call id. */
  partialArguments = $state.raw<ReadonlyMap<string, string>>(new Map());
  /**
   * The length of each streaming part (by index) and tool call (by id), in code points. The backend
   * counts positions in code points, JavaScript in UTF-16 units.
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

  /** Replace the message by a complete one. Later pieces continue from it. */
  replace(message: ChatMessage): void {
    this.message = message;
    this.lengths.clear();
    this.partialArguments = new Map();
  }

  /** Append text to a part. Returns false if earlier text is missing, so a reload is needed. */
  appendText({ index, text, at }: DeltaEvent): boolean {
    const part = this.message.parts[index];
    if (!part || !("text" in part)) return false;
    const length = this.lengths.get(index) ?? countCodePoints(part.text);
    if (at !== null && at > length) return false;
    const newText = removeKnownText(length, text, at);
    this.lengths.set(index, length + countCodePoints(newText));
    if (newText)
      this.message = {
        ...this.message,
        parts: this.message.parts.with(index, { ...part, text: part.text + newText }),
      };
    return true;
  }

  /** Add or replace a part. Returns false if an earlier part is missing, so a reload is needed. */
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
   * Append to the arguments of a tool call. The first piece adds the call to the parts, because the
   * indexes of later parts include it. Returns false if an earlier part is missing, so a reload is
   * needed.
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
    // If the conversation was opened during the call, the beginning is missing until the call ends.
    const length = this.lengths.get(call_id) ?? at;
    const newText = removeKnownText(length, text, at);
    this.lengths.set(call_id, Math.max(length, at) + countCodePoints(newText));
    this.partialArguments = new Map(this.partialArguments).set(
      call_id,
      (this.partialArguments.get(call_id) ?? "") + newText,
    );
    return true;
  }
}

/**
 * Remove the part of a text that is already known, because a message that was loaded during the
 * answer may contain the beginning of the next piece.
 * @param length the number of known code points.
 * @param at the position of the text in code points; null if all of it is new.
 */
function removeKnownText(length: number, text: string, at: number | null): string {
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
