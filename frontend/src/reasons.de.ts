/**
 * German translations of the entries that the page writes to the history. The history stores them
 * in English, so that all of them are in one language whichever language was shown.
 */
import { german as capabilities } from "./features/capabilities/strings.de";
import { german as devices } from "./features/devices/strings.de";
import { german as knowledge } from "./features/knowledge/strings.de";
import { german as learn } from "./features/learn/strings.de";
import { german as mappings } from "./features/mappings/strings.de";
import { german as modes } from "./features/modes/strings.de";
import { german as profiles } from "./features/profiles/strings.de";
import { german as providers } from "./features/providers/strings.de";
import { german as lib } from "./lib/strings.de";

/** A placeholder where a number is expected. */
const count = "{n}" as unknown as number;

export const reasons: readonly (readonly [english: string, german: string])[] = [
  // The words of earlier versions for a new mapping
  ["Added {mapping}", "{mapping} hinzugefügt"],
  ["Changed {mapping}", mappings.changed("{mapping}")],
  ["Changed {trigger} into {what}", mappings.changedInto("{trigger}", "{what}")],
  ["Deleted {mapping}", mappings.deleted("{mapping}")],
  ["Switched on {mapping}", mappings.switched("{mapping}", true)],
  ["Switched off {mapping}", mappings.switched("{mapping}", false)],
  ["Duplicated {mapping}", mappings.duplicated("{mapping}")],
  ["Copied {mapping} to {text}", mappings.copiedTo("{mapping}", "{text}")],
  ["Copied {mapping} to All modes", mappings.copiedTo("{mapping}", lib.allModes)],
  ["Moved {mapping} to {text}", mappings.movedTo("{mapping}", "{text}")],
  ["Moved {mapping} to All modes", mappings.movedTo("{mapping}", lib.allModes)],
  ["Moved {mapping}", mappings.reordered("{mapping}")],
  ["1 mapping", mappings.oneMapping],
  ["{n} mappings", mappings.mappingCount(count)],
  ["Mapped {mapping}", mappings.mapped("{mapping}")],
  ["Mapped a control", learn.mapped(learn.aControl)],
  ["Named {text} “{name}”", devices.named("{text}", "{name}")],
  ["Named {text} “{name}”, using its profile", devices.namedByProfile("{text}", "{name}")],
  ["Renamed {text} to {name}", devices.renamed("{text}", "{name}")],
  ["Removed the name {text}", devices.nameRemoved("{text}")],
  ["Changed the note for {text}", devices.noteChanged("{text}")],
  ["Changed how {text} is recognised", devices.matchersChanged("{text}")],
  ["Swapped {text} and {name}", devices.swapped("{text}", "{name}")],
  ["Added the mode {text}", modes.added("{text}")],
  ["Created mode {text}", modes.added("{text}")],
  ["Renamed the mode {text} to {name}", modes.renamed("{text}", "{name}")],
  ["Changed the colour of {text}", modes.colourChanged("{text}")],
  ["Conductor now starts in {text}", modes.startChanged("{text}")],
  ["Deleted the mode {text}", modes.deleted("{text}")],
  ["Added a profile for {text}", profiles.added("{text}")],
  ["Renamed the profile {text} to {name}", profiles.renamed("{text}", "{name}")],
  ["Changed the app of the profile {text}", profiles.appChanged("{text}")],
  ["Changed the mode of the profile {text}", profiles.modeChanged("{text}")],
  ["Switched the profile {text} on", profiles.switched("{text}", true)],
  ["Switched the profile {text} off", profiles.switched("{text}", false)],
  ["Deleted the profile {text}", profiles.deleted("{text}")],
  ["Theme: system", lib.theme("system")],
  ["Theme: dark", lib.theme("dark")],
  ["Theme: light", lib.theme("light")],
  ["Language: system", lib.languageChosen("system")],
  ["Language: English", lib.languageChosen("en")],
  ["Language: Deutsch", lib.languageChosen("de")],
  ["Removed {text}", providers.removed("{text}")],
  ["{text} is now the default", providers.isDefault("{text}")],
  ["Asked after {text}: {name}", providers.askedAfter("{text}", "{name}")],
  ["No other provider is asked", providers.noOtherProviderAsked],
  ["The assistant can ask models", providers.assistantCanAskModels],
  ["The assistant cannot ask models", providers.assistantCannotAskModels],
  ["Web search uses your server", capabilities.searxngSet],
  ["Web search uses public search engines", capabilities.searxngCleared],
  ["The assistant uses the knowledge base", knowledge.assistantUsesKnowledgeBase],
  ["The assistant does not use the knowledge base", knowledge.assistantIgnoresKnowledgeBase],
  ["Conductor may ask a hub", knowledge.conductorMayAskHub],
  ["Conductor asks no hub", knowledge.conductorAsksNoHub],
];
