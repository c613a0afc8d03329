/** Questions about who made a request. */
/** The client of a slash command that the user typed into the chat, as the backend names it. */
const SLASH_COMMAND = "slash command";

type RequesterFields = { caller: string; client?: string | null | undefined };

/** Return whether the user typed a request into the chat, so that no model made it. */
export const isTypedInChat = ({ caller, client }: RequesterFields): boolean =>
  caller === "chat" && client === SLASH_COMMAND;

/** The client of `conductor` when the user runs it at a terminal, as the backend names it. */
const TERMINAL = "terminal";

/**
 * Return whether the user ran the `conductor` command. Without a terminal, any program can have
 * started it.
 */
export const isInTerminal = ({ caller, client }: RequesterFields): boolean =>
  caller === "cli" && client === TERMINAL;

/** Return whether the user made a request: in the window, in a browser, or as a typed command. */
export const isByUser = (requester: RequesterFields): boolean =>
  ["window", "page", "pad"].includes(requester.caller) ||
  isInTerminal(requester) ||
  isTypedInChat(requester);
