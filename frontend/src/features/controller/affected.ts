/** Finds the controls whose mappings changed. */
import type { ControlRef, RowChange } from "$lib/client/types";
import { parseScope } from "$lib/scopes";
import type { PlacedRow } from "$lib/state/config.svelte";
import { withNoteNames } from "$ui/notes.svelte";

export interface Affected {
  controls: readonly ControlRef[];
  /** The mode that changed; null: none, or several. */
  mode: string | null;
}

export function affectedBy(changes: readonly RowChange[]): Affected {
  const controls = changes.flatMap(({ before, after }) => (after ?? before)?.words.controls ?? []);
  const [scope, ...others] = new Set(changes.map((change) => change.scope));
  const place = scope === undefined || others.length ? null : parseScope(scope);
  return { controls, mode: place?.kind === "mode" ? place.name : null };
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
