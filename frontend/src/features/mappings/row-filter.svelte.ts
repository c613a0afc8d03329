/** The filter of the list of mappings. */
import type { EventView } from "$lib/client/types";
import { matchesControl } from "$lib/state/monitor.svelte";
import { isFiltered, type Filter } from "./rows";

export class RowFilter {
  /** The text in the search field. */
  search = $state("");
  /** The device whose mappings are shown; null shows all. */
  device = $state<string | null>(null);
  /** Whether the next control that the user touches becomes the filter. */
  waitsForTouch = $state(false);
  /** The event of the control whose mappings are shown; null shows all. */
  touched = $state.raw<EventView | null>(null);
  /** The filters as one value for `groupRows`. */
  readonly value: Filter;
  /** Whether a filter is set. */
  readonly active: boolean;

  constructor() {
    this.value = $derived({
      words: this.search,
      device: this.device,
      touched: this.touched ? (control) => matchesControl(control, this.touched!) : null,
    });
    this.active = $derived(isFiltered(this.value));
  }

  clear(): void {
    this.search = "";
    this.device = null;
    this.touched = null;
    this.waitsForTouch = false;
  }
}
