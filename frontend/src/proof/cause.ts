/** Says in one line what a change causes for the controls. Pure. */
import type { Impact, ImpactedControl, Overlap } from "$lib/client/types";
import { formatList } from "$language/format";
import { describeControl, hasNoEffect } from "./impact";
import { strings } from "./strings";

/** What the message of a finding says if a press acts only when its control is released. */
const ON_RELEASE = /(until it|when .*) is released/;
/** Of more controls, the line below names what may change. */
const MAX_NAMED = 3;

/**
 * Describe what a change causes, such as “Pad 2 now acts when you release it. Nothing else
 * changes.”; null if that does not fit into a line.
 */
export function describeCause(impact: Impact, overlaps: readonly Overlap[]): string | null {
  if (hasNoEffect(impact)) return impact.settings.length ? null : strings.nothingPlayedChanges;
  const { controls, modes, variables, removed_modes } = impact;
  if (modes.length || variables.length || removed_modes.length) return null;
  if (controls.some((one) => one.number === "*")) return null;
  const names = [...new Set(controls.map(nameOf))];
  if (names.length > MAX_NAMED) return null;
  const isLate = overlaps.some(
    (one) =>
      one.is_new &&
      (one.kind === "tap_delayed" || one.kind === "hold_delayed") &&
      ON_RELEASE.test(one.message),
  );
  return isLate && names.length === 1
    ? strings.actsOnRelease(names[0]!)
    : strings.affectsOnly(formatList(names));
}

/** Name a control as it is printed on the device, or else by its number. */
const nameOf = (one: ImpactedControl): string =>
  one.name ?? describeControl({ ...one, device: null, channel: null, modes: null, profile: null });
