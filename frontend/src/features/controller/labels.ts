/** Labels of the controls in a picture, which name their actions in a mode. */
import { kindName } from "$forms";
import { localized } from "$language/language.svelte";
import { modeScope, profileScope } from "$lib/scopes";
import type { PlacedRow } from "$lib/state/config.svelte";
import { matchesRef, type Part, type Picture } from "./picture";
import { strings } from "./strings";

export interface Label {
  /** The mappings of the control, by precedence: app profile, mode, all modes. */
  rows: PlacedRow[];
  /** The text of the label; empty: nothing is mapped. */
  text: string;
  /** A shorter text, for controls without room for the whole one. */
  short: string;
  /** The type of the action, which selects the icon. */
  kind: string | null;
  /** The actions of the other gestures of the control. */
  more: string[];
  /** Shorter texts for small controls; some only name the gesture, such as `+ hold`. */
  moreShort: string[];
}

const GESTURES: Record<string, string> = localized(() => ({
  LongPress: strings.hold,
  DoubleTap: strings.doubleTap,
  NoteChord: strings.chord,
  GamepadButtonChord: strings.chord,
  NoteRelease: strings.released,
  VelocityRange: strings.velocity,
  Aftertouch: strings.pressureGesture,
}));

export function gestureName(row: PlacedRow): string | null {
  return GESTURES[row.mapping.trigger.type] ?? null;
}

/** Return the mappings that apply in a mode, in the order in which the engine tries them. */
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
  if (description) return description;
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
  losers: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, Label> {
  return new Map(
    picture.parts.map((part) => [part.id, buildLabel(part, picture.device, rows, losers)]),
  );
}

export function partRows(part: Part, device: string, rows: readonly PlacedRow[]): PlacedRow[] {
  return rows.filter((row) =>
    part.controls.some((control) =>
      row.words.controls.some((ref) => matchesRef(ref, control, device)),
    ),
  );
}

function buildLabel(
  part: Part,
  device: string,
  rows: readonly PlacedRow[],
  losers: ReadonlyMap<string, string>,
): Label {
  const partMappings = partRows(part, device, rows);
  const on = partMappings.filter((row) => row.mapping.enabled);
  const first = on.find((row) => !gestureName(row)) ?? on[0];
  if (!first)
    return { rows: partMappings, text: "", short: "", kind: null, more: [], moreShort: [] };
  const gesture = gestureName(first);
  // A mapping that loses to another one of this device never acts on it.
  const others = on.filter(
    (row, index) =>
      row !== first &&
      !(
        losers.has(`${row.scope}#${row.index}`) &&
        on.slice(0, index).some((one) => one.mapping.trigger.type === row.mapping.trigger.type)
      ),
  );
  const more = others.map((row) => `${gestureName(row) ?? strings.also}: ${describeRow(row)}`);
  const action = describeRow(first);
  const isVolume = first.mapping.action.type === "VolumeControl" && !first.mapping.description;
  const withGesture = (text: string): string => (gesture ? `${gesture}: ${text}` : text);
  const short = isVolume ? kindName("VolumeControl") : action;
  return {
    rows: partMappings,
    text: withGesture(action),
    short: first.mapping.trigger.type === "DoubleTap" ? `2× ${short}` : withGesture(short),
    kind: first.mapping.action.type,
    more,
    // The action alone would read as if a tap did both.
    moreShort: others.map((row) =>
      row.mapping.trigger.type === "DoubleTap"
        ? `2× ${describeRow(row)}`
        : `+ ${gestureName(row) ?? strings.also}`,
    ),
  };
}

/** Return the accessible name of a control: its name and its actions. */
export function accessibleName(part: Part, label: Label | undefined): string {
  if (!label?.text) return strings.nothingMapped(part.name);
  return `${part.name}: ${[label.text, ...label.more].join("; ")}`;
}

/** Return whether the name or the mappings of a control contain all words of a search. */
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
