/** User-visible strings of `features/modes`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/modes", {
  // ColorPick.svelte
  colour: "Colour",
  anotherColour: "Another colour",

  // ModeList.svelte
  modes: "Modes",
  active: "Active",
  start: "Start",
  oneMapping: "1 mapping",
  mappingCount: (count: number): string => `${count} mappings`,

  // ModeMap.svelte
  modeMap: "Mode map",
  fromAnyMode: "From any mode",
  fromAnyModeHint: "Works everywhere",

  // ModeCard.svelte
  unreachableMark: "No way in",
  deadEndMark: "No way back",
  furtherWays: (count: number): string => (count === 1 ? "1 more way" : `${count} more ways`),

  // Legend.svelte
  legend: "Legend",
  switchLegend: "switches",
  toggleLegend: "there and back",
  nextLegend: "next mode",
  previousLegend: "previous mode",
  whileHeldLegend: "while held",
  appLegend: "while the app is in front",

  // ModePanel.svelte
  nameMissing: "A mode needs a name.",
  nameTaken: "Another mode has this name.",
  modeNamed: (mode: string): string => `Mode ${mode}`,
  canStillSwitch: (reason: string): string => `${reason}. You can still switch to it here.`,
  deadEndHint:
    "Nothing leads back from this mode: no mapping in it or in all modes changes the mode " +
    "permanently. You can still switch here.",
  addWayBack: "Add a way back",
  mapControl: "Map a control to it",
  switchNow: "Switch now",
  name: "Name",
  renameHint: "Mappings and profiles that use the name are updated.",
  showMappings: (count: number): string => `Show ${count} mapping${count === 1 ? "" : "s"}`,
  waysIn: "Ways in",
  conductorStartsInThisMode: "Conductor starts in this mode.",
  noControlSwitchesToThis: "No control switches to this mode.",
  waysOut: "Ways out",
  noControlInThisMode: "No control switches from this mode to another.",
  startInThisMode: "Start in this mode",
  lastModeCannotBeDeleted: "The last mode cannot be deleted.",
  deleteButton: "Delete…",

  // NewMode.svelte
  newMode: "New mode",
  newModeHint: "A mode is a set of mappings: in another mode, the same controls do something else.",
  namePlaceholder: "For example Mixing, Stream, Live",
  cancel: "Cancel",
  createMode: "Create mode",

  // WaysList.svelte
  toMode: (mode: string): string => `to ${mode}`,
  fromMode: (mode: string): string => `from ${mode}`,
  anyMode: "any mode",
  back: "Back",
  previousMode: "the previous mode",
  app: (name: string): string => `app ${name}`,
  showMapping: "Show mapping",
  appProfile: (name: string): string => `App profile ${name}`,

  // graph.ts
  switch: "Switch",
  whileHeld: "While held",
  toggle: "There and back",
  next: "Next",
  previous: "Previous",
  appInForeground: "App in the foreground",

  // removal.ts
  ownDeleted: (count: number): string =>
    `${count === 1 ? "Its mapping is" : `Its ${count} mappings are`} deleted too.`,
  switchingMappingsDeleted: (count: number, triggers: string): string =>
    `${
      count === 1
        ? "This mapping switches to it and is"
        : `These ` + `${count} mappings switch to it and are`
    } deleted too: ${triggers}.`,
  profilesChanged: (names: string): string => `These profiles no longer switch to it: ${names}.`,
  startsInFirstMode: "Conductor will then start in the first mode.",

  // ModesView.svelte
  delete: "Delete",
  deleteQuestion: (name: string): string => `Delete the mode ${name}?`,
  deletesNothingElse: "It has no mappings, and nothing switches to it.",
  canBeUndone: "You can undo this.",
  deleted: (name: string): string => `Deleted the mode ${name}`,
  renamed: (name: string, newName: string): string => `Renamed the mode ${name} to ${newName}`,
  added: (name: string): string => `Added the mode ${name}`,
  summary: (count: number): string => `${count} modes`,
  showMap: "Show map",
  showList: "Show list",
  couldNotLoadModes: "Could not load the modes",
  loadingTheModes: "Loading the modes",
  widthPanel: "Panel width",
  colourChanged: (mode: string): string => `Changed the colour of ${mode}`,
  startChanged: (mode: string): string => `Conductor now starts in ${mode}`,
  noMatchingModes: "No matching modes",
  tryAnotherSearch: "Try another search.",
  intro:
    "In another mode, the same controls do something else. Create a mode, then map a " +
    "control to “Change mode”.",
  listHint: "Enter switches to a mode, Delete deletes it",
});
