/** Groups audit log entries into what people would call one event, and events into days. */
import { formatDate, formatTimeOfDay } from "$language/format";
import type { ActivityEntry } from "$lib/client/types";
import {
  describeDetail,
  describeRequester,
  requesterName,
  toolLabel,
  type Requester,
} from "./entry";
import { strings } from "./strings";

/** Entries of one requester that are shown as one event, newest first. */
export interface ActivityEvent {
  /** The id of the oldest entry, which stays the same when newer entries join the event. */
  id: number;
  requester: Requester;
  title: string;
  outcome: string;
  entries: ActivityEntry[];
}
export interface Day {
  /** The local date, such as “Sun Nov 22 2026”. */
  key: string;
  title: string;
  events: ActivityEvent[];
}

/** Requests that are further apart than this are not shown as one event. */
const MAX_GAP_MS = 10 * 60_000;
const DAY_MS = 24 * 3_600_000;

/**
 * Group entries, newest first. Equal requests in a row become one event, and so do requests that
 * only read, or that change the same state, such as the mode. Failures of mappings for the same
 * reason are one event all day, because they would hide everything else. The edit of a plan is one
 * event with the change that the user saved just before.
 */
export function groupEntries(
  entries: readonly ActivityEntry[],
  describe: (entry: ActivityEntry) => string,
): ActivityEvent[] {
  const events: ActivityEvent[] = [];
  const latest = new Map<string, ActivityEvent>();
  for (const entry of entries) {
    const reason = reasonOf(entry);
    const who = reason ?? requesterName(entry);
    const title = describe(entry);
    const last = latest.get(who);
    if (last && isSavedEdit(last, entry)) {
      last.entries.push(entry);
      last.id = entry.id;
      continue;
    }
    if (last && isContinued(last, entry, title)) {
      last.entries.push(entry);
      last.id = entry.id;
      if (last.title !== title) {
        last.title = isLookup(entry) ? strings.lookedAround : (reason ?? toolLabel(entry.tool));
        if (reason) last.requester = { ...last.requester, place: "" };
      }
      continue;
    }
    const event = {
      id: entry.id,
      requester: describeRequester(entry),
      title,
      outcome: entry.outcome,
      entries: [entry],
    };
    events.push(event);
    latest.set(who, event);
  }
  return events;
}

function isContinued(event: ActivityEvent, entry: ActivityEntry, title: string): boolean {
  const before = event.entries.at(-1)!;
  if (entry.outcome !== event.outcome) return false;
  if (dayOf(before.at) !== dayOf(entry.at)) return false;
  if (reasonOf(entry)) return true;
  if (Date.parse(before.at) - Date.parse(entry.at) > MAX_GAP_MS) return false;
  // Failures of mappings differ in what failed, and why.
  const isSameState =
    before.tier === "stateful" && before.tool === entry.tool && entry.tool !== "mapping.failed";
  return (
    isSameState ||
    (isLookup(before) && isLookup(entry)) ||
    (title === event.title && before.tool === entry.tool)
  );
}

/** Return whether an entry is the change with which an event closed a plan as edited. */
function isSavedEdit(event: ActivityEvent, entry: ActivityEntry): boolean {
  const isEdit = isMark(event.entries.at(-1)!) && entry.tool === "config.commit";
  return isEdit && event.outcome === "ok" && entry.outcome === "ok";
}
const isMark = ({ tool }: ActivityEntry): boolean => tool === "plans.mark_edited";

/** Return why a mapping failed; null for other entries. */
const reasonOf = (entry: ActivityEntry): string | null =>
  (entry.tool === "mapping.failed" && describeDetail(entry)) || null;

const isLookup = ({ tier }: ActivityEntry): boolean => tier === "read_only";

/**
 * Count what entries stand for: the failures of a mapping in a row are one entry, and the edit of a
 * plan counts with its saved change.
 */
export const countOf = (entries: readonly ActivityEntry[]): number =>
  entries.reduce(
    (sum, entry) => sum + (isMark(entry) ? 0 : Number(entry.arguments["times"]) || 1),
    0,
  );

/** Count the different titles of entries, most frequent first. */
export function countTitles(
  entries: readonly ActivityEntry[],
  describe: (entry: ActivityEntry) => string,
): [title: string, entries: ActivityEntry[]][] {
  const found = new Map<string, ActivityEntry[]>();
  for (const entry of entries) {
    const title = describe(entry);
    found.set(title, [...(found.get(title) ?? []), entry]);
  }
  return [...found].sort(([, a], [, b]) => countOf(b) - countOf(a));
}

export function groupByDay(events: readonly ActivityEvent[], now: Date): Day[] {
  const days: Day[] = [];
  for (const event of events) {
    const at = event.entries[0]!.at;
    const key = dayOf(at);
    if (days.at(-1)?.key !== key)
      days.push({ key, title: dayTitle(new Date(at), now), events: [] });
    days.at(-1)!.events.push(event);
  }
  return days;
}

const dayOf = (at: string): string => new Date(at).toDateString();

function dayTitle(day: Date, now: Date): string {
  if (day.toDateString() === now.toDateString()) return strings.today;
  if (day.toDateString() === new Date(now.getTime() - DAY_MS).toDateString())
    return strings.yesterday;
  return formatDate(day, { weekday: "long", day: "numeric", month: "long" });
}

/** Format the time of day of an event, from its oldest to its newest entry. */
export function formatSpan(entries: readonly ActivityEntry[]): string {
  const to = formatTimeOfDay(entries[0]!.at);
  const from = formatTimeOfDay(entries.at(-1)!.at);
  return from === to ? to : `${from} – ${to}`;
}
