/** The effects of deleting a mode, and the changes that remove every reference to it. Pure. */
import { modeScope, scopeFields } from "$lib/scopes";
import type { ChangeInput, Config } from "$lib/client/types";
import { type PlacedRow } from "$lib/state/config.svelte";
import { flattenAction } from "./graph";
import { strings } from "./strings";

export interface Removal {
  changes: ChangeInput[];
  /** Descriptions of what stops working, one for each line. */
  breaks: string[];
}

export function removal(name: string, config: Config, rows: readonly PlacedRow[]): Removal {
  const own = config.modes.find((mode) => mode.name === name)?.mappings.length ?? 0;
  const leading = rows.filter(
    (row) =>
      row.scope !== modeScope(name) &&
      flattenAction(row.mapping.action).some(
        (part) => part.type === "ModeChange" && part.mode === name,
      ),
  );
  const profiles = config.profiles.filter((profile) => profile.mode === name);
  const starts = config.settings.engine.start_mode === name;
  const changes: ChangeInput[] = [
    ...leading
      .sort((a, b) => b.index - a.index)
      .map((row): ChangeInput => ({
        change_type: "DeleteMapping",
        ...scopeFields(row.scope),
        index: row.index,
      })),
    ...profiles.map((profile): ChangeInput => ({
      change_type: "UpdateProfile",
      name: profile.name,
      mode: "",
    })),
    ...(starts
      ? [{ change_type: "UpdateSettings" as const, settings: { engine: { start_mode: null } } }]
      : []),
    { change_type: "DeleteMode", name },
  ];
  const breaks = [
    own ? strings.ownDeleted(own) : "",
    leading.length
      ? strings.switchingMappingsDeleted(leading.length, leading.map((row) => row.words.trigger).join(", "))
      : "",
    profiles.length
      ? strings.profilesChanged(profiles.map((profile) => profile.name).join(", "))
      : "",
    starts ? strings.startsInFirstMode : "",
  ].filter(Boolean);
  return { changes, breaks };
}
