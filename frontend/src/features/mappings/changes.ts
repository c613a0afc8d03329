/** Changes that move, copy and delete mappings. Each change expects the changes before it. */
import { scopeFields } from "$lib/scopes";
import type { ChangeInput, Mapping, MappingInput } from "$lib/client/types";
import { type PlacedRow } from "$lib/state/config.svelte";
import { keyOf } from "./rows";
import { strings } from "./strings";

export interface RowChanges {
  changes: ChangeInput[];
  /** The keys that the affected rows will have after the changes. */
  keys: string[];
}

export function deleteChanges(rows: readonly PlacedRow[]): ChangeInput[] {
  return [...rows]
    .sort((a, b) => (a.scope === b.scope ? b.index - a.index : 0))
    .map(({ scope, index }) => ({ change_type: "DeleteMapping", ...scopeFields(scope), index }));
}

export function createChanges(
  mappings: readonly MappingInput[],
  scope: string,
  at: number,
): RowChanges {
  return {
    changes: mappings.map((mapping, offset) => ({
      change_type: "CreateMapping",
      ...scopeFields(scope),
      index: at + offset,
      mapping,
    })),
    keys: mappings.map((_, offset) => keyOf(scope, at + offset)),
  };
}

export function toggleChanges(rows: readonly PlacedRow[], enabled: boolean): ChangeInput[] {
  return rows
    .filter((row) => row.mapping.enabled !== enabled)
    .map(({ scope, index }) => ({
      change_type: "UpdateMapping",
      ...scopeFields(scope),
      index,
      enabled,
    }));
}

/** Build the changes that move rows, in their order, before the row at index `at` of a scope. */
export function moveChanges(
  rows: readonly PlacedRow[],
  scope: string,
  at: number,
  rowCounts: Readonly<Record<string, number>>,
): RowChanges {
  const lists = new Map<string, string[]>();
  const list = (name: string): string[] => {
    const known =
      lists.get(name) ??
      Array.from({ length: rowCounts[name] ?? 0 }, (_, index) => keyOf(name, index));
    lists.set(name, known);
    return known;
  };
  const moved = new Set(rows.map((row) => keyOf(row.scope, row.index)));
  // Insert before the first row at or after the index that is not moved.
  const anchor = list(scope)
    .slice(at)
    .find((key) => !moved.has(key));
  const changes: ChangeInput[] = [];
  for (const row of rows) {
    const key = keyOf(row.scope, row.index);
    const from = list(row.scope);
    const index = from.indexOf(key);
    from.splice(index, 1);
    const to = list(scope);
    const to_index = anchor === undefined ? to.length : to.indexOf(anchor);
    to.splice(to_index, 0, key);
    if (row.scope === scope && index === to_index) continue;
    changes.push({
      change_type: "MoveMapping",
      ...scopeFields(row.scope),
      index,
      to_index,
      ...(row.scope === scope ? {} : targetFields(scope)),
    });
  }
  return { changes, keys: [...moved].map((key) => keyOf(scope, list(scope).indexOf(key))) };
}

function targetFields(scope: string): {
  to_mode?: string;
  to_profile?: string;
  to_global?: boolean;
} {
  const { mode, profile } = scopeFields(scope);
  if (mode !== undefined) return { to_mode: mode };
  return profile !== undefined ? { to_profile: profile } : { to_global: true };
}

/** Convert a mapping to the input of a change that creates a mapping. */
export function toMappingInput(mapping: Mapping): MappingInput {
  return structuredClone(mapping) as MappingInput;
}

export const countMappings = (count: number): string =>
  count === 1 ? strings.oneMapping : strings.mappingCount(count);
