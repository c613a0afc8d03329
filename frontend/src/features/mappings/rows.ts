/** Rows in their groups, found by words, by device and by a touched control. Pure. */
import type { ControlRef, EventView, Overlap, TriggerInput } from "$lib/client/types";
import type { PlacedRow } from "$lib/state/config.svelte";

export interface Group {
  scope: string;
  rows: PlacedRow[];
  /** How many there are without a filter. */
  total: number;
}
export interface Filter {
  words: string;
  /** An alias or a port; null: all devices. */
  device: string | null;
  /** Says whether a control is the one that was touched; null: none was. */
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

/** Gives the groups in the order of `scopes`, each with the rows that fit. */
export function grouped(
  rows: readonly PlacedRow[],
  scopes: readonly string[],
  filter: Filter,
): Group[] {
  const groups = new Map<string, Group>(
    scopes.map((scope) => [scope, { scope, rows: [], total: 0 }]),
  );
  const wanted = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of rows) {
    const group = groups.get(row.scope);
    if (!group) continue;
    group.total += 1;
    if (fits(row, wanted, filter)) group.rows.push(row);
  }
  return [...groups.values()];
}

function fits(row: PlacedRow, wanted: readonly string[], { device, touched }: Filter): boolean {
  if (device !== null && row.words.device !== null && row.words.device !== device) return false;
  if (touched && !row.words.controls.some(touched)) return false;
  if (!wanted.length) return true;
  const text = searchText(row);
  return wanted.every((word) => text.includes(word));
}

function searchText({ mapping, words, scope }: PlacedRow): string {
  return [
    words.trigger,
    words.action,
    mapping.description ?? "",
    words.badges.join(" "),
    words.device ?? "",
    scope,
  ]
    .join(" ")
    .toLowerCase();
}

/** Gives the overlaps by the place of each row that is concerned, as `mode:Default #3`. */
export function overlapsByKey(overlaps: readonly Overlap[]): ReadonlyMap<string, Overlap[]> {
  const found = new Map<string, Overlap[]>();
  for (const overlap of overlaps) {
    for (const place of overlap.places) {
      const key = keyOfPlace(place);
      if (key) found.set(key, [...(found.get(key) ?? []), overlap]);
    }
  }
  return found;
}

/** Gives the key of `mode:Default #3`; null for a place that is no row. */
export function keyOfPlace(place: string): string | null {
  const at = place.lastIndexOf(" #");
  return at < 0 ? null : keyOf(place.slice(0, at), Number(place.slice(at + 2)));
}

const DECIDED: readonly Overlap["kind"][] = ["duplicate", "shadowed", "wildcard"];

/** Says whether the first place of the overlap wins over the others. */
export function hasWinner(overlap: Overlap): boolean {
  return DECIDED.includes(overlap.kind) && overlap.places.length > 1;
}

/** Says a touched control in a few words, such as `CC 20 on virtual`. */
export function controlWords(event: EventView): string {
  const kind = event.kind.replace(/_(on|off|down|up)$/, "").replace("_", " ");
  return `${kind === "cc" ? "CC" : kind} ${event.number} on ${event.device}`;
}

/** Gives the plainest trigger for what was touched; none where only Learn can tell. */
export function triggerOf({ kind, number }: EventView): { trigger?: TriggerInput } {
  if (kind === "note_on") return { trigger: { type: "Note", note: Number(number) } };
  if (kind === "cc") return { trigger: { type: "CC", cc: Number(number) } };
  if (kind === "button_down") return { trigger: { type: "GamepadButton", button: String(number) } };
  return {};
}
