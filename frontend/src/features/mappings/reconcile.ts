/** Functions that find rows again after the config was changed elsewhere. */
import { parseScope } from "$lib/scopes";
import type { ConfigView, MappingInput } from "$lib/client/types";
import type { PlacedRow } from "$lib/state/config.svelte";
import { isSameConfig } from "./draft.svelte";
import { keyOf, splitKey } from "./rows";

/**
 * Return the current key of a row of an earlier config; null when the row was deleted. A row is
 * identified by its content. A changed row is identified by its index, if its list has the same
 * length as before.
 */
export function findFollowedKey(
  key: string,
  before: ConfigView,
  rows: readonly PlacedRow[],
): string | null {
  const { scope, index } = splitKey(key);
  const oldList = mappingsOf(before, scope);
  const old = oldList[index];
  const here = rows.find((row) => row.scope === scope && row.index === index);
  if (!old || (here && isSameConfig(here.mapping, old))) return here ? key : null;
  const equals = rows.filter((row) => isSameConfig(row.mapping, old));
  const twin = equals.find((row) => row.scope === scope) ?? equals[0];
  if (twin) return keyOf(twin.scope, twin.index);
  const length = rows.filter((row) => row.scope === scope).length;
  return here && oldList.length === length ? key : null;
}

function mappingsOf(view: ConfigView, scope: string): MappingInput[] {
  const { modes, profiles, global_mappings } = view.config;
  const { kind, name } = parseScope(scope);
  const owner =
    scope === "global"
      ? { mappings: global_mappings }
      : kind === "mode"
        ? modes.find((mode) => mode.name === name)
        : profiles.find((profile) => profile.name === name);
  return (owner?.mappings ?? []) as MappingInput[];
}
