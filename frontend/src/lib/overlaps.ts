/** Which mappings the overlaps of the config concern. */
import type { Overlap } from "./client/types";
import { dropPlaces, scopeName } from "./scopes";

const KINDS_WITH_WINNER: readonly Overlap["kind"][] = ["duplicate", "shadowed", "wildcard"];

/** Return whether the first mapping of the overlap takes precedence over the others. */
export function hasWinner(overlap: Overlap): boolean {
  return KINDS_WITH_WINNER.includes(overlap.kind) && overlap.places.length > 1;
}

/** Return the row key of a place such as `mode:Default #3`; null for places that are not rows. */
export function keyOfPlace(place: string): string | null {
  const at = place.lastIndexOf(" #");
  return at < 0 ? null : `${place.slice(0, at)}#${Number(place.slice(at + 2))}`;
}

/** Return the overlaps of each row, by the key of the row. */
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

/** How long a tap waits for another gesture of its control. */
export interface Delay {
  /** The shortest time from the press until it acts, in milliseconds. */
  ms: number;
  untilRelease: boolean;
  /** Why it waits. */
  reason: string;
}

/** Return the taps that wait for another gesture, by the key of the row. */
export function delaysOf(overlaps: readonly Overlap[]): ReadonlyMap<string, Delay> {
  const delays = new Map<string, Delay>();
  for (const { tap_wait, places, message } of overlaps) {
    if (!tap_wait) continue;
    for (const key of places.slice(1).map(keyOfPlace)) {
      if (!key) continue;
      const { delay_ms, until_release } = tap_wait;
      const reason = toPlain(message);
      const before = delays.get(key)?.reason;
      delays.set(key, {
        ms: delay_ms,
        untilRelease: until_release,
        reason: before ? `${before} · ${reason}` : reason,
      });
    }
  }
  return delays;
}

/**
 * Return a message about overlaps as users read it: the names of the mappings without their places
 * where they differ, and rows numbered from 1.
 */
export const toReadable = (message: string): string =>
  dropPlaces(message).replace(
    /`((?:mode|profile):[^`]+|global) #(\d+)`/g,
    (_, scope: string, index: string) => `\`${scopeName(scope)} ${Number(index) + 1}\``,
  );

/** Return a message about overlaps as plain text, with the names of the mappings. */
export const toPlain = (message: string): string => dropPlaces(message).replaceAll("`", "");

/** Return why mappings never act, because another one goes first, by the key of the row. */
export function losersOf(overlaps: readonly Overlap[]): ReadonlyMap<string, string> {
  return new Map(
    overlaps
      .filter((overlap) => overlap.severity !== "info" && hasWinner(overlap))
      .flatMap(({ places, message }) =>
        places.slice(1).flatMap((place) => {
          const key = keyOfPlace(place);
          return key ? [[key, toPlain(message)] as const] : [];
        }),
      ),
  );
}
