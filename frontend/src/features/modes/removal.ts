/** The deletion of a mode: changes that remove all references to the mode, and their effects. */
import { modeScope, scopeFields, scopeName } from "$lib/scopes";
import type { ChangeInput, Config } from "$lib/client/types";
import { type PlacedRow } from "$lib/state/config.svelte";
import { nameMapping } from "$ui";
import { flattenAction } from "./graph";
import { strings } from "./strings";

export interface Removal {
  changes: ChangeInput[];
  /** Sentences about mappings, profiles and settings that the deletion affects. */
  breaks: string[];
}

export function planRemoval(name: string, config: Config, rows: readonly PlacedRow[]): Removal {
  const ownCount = config.modes.find((mode) => mode.name === name)?.mappings.length ?? 0;
  const switchingRows = rows.filter(
    (row) =>
      row.scope !== modeScope(name) &&
      flattenAction(row.mapping.action).some(
        (part) => part.type === "ModeChange" && part.mode === name,
      ),
  );
  const profiles = config.profiles.filter((profile) => profile.mode === name);
  const starts = config.settings.engine.start_mode === name;
  const changes: ChangeInput[] = [
    ...switchingRows
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
    ownCount ? strings.ownDeleted(ownCount) : "",
    switchingRows.length
      ? strings.switchingMappingsDeleted(
          switchingRows.length,
          switchingRows
            .map(
              ({ mapping, words, scope }) =>
                `${nameMapping(mapping.description, words.trigger)} (${scopeName(scope)})`,
            )
            .join(", "),
        )
      : "",
    profiles.length
      ? strings.profilesChanged(profiles.map((profile) => profile.name).join(", "))
      : "",
    starts ? strings.startsInFirstMode : "",
  ].filter(Boolean);
  return { changes, breaks };
}
