/** The choice that a new mapping needs if an existing mapping already uses its trigger. */
import type { TriggerInput } from "$lib/client/types";
import type { PlacedRow } from "$lib/state/config.svelte";
import { strings } from "./strings";
import { findTaken, listFreeGestures, withGesture, type OtherGesture } from "./triggers";

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

  /**
   * @param rows the mappings of the chosen scope
   * @param trigger the trigger of the new mapping
   * @param hold_ms the duration of a new hold
   */
  constructor(
    private readonly rows: () => readonly PlacedRow[],
    trigger: () => TriggerInput | null,
    readonly hold_ms: () => number,
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
      trigger: way === "replace" || !start ? start : withGesture(start, way, this.hold_ms()),
      name: isOwn ? name : (this.replaced?.mapping.description ?? ""),
    };
  }
}

/** Return the choices that leave a new mapping with this trigger some input. */
function listWays(rows: readonly PlacedRow[], trigger: TriggerInput): Resolution[] {
  return ["replace", ...listFreeGestures(rows, trigger)];
}
