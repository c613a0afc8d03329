/** The choice that a new mapping needs if an existing mapping already uses its trigger. */
import type { TriggerInput } from "$lib/client/types";
import type { PlacedRow } from "$lib/state/config.svelte";
import { strings } from "./strings";

/** Another gesture of a control that is pressed. */
export type OtherGesture = "hold" | "double";
/** Replace the existing mapping, or use a hold or a double tap for the new one. */
export type Resolution = "replace" | OtherGesture;

/** What happens to an existing mapping with the trigger of a new mapping. */
export class TakenChoice {
  /** The user's choice. */
  way = $state<Resolution | null>(null);
  /** The possible choices; empty if none is needed. */
  readonly ways: Resolution[];
  /** Whether the user must still choose, because the new mapping would never fire. */
  readonly isOpen: boolean;
  /** The existing mapping; null: none. */
  readonly row: PlacedRow | null;
  /** The mapping that the new one replaces; null: none. */
  readonly replaced: PlacedRow | null;
  /** The trigger before the choice. */
  private start = $state.raw<TriggerInput | null>(null);

  /** @param rows the mappings of the chosen scope. @param trigger the trigger of the new mapping */
  constructor(
    private readonly rows: () => readonly PlacedRow[],
    trigger: () => TriggerInput | null,
  ) {
    const find = (wanted: TriggerInput | null): PlacedRow | null =>
      (wanted && findTaken(rows(), wanted)) ?? null;
    this.row = $derived(find(this.start));
    this.ways = $derived(
      this.row && this.start && (this.way || find(trigger())) ? listWays(rows(), this.start) : [],
    );
    this.isOpen = $derived(this.ways.length > 0 && this.way === null);
    this.replaced = $derived(this.way === "replace" ? this.row : null);
  }

  /** The name of the existing mapping. */
  get name(): string {
    return this.row?.mapping.description ?? "";
  }

  /** What the user must do before the new mapping can be saved; null: nothing. */
  get hint(): string | null {
    return this.isOpen ? strings.chooseWay : null;
  }

  /** Ask again after the trigger or the scope was changed elsewhere in the form. */
  follow(trigger: TriggerInput | null): void {
    const isFree = trigger && !findTaken(this.rows(), trigger);
    if (isFree && (this.way === "hold" || this.way === "double")) return;
    this.start = trigger;
    this.way = null;
  }

  /**
   * Replace the mapping of the trigger, or use another gesture of its control. Return the trigger
   * and the name of the new mapping. A replaced mapping keeps its name unless the user typed one.
   */
  choose(way: Resolution, name: string): { trigger: TriggerInput | null; name: string } {
    const { start } = this;
    const isOwn = name !== "" && name !== this.name;
    this.way = way;
    return {
      trigger: way === "replace" || !start ? start : withGesture(start, way),
      name: isOwn ? name : (this.replaced?.mapping.description ?? ""),
    };
  }
}

/** The fields that restrict a trigger further; a mapping that has others of them is another one. */
const LIMITS = ["when", "velocity_min", "value_min", "value_max", "edge"];
const GESTURES = { hold: "LongPress", double: "DoubleTap" } as const;
const PRESSED: readonly TriggerInput["type"][] = [
  "Note",
  "GamepadButton",
  ...Object.values(GESTURES),
];

/** Return the enabled mapping whose trigger leaves another one no input; undefined: none. */
function findTaken(rows: readonly PlacedRow[], trigger: TriggerInput): PlacedRow | undefined {
  return rows.find(
    ({ mapping }) =>
      mapping.enabled &&
      mapping.trigger.type === trigger.type &&
      isSameControl(mapping.trigger, trigger) &&
      LIMITS.every((limit) => isEqual(read(mapping.trigger, limit), read(trigger, limit))),
  );
}

/** Return the choices that leave a new mapping with this trigger some input. */
function listWays(rows: readonly PlacedRow[], trigger: TriggerInput): Resolution[] {
  return ["replace", ...(PRESSED.includes(trigger.type) ? listFreeGestures(rows, trigger) : [])];
}

/** Return the other gestures of the control of a trigger that no mapping uses. */
function listFreeGestures(rows: readonly PlacedRow[], trigger: TriggerInput): OtherGesture[] {
  return (["hold", "double"] as const).filter((way) => !findTaken(rows, withGesture(trigger, way)));
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

/** Return the trigger for another gesture of the control of a trigger. */
export function withGesture(trigger: TriggerInput, way: OtherGesture): TriggerInput {
  const fields = ["note", "button", "device", "channel", "when"].flatMap((name) => {
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
