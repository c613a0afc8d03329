/** Says in one line what a change causes for the controls. Pure. */
import type { Impact, ImpactedControl, Overlap } from "$lib/client/types";
import { formatList } from "$language/format";
import { describeControl, hasNoEffect } from "./impact";
import { strings } from "./strings";

/** Of more controls, the line below names what may change. */
const MAX_NAMED = 3;

/**
 * Describe what a change causes, such as “A tap of Pad 2 now acts when you release it. All other
 * controls stay the same.”; null if that does not fit into a line.
 */
export function describeCause(impact: Impact, overlaps: readonly Overlap[]): string | null {
  if (hasNoEffect(impact)) return impact.settings.length ? null : strings.nothingPlayedChanges;
  const { controls, modes, variables, removed_modes } = impact;
  if (modes.length || variables.length || removed_modes.length) return null;
  if (controls.some((one) => one.number === "*")) return null;
  const names = [...new Set(controls.map(nameOf))];
  if (names.length > MAX_NAMED) return null;
  const wait = overlaps.find((one) => one.is_new && one.tap_wait)?.tap_wait;
  return wait && names.length === 1
    ? strings.tapWaits(names[0]!, wait.until_release, wait.delay_ms ?? 0)
    : strings.affectsOnly(formatList(names));
}

/** Name a control as it is printed on the device, or else by its number. */
const nameOf = (one: ImpactedControl): string =>
  one.name ?? describeControl({ ...one, device: null, channel: null, modes: null, profile: null });
