/** Names of mappings in explanations: the control, and what the mapping does. */
import { mappingName } from "$lib/scopes";
import type { PlacedRow } from "$lib/state/config.svelte";
import { withNotes } from "$ui";

/** The name of a mapping in a sentence of the backend, which ends with its place. */
const PLACE = "mapping (\\d+) of (?:(mode|profile) ([^`]+)|all modes)";
const NAME = new RegExp(`\`(?:[^\`]*, )?${PLACE}\`|^(?:.*, )?${PLACE}$`, "g");
/** The key of a mapping without a description, counted from 0. */
const KEY = /`((?:(?:mode|profile):[^`]+|global) #\d+)`/g;

/** Return the name of a mapping, such as “Pad 1: Copy”; null if the mapping is unknown. */
export function rowName(
  rows: readonly PlacedRow[],
  { scope, index }: Pick<PlacedRow, "scope" | "index">,
): string | null {
  const row = rows.find((one) => one.scope === scope && one.index === index);
  if (!row) return null;
  const { mapping, words } = row;
  return `${withNotes(words.trigger)}: ${mapping.description || withNotes(words.action)}`;
}

/** Name the mappings in a sentence of the backend as everywhere in the window. */
export function nameMappingsIn(text: string, rows: readonly PlacedRow[]): string {
  return text
    .replace(KEY, (_, key: string) => {
      const [, scope, index] = /^(.+) #(\d+)$/.exec(key)!;
      const found = { scope: scope!, index: Number(index) };
      return `\`${rowName(rows, found) ?? mappingName(key)}\``;
    })
    .replace(NAME, (name, ...groups: (string | undefined)[]) => {
      const [number, kind, owner] = groups[0] ? groups.slice(0, 3) : groups.slice(3, 6);
      const scope = kind ? `${kind}:${owner}` : "global";
      const found = rowName(rows, { scope, index: Number(number) - 1 });
      if (found === null) return name;
      return name.startsWith("`") ? `\`${found}\`` : found;
    });
}
