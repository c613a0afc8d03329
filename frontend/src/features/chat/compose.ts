/** The text that is being written: what is asked for at its caret, and what becomes of it. Pure. */
import type { EventView, MentionPart, SlashCommand } from "$lib/client/types";
import type { UserPart } from "$lib/state/chat/drafts.svelte";

/** What the caret stands in: `@pa` or `/ma`. */
export interface Asked {
  kind: "mention" | "command";
  query: string;
  /** Where its sign stands. */
  from: number;
  to: number;
}

export function askedAt(text: string, caret: number): Asked | null {
  const before = text.slice(0, caret);
  const command = /^\s*\/([\w-]*)$/.exec(before);
  if (command) return { kind: "command", query: command[1]!, from: before.indexOf("/"), to: caret };
  const mention = /(?:^|[\s(])@([^\s@]{0,40})$/.exec(before);
  if (mention)
    return { kind: "mention", query: mention[1]!, from: caret - mention[1]!.length - 1, to: caret };
  return null;
}

/**
 * Puts words in the place of what was asked for; gives the text and where the caret then stands.
 */
export function filled(
  text: string,
  asked: Pick<Asked, "from" | "to">,
  words: string,
): [text: string, caret: number] {
  const after = text.slice(asked.to);
  const space = after.startsWith(" ") ? "" : " ";
  return [text.slice(0, asked.from) + words + space + after, asked.from + words.length + 1];
}

export const mentionText = (mention: Pick<MentionPart, "label">): string => `@${mention.label}`;

/**
 * Gives what is sent: the text, the mentions that still stand in it, and the files. A command has
 * its mentions as plain words.
 */
export function partsOf(text: string, parts: readonly UserPart[]): UserPart[] {
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

export function commandsLike(commands: readonly SlashCommand[], query: string): SlashCommand[] {
  const wanted = query.toLowerCase();
  const fits = commands.filter((one) => one.name.slice(1).startsWith(wanted));
  return [
    ...fits,
    ...commands.filter(
      (one) =>
        !fits.includes(one) && wanted && `${one.name} ${one.help}`.toLowerCase().includes(wanted),
    ),
  ];
}

/** Gives a touched control as something to point at. */
export function touchedMention({ kind, number, channel, device }: EventView): MentionPart {
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

/** A piece of what the user said: plain, or a mention. */
export interface Said {
  text: string;
  mention: MentionPart | null;
}

/** Cuts a text at its mentions, the longest first where one begins like another. */
export function saidOf(text: string, mentions: readonly MentionPart[]): Said[] {
  const sorted = [...mentions].sort((a, b) => b.label.length - a.label.length);
  const found: Said[] = [];
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

export const FILE_AT_MOST = 10_000_000;
