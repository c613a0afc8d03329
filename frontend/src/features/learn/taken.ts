/** A control that a mapping listens to already, and the gestures that are free for another one. */
import type { TriggerInput } from "$lib/client/types";
import type { PlacedRow } from "$lib/state/config.svelte";

/** What a new mapping does beside the one that is there. */
export type Beside = "replace" | "hold" | "double";

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
    ({ mapping }) =>
      mapping.enabled &&
      mapping.trigger.type === trigger.type &&
      isSameControl(mapping.trigger, trigger) &&
      LIMITS.every((limit) => isEqual(read(mapping.trigger, limit), read(trigger, limit))),
  );
}

/** Return what a new mapping of a control can do beside the one that takes its trigger. */
export function waysBeside(rows: readonly PlacedRow[], trigger: TriggerInput): Beside[] {
  if (!PRESSED.includes(trigger.type)) return ["replace"];
  const free = (["hold", "double"] as const).filter(
    (way) => !findTaken(rows, gestureOf(trigger, way)),
  );
  return ["replace", ...free];
}

/** Return the trigger for another gesture of the control of a trigger. */
export function gestureOf(trigger: TriggerInput, way: "hold" | "double"): TriggerInput {
  const fields = ["note", "button", "device", "channel"].flatMap((name) => {
    const value = read(trigger, name);
    return value === null ? [] : [[name, value] as const];
  });
  return { type: GESTURES[way], ...Object.fromEntries(fields) } as TriggerInput;
}

/** Return whether a trigger listens to everything that another one listens to. */
function isSameControl(wide: object, trigger: object): boolean {
  const names = ["note", "button", "cc", "parameter", "registered", "program", "axis", "trigger"];
  return (
    names.every((name) => isEqual(read(wide, name), read(trigger, name))) &&
    ["device", "channel", "address"].every(
      (name) => read(wide, name) === null || isEqual(read(wide, name), read(trigger, name)),
    )
  );
}

/** Return the value of a field; null for one that is left out or empty. */
function read(fields: object, name: string): unknown {
  const value: unknown = (fields as Record<string, unknown>)[name] ?? null;
  return Array.isArray(value) && !value.length ? null : value;
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
