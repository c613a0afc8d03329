/** Finds the controls whose mappings changed. */
import type { ControlRef, RowChange } from "$lib/client/types";
import { parseScope } from "$lib/scopes";
import type { PlacedRow } from "$lib/state/config.svelte";
import { withNoteNames } from "$ui/notes.svelte";

export interface Affected {
  controls: readonly ControlRef[];
  /** The mode or profile whose picture shows the changes; null: the active mode. */
  scope: string | null;
}

/** @param rows the mappings after the changes */
export function affectedBy(changes: readonly RowChange[], rows: readonly PlacedRow[]): Affected {
  const controls = changes.flatMap(({ before, after }) => (after ?? before)?.words.controls ?? []);
  const places = changes.filter(({ scope }) =>
    ["mode", "profile"].includes(parseScope(scope).kind),
  );
  // What was removed may have been in a mode that is gone.
  const shown =
    places.find((change) => change.after) ??
    places.find((change) => rows.some(({ scope }) => scope === change.scope)) ??
    (places.length ? rows.find(({ scope }) => parseScope(scope).kind === "mode") : undefined);
  return { controls, scope: shown?.scope ?? null };
}

/** Return the mappings after changes that are not made yet. */
export function rowsAfter(
  rows: readonly PlacedRow[],
  changes: readonly RowChange[],
): readonly PlacedRow[] {
  const replaced = new Set(
    changes.flatMap(({ scope, before }) => (before ? `${scope}#${before.index}` : [])),
  );
  const added = changes.flatMap(({ scope, after }) =>
    after ? { ...after, scope, words: withNoteNames(after.words) } : [],
  );
  return [...rows.filter(({ scope, index }) => !replaced.has(`${scope}#${index}`)), ...added].sort(
    (a, b) => a.index - b.index,
  );
}
