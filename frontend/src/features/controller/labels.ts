/** The labels of the controls of a picture: what each does in a mode. Pure. */
import { modeScope, profileScope } from "$lib/scopes";
import type { PlacedRow } from "$lib/state/config.svelte";
import { matchesRef, type Part, type Picture } from "./picture";
import { strings } from "./strings";

export interface Label {
  /** The mappings of the control by precedence: app profiles, the mode, then all modes. */
  rows: PlacedRow[];
  /** The label; empty: nothing is mapped. */
  text: string;
  /** The kind of its action, which selects the icon. */
  kind: string | null;
  /** The other actions of the control, by other gestures. */
  more: string[];
}

const GESTURES: Record<string, string> = {
  LongPress: strings.hold,
  DoubleTap: strings.doubleTap,
  NoteChord: strings.chord,
  GamepadButtonChord: strings.chord,
  NoteRelease: strings.released,
  VelocityRange: strings.velocity,
  Aftertouch: strings.pressureGesture,
};
/** The longest name of a mapping that is used as a label, in characters. */
const SHORT = 26;

export function gestureOf(row: PlacedRow): string | null {
  return GESTURES[row.mapping.trigger.type] ?? null;
}

/** Return the rows that apply in a mode, in the order in which the engine tries them. */
export function rowsInMode(
  rows: readonly PlacedRow[],
  mode: string,
  profile: string | null,
): PlacedRow[] {
  const scopes = [...(profile ? [profileScope(profile)] : []), modeScope(mode), "global"];
  return scopes.flatMap((scope) => rows.filter((row) => row.scope === scope));
}

export function describeRow(row: PlacedRow): string {
  const { description } = row.mapping;
  if (description && description.length <= SHORT) return description;
  const { action } = row.mapping;
  if (action.type === "Keystroke")
    return row.words.action
      .replace(/^Keystroke /, "")
      .replace(/(^|[+ ])(\w)/g, (_, sign: string, letter: string) => sign + letter.toUpperCase());
  return row.words.action;
}

export function buildLabels(
  picture: Picture,
  rows: readonly PlacedRow[],
): ReadonlyMap<string, Label> {
  return new Map(picture.parts.map((part) => [part.id, buildLabel(part, picture.device, rows)]));
}

export function partRows(part: Part, device: string, rows: readonly PlacedRow[]): PlacedRow[] {
  return rows.filter((row) =>
    part.controls.some((control) =>
      row.words.controls.some((ref) => matchesRef(ref, control, device)),
    ),
  );
}

function buildLabel(part: Part, device: string, rows: readonly PlacedRow[]): Label {
  const own = partRows(part, device, rows);
  const on = own.filter((row) => row.mapping.enabled);
  const first = on.find((row) => !gestureOf(row)) ?? on[0];
  if (!first) return { rows: own, text: "", kind: null, more: [] };
  const gesture = gestureOf(first);
  const more = on
    .filter((row) => row !== first)
    .map((row) => `${gestureOf(row) ?? strings.also}: ${describeRow(row)}`);
  return {
    rows: own,
    text: gesture ? `${gesture}: ${describeRow(first)}` : describeRow(first),
    kind: first.mapping.action.type,
    more,
  };
}

/** Return the accessible name of a control: its name and what it does. */
export function accessibleName(part: Part, label: Label | undefined): string {
  if (!label?.text) return strings.nothingMapped(part.name);
  return `${part.name}: ${[label.text, ...label.more].join("; ")}`;
}

/** Return whether a control matches a search. */
export function matchesSearch(part: Part, label: Label | undefined, query: string): boolean {
  const text = [
    part.name,
    label?.text,
    ...(label?.more ?? []),
    ...(label?.rows.map(
      (row) => `${row.words.trigger} ${row.words.action} ${row.mapping.description ?? ""}`,
    ) ?? []),
  ]
    .join(" ")
    .toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => text.includes(word));
}
