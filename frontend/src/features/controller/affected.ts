/** Finds the controls whose mappings changed. */
import type { ControlRef, RowChange } from "$lib/client/types";
import { parseScope } from "$lib/scopes";

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
