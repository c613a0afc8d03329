/** Questions about who made a request. */
import type { Requester } from "$lib/client/types";

/** The client of a slash command that the user typed into the chat, as the backend names it. */
const SLASH_COMMAND = "slash command";

type RequesterFields = { caller: string; client?: string | null | undefined };

/** Return whether the user typed a request into the chat, so that no model made it. */
export const isTypedInChat = ({ caller, client }: RequesterFields): boolean =>
  caller === "chat" && client === SLASH_COMMAND;

/** Return whether the user made a request: in the window, in a browser, or as a typed command. */
export const isByUser = (requester: Pick<Requester, "caller" | "client">): boolean =>
  ["window", "page", "cli", "pad"].includes(requester.caller) || isTypedInChat(requester);
