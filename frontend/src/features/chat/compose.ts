/** Functions on the text of the composer: find, insert and split mentions and commands. */
import type { EventView, MentionPart, SlashCommand } from "$lib/client/types";
import type { UserPart } from "$lib/state/chat/drafts.svelte";

/** The mention or command that contains the caret, such as `@pa` or `/ma`. */
export interface CaretQuery {
  kind: "mention" | "command";
  query: string;
  /** The index of the `@` or `/` in the text. */
  from: number;
  to: number;
}

export function queryAtCaret(text: string, caret: number): CaretQuery | null {
  const before = text.slice(0, caret);
  const command = /^\s*\/([\w-]*)$/.exec(before);
  if (command) return { kind: "command", query: command[1]!, from: before.indexOf("/"), to: caret };
  const mention = /(?:^|[\s(])@([^\s@]{0,40})$/.exec(before);
  if (mention)
    return { kind: "mention", query: mention[1]!, from: caret - mention[1]!.length - 1, to: caret };
  return null;
}

/**
 * Replace a range of the text with the chosen mention or command. Returns the new text and the new
 * position of the caret.
 */
export function insertChoice(
  text: string,
  range: Pick<CaretQuery, "from" | "to">,
  choice: string,
): [text: string, caret: number] {
  const after = text.slice(range.to);
  const space = after.startsWith(" ") ? "" : " ";
  return [text.slice(0, range.from) + choice + space + after, range.from + choice.length + 1];
}

export const mentionText = (mention: Pick<MentionPart, "label">): string => `@${mention.label}`;

/**
 * Return the parts of the message to send: the text, the mentions that the text still contains, and
 * the files. In a command, mentions are plain text.
 */
export function partsToSend(text: string, parts: readonly UserPart[]): UserPart[] {
  if (/^\s*\/[\w-]+(\s|$)/.test(text)) {
    const plain = parts.reduce(
      (words, part) =>
        part.type === "mention" ? words.replaceAll(mentionText(part), part.label) : words,
      text,
    );
    return [
      { type: "text", text: plain.trim() },
      ...parts.filter((part) => part.type !== "mention"),
    ];
  }
  const kept = parts.filter((part) => part.type !== "mention" || text.includes(mentionText(part)));
  return [...(text.trim() ? [{ type: "text" as const, text: text.trim() }] : []), ...kept];
}

export function matchingCommands(commands: readonly SlashCommand[], query: string): SlashCommand[] {
  const lowerQuery = query.toLowerCase();
  const prefixMatches = commands.filter((one) => one.name.slice(1).startsWith(lowerQuery));
  return [
    ...prefixMatches,
    ...commands.filter(
      (one) =>
        !prefixMatches.includes(one) &&
        lowerQuery &&
        `${one.name} ${one.help}`.toLowerCase().includes(lowerQuery),
    ),
  ];
}

/** Build a mention of the control that sent an event. */
export function mentionForEvent({ kind, number, channel, device }: EventView): MentionPart {
  const name = kind
    .replace(/_(on|off|down|up)$/, "")
    .replaceAll("_", " ")
    .replace(/^cc$/, "CC");
  return {
    type: "mention",
    kind: "control",
    label: `${name} ${number}`,
    detail: `${name} ${number}${channel ? ` on channel ${channel}` : ""} of the device "${device}"`,
  };
}

/** A piece of a user message: plain text or a mention. */
export interface MessagePiece {
  text: string;
  mention: MentionPart | null;
}

/** Split a text at its mentions. Of two labels that begin alike, the longer one matches. */
export function splitAtMentions(text: string, mentions: readonly MentionPart[]): MessagePiece[] {
  const sorted = [...mentions].sort((a, b) => b.label.length - a.label.length);
  const found: MessagePiece[] = [];
  let plain = "";
  for (let at = 0; at < text.length;) {
    const mention =
      text[at] === "@" ? sorted.find((one) => text.startsWith(mentionText(one), at)) : undefined;
    if (!mention) {
      plain += text[at++];
      continue;
    }
    if (plain) found.push({ text: plain, mention: null });
    plain = "";
    found.push({ text: mentionText(mention), mention });
    at += mentionText(mention).length;
  }
  return plain ? [...found, { text: plain, mention: null }] : found;
}

export const MAX_FILE_BYTES = 10_000_000;
