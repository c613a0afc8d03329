/** The mappings that use a trigger already, and triggers for another gesture or control. */
import type { TriggerInput } from "$lib/client/types";
import type { PlacedRow } from "$lib/state/config.svelte";

/** Another gesture of a control that is pressed. */
export type OtherGesture = "hold" | "double";

/** The fields that restrict a trigger further; a mapping that has others of them is another one. */
const LIMITS = ["when", "velocity_min", "value_min", "value_max", "edge"];
const GESTURES = { hold: "LongPress", double: "DoubleTap" } as const;
const PRESSED: readonly TriggerInput["type"][] = [
  "Note",
  "GamepadButton",
  ...Object.values(GESTURES),
];

/** Return the enabled mapping whose trigger leaves another one no input; undefined: none. */
export function findTaken(
  rows: readonly PlacedRow[],
  trigger: TriggerInput,
): PlacedRow | undefined {
  return rows.find(
    (row) =>
      isRival(row, trigger) && SOURCE.every((name) => includes(row.mapping.trigger, trigger, name)),
  );
}

/** Return the other gestures of the control of a trigger that no mapping uses. */
export function listFreeGestures(
  rows: readonly PlacedRow[],
  trigger: TriggerInput,
): OtherGesture[] {
  if (!PRESSED.includes(trigger.type)) return [];
  return (["hold", "double"] as const).filter(
    (way) => !rows.some((row) => isRival(row, withGesture(trigger, way, 0))),
  );
}

/** Return the free gestures that a press can become without losing a limit. */
export function gesturesForPress(
  rows: readonly PlacedRow[],
  trigger: TriggerInput,
): OtherGesture[] {
  return isPress(trigger) && read(trigger, "velocity_min") === null
    ? listFreeGestures(rows, trigger)
    : [];
}

const isPress = ({ type }: TriggerInput): boolean => type === "Note" || type === "GamepadButton";

/** Return the trigger of a mapping that moves to the control of another trigger that was played. */
export function withControl(trigger: TriggerInput, played: TriggerInput): TriggerInput {
  const isSameKind = ["note", "button"].some(
    (name) => read(trigger, name) !== null && read(played, name) !== null,
  );
  // A press only shows which control is meant; another gesture is meant as such.
  if (!isPress(played) || !isSameKind) return played;
  const control = ["note", "button", "device", "channel"].filter(
    (name) => name in trigger || name in played,
  );
  const place = Object.fromEntries(control.map((name) => [name, read(played, name)]));
  return { ...trigger, ...place } as TriggerInput;
}

/**
 * Return the trigger for another gesture of the control of a trigger.
 * @param hold_ms the duration of a hold, which is shorter than the default of a file
 */
export function withGesture(
  trigger: TriggerInput,
  way: OtherGesture,
  hold_ms: number,
): TriggerInput {
  const fields = ["note", "button", "device", "channel", "when"].flatMap((name) => {
    const value = read(trigger, name);
    return value === null ? [] : [[name, value] as const];
  });
  const duration = way === "hold" ? { duration_ms: hold_ms } : {};
  return { type: GESTURES[way], ...Object.fromEntries(fields), ...duration } as TriggerInput;
}

/** The fields that name a control, for which a form can only guess a value. */
const CONTROL_FIELDS = ["note", "cc", "program", "parameter", "button", "axis"];

/** Return a trigger whose kind was just chosen, without a control that the one before lacks. */
export function withoutGuess(trigger: TriggerInput, before: TriggerInput | null): TriggerInput {
  const fields = Object.entries(trigger).filter(
    ([name]) => !CONTROL_FIELDS.includes(name) || (before && read(before, name) !== null),
  );
  return Object.fromEntries(fields) as unknown as TriggerInput;
}

const CONTROL = ["note", "button", "cc", "parameter", "registered", "program", "axis", "trigger"];
const SOURCE = ["device", "channel", "address"];

/** Return whether an enabled mapping has the kind, control and limits of a trigger. */
function isRival({ mapping: { enabled, trigger } }: PlacedRow, other: TriggerInput): boolean {
  return (
    enabled &&
    trigger.type === other.type &&
    [...CONTROL, ...LIMITS].every((name) => isEqual(read(trigger, name), read(other, name))) &&
    SOURCE.every((name) => includes(trigger, other, name) || read(other, name) === null)
  );
}

/** Return whether a trigger listens to each device, channel or address of another one. */
function includes(wide: TriggerInput, other: TriggerInput, name: string): boolean {
  return read(wide, name) === null || isEqual(read(wide, name), read(other, name));
}

/** Return the value of a field; null for one that is left out or empty. */
function read(fields: object, name: string): unknown {
  const value: unknown = (fields as Record<string, unknown>)[name] ?? null;
  return Array.isArray(value) && !value.length ? null : value;
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
