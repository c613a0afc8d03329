/** Groups of mappings, filtered by words, device and touched control. */
import type { ControlRef, EventView, TriggerInput } from "$lib/client/types";
import { isForDevice, type PlacedRow } from "$lib/state/config.svelte";
import { strings } from "./strings";

export interface Group {
  scope: string;
  rows: PlacedRow[];
  /** The number of rows without the filter. */
  total: number;
}
export interface Filter {
  words: string;
  /** An alias or a port name; null: all devices. */
  device: string | null;
  /** Returns whether a control is the one that the user touched; null: no such filter. */
  touched: ((control: ControlRef) => boolean) | null;
}

export const NO_FILTER: Filter = { words: "", device: null, touched: null };

export const keyOf = (scope: string, index: number): string => `${scope}#${index}`;

export function splitKey(key: string): { scope: string; index: number } {
  const at = key.lastIndexOf("#");
  return { scope: key.slice(0, at), index: Number(key.slice(at + 1)) };
}

export function isFiltered(filter: Filter): boolean {
  return filter.words.trim() !== "" || filter.device !== null || filter.touched !== null;
}

/** Return the groups in the order of `scopes`, each with the rows that match the filter. */
export function groupRows(
  rows: readonly PlacedRow[],
  scopes: readonly string[],
  filter: Filter,
): Group[] {
  const groups = new Map<string, Group>(
    scopes.map((scope) => [scope, { scope, rows: [], total: 0 }]),
  );
  const searchWords = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of rows) {
    const group = groups.get(row.scope);
    if (!group) continue;
    group.total += 1;
    if (matchesFilter(row, searchWords, filter)) group.rows.push(row);
  }
  return [...groups.values()];
}

function matchesFilter(
  row: PlacedRow,
  searchWords: readonly string[],
  { device, touched }: Filter,
): boolean {
  if (device !== null && !isForDevice(row, device)) return false;
  if (touched && !row.words.controls.some(touched)) return false;
  if (!searchWords.length) return true;
  const text = searchText(row);
  return searchWords.every((word) => text.includes(word));
}

function searchText({ mapping, words, scope }: PlacedRow): string {
  return [
    words.trigger,
    words.printed,
    words.action,
    mapping.description ?? "",
    words.badges.join(" "),
    words.device ?? "",
    scope,
  ]
    .join(" ")
    .toLowerCase();
}

/** Describe the control of an event in a few words, such as `CC 20 on virtual`. */
export function describeControl(event: EventView): string {
  const kind = event.kind.replace(/_(on|off|down|up)$/, "").replace("_", " ");
  const name = event.control ?? `${kind === "cc" ? "CC" : kind} ${event.number}`;
  return strings.controlOnDevice(name, event.device);
}

/** Return the simplest trigger for the control of an event; empty when there is none. */
export function triggerOf({ kind, number }: EventView): { trigger?: TriggerInput } {
  if (kind === "note_on") return { trigger: { type: "Note", note: Number(number) } };
  if (kind === "cc") return { trigger: { type: "CC", cc: Number(number) } };
  if (kind === "button_down") return { trigger: { type: "GamepadButton", button: String(number) } };
  return {};
}
