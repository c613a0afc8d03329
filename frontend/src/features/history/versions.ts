/** Texts of config versions. */
import { formatDate } from "$language/format";
import { describeSetting } from "$forms/changes/settings";
import { clientName } from "$lib/agent-clients";
import type { VersionRow } from "$lib/client/types";
import { describeEdit, describeReason } from "$lib/reasons";
import { isInTerminal } from "$lib/requesters";
import { strings } from "./strings";

export interface VersionDescription {
  what: string;
  who: string;
  /** The program that proposed the change; undefined: it was the user, or the file. */
  agent?: string;
  by: "user" | "file" | "machine";
}

type Author = NonNullable<VersionRow["author"]>;

/** The author at the end of a reason, in versions that were saved before authors had a field. */
const REQUESTER_SUFFIX = / \(asked by ([^()]*(?:\([^()]*\)[^()]*)*)\)$/;

export function describeVersion({ kind, reason, author, summary }: VersionRow): VersionDescription {
  const change = summary.length === 1 ? SETTING_LINE.exec(summary[0]!)?.[1] : undefined;
  const what =
    (kind === "edit" && change && describeSetting(change)) ||
    (kind === "edit" ? describeEdit(reason) : describeReason(reason)) ||
    strings.noReasonGiven;
  if (author) return { what, ...describeAuthor(author) };
  switch (kind) {
    case "start":
      return { what: strings.foundAtStartup, who: strings.inTheFile, by: "file" };
    case "file":
      return { what: strings.editedByHand, who: strings.inTheFile, by: "file" };
    case "plan": {
      const asked = REQUESTER_SUFFIX.exec(reason);
      return asked
        ? { what: describeReason(reason.slice(0, asked.index)), who: asked[1]!, by: "machine" }
        : { what, who: strings.anAgent, by: "machine" };
    }
    default:
      return { what, who: strings.you, by: "user" };
  }
}

function describeAuthor(author: Author): Omit<VersionDescription, "what"> {
  const { caller, client, executable } = author;
  if (caller === "window") return { who: strings.youInWindow, by: "user" };
  if (caller === "page") return { who: strings.youInBrowser, by: "user" };
  if (caller === "cli")
    return isInTerminal(author)
      ? { who: strings.youInTerminal, by: "user" }
      : { who: strings.commandLine, by: "machine" };
  if (caller === "pad") return { who: strings.youWithControl, by: "user" };
  if (caller === "chat" && !client?.includes("/")) return { who: strings.youInChat, by: "user" };
  const program = executable?.split(/[\\/]/).at(-1);
  const agent = client ? clientName(client) : (program ?? strings.anAgent);
  const name = caller === "chat" ? strings.assistantWith(agent) : agent;
  return { who: strings.appliedByYou(name), by: "machine", agent };
}

/** Return the version made nearest to a time. Versions with the reason take precedence. */
export function findVersion(
  versions: readonly VersionRow[],
  at: string,
  reason: string | null,
): VersionRow | undefined {
  const named = versions.filter((one) => one.reason === reason);
  const distance = (one: VersionRow): number => Math.abs(Date.parse(one.made_at) - Date.parse(at));
  return [...(named.length ? named : versions)].sort((a, b) => distance(a) - distance(b))[0];
}

/** Return the day of a version, such as “Today”. */
export function formatDay(at: string, now: number): string {
  const day = new Date(at).toDateString();
  if (day === new Date(now).toDateString()) return strings.today;
  if (day === new Date(now - 86_400_000).toDateString()) return strings.yesterday;
  return formatDate(at, { weekday: "long", day: "numeric", month: "long" });
}

const CHANGE_SIGNS: Record<string, string> = { added: "+", removed: "−", changed: "~", moved: "↕" };

const SUMMARY_LINE =
  /^(added|removed|changed|moved): (.*) \((mode:|profile:|device:|global|settings)([^()]*)\)$/s;

/** A line of a version summary about a setting. */
const SETTING_LINE = /^changed: (.*) \(settings\)$/s;

/** Parse a line of a version summary, such as `added: Note 36 (mode:Live)`. */
export function parseSummaryLine(line: string): { sign: string; kind: string; text: string } {
  const found = SUMMARY_LINE.exec(line);
  if (!found) return { sign: "·", kind: "", text: line };
  const [, kind, text, noun, name] = found;
  const isInScope =
    (noun === "mode:" && !text!.startsWith("Mode ")) ||
    (noun === "profile:" && !text!.startsWith("Profile "));
  const placed = isInScope
    ? strings.inPlace(text!, name!)
    : noun === "global"
      ? strings.inAllModes(text!)
      : text!;
  return { sign: CHANGE_SIGNS[kind!]!, kind: kind!, text: placed };
}
