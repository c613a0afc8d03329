/** The unsent text of each conversation. */
import type { SendRequest } from "../../client/types";

export type UserPart = SendRequest["parts"][number];

/** A message that is not sent yet. */
export interface Draft {
  text: string;
  parts: UserPart[];
}

const EMPTY: Draft = { text: "", parts: [] };
/** The key of the draft for a new conversation. */
const NEW_CONVERSATION = "";

export class Drafts {
  private all = $state.raw<Readonly<Record<string, Draft>>>({});

  /** Return the draft of a conversation; null stands for a new conversation. */
  of(conversation_id: string | null): Draft {
    return this.all[conversation_id ?? NEW_CONVERSATION] ?? EMPTY;
  }

  set(conversation_id: string | null, draft: Draft): void {
    this.all = { ...this.all, [conversation_id ?? NEW_CONVERSATION]: draft };
  }

  /** Move the draft for a new conversation to that conversation. */
  moveToConversation(conversation_id: string): void {
    this.set(conversation_id, this.of(null));
    this.set(null, EMPTY);
  }

  /** Put a message that could not be sent before the text that was written meanwhile. */
  restore(conversation_id: string | null, draft: Draft): void {
    const { text, parts } = this.of(conversation_id);
    this.set(conversation_id, {
      text: [draft.text, text].filter(Boolean).join("\n"),
      parts: [...draft.parts, ...parts],
    });
  }
}
