/** User-visible strings of `features/mappings`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/mappings", {
  // DeviceTree.svelte
  devices: "Devices",
  allDevices: "All devices",
  problem: "problem",
  hasAProblem: "has a problem",
  connected: "connected",
  disconnected: "not connected",
  mute: (device: string): string => `Mute ${device}`,
  mutedHint: "Muted: its input triggers nothing. Click to unmute",
  muteHint: "Mute until the next start",

  // DraftChecks.svelte
  effectsOnOtherMappings: "Effects on other mappings",
  checks: "Checks",
  conflictsHint: "Conflicts with other mappings appear here.",
  noConflicts: "No conflicts.",

  // DraftEditor.svelte
  when: "When",
  renameControl: "Rename control",
  chooseControl: "Touch another control for this mapping",
  do: "Do",
  about: "About this mapping",
  changeTrigger: "Change",

  // DraftFoot.svelte
  breaksExamples: (count: number): string =>
    count === 1 ? "Breaks an example" : `Breaks ${count} examples`,
  conflicts: (count: number): string => (count === 1 ? "1 conflict" : `${count} conflicts`),
  failures: (count: number): string => (count === 1 ? "1 failure" : `${count} failures`),
  warnings: (count: number): string => (count === 1 ? "1 warning" : `${count} warnings`),
  notes: (count: number): string => (count === 1 ? "1 note" : `${count} notes`),
  chooseAnAction: "Choose an action.",
  fillIn: (fields: string): string => `Fill in: ${fields}`,
  removedElsewhere: "This mapping was removed elsewhere while you edited it.",
  changedElsewhere: "This mapping was changed elsewhere while you edited it.",
  discardMine: "Discard my changes",
  keepAsNew: "Keep as new mapping",
  keepMine: "Keep my changes",
  fieldsToFix: (count: number): string => `${count === 1 ? "1 field" : `${count} fields`} to fix`,
  checking: "Checking…",
  saved: "Saved",
  cancel: "Cancel",
  revert: "Revert",
  addMapping: "Add mapping",
  replaceMapping: "Replace mapping",
  save: "Save",

  // DraftHead.svelte
  profile: (name: string): string => `Profile ${name}`,
  newIn: "New in",
  addTo: "Add to",
  notSaved: "Not saved",
  on: "On",
  off: "Off",
  moreActionsForThisMapping: "More actions for this mapping",
  closeTheInspector: "Close the inspector",

  // Inspector.svelte
  inspector: "Inspector",
  selectAMapping: "Select a mapping",
  inspectorHint:
    "Edit its trigger and action here, and see its conflicts. " +
    "Double-click a mapping to record its keys again.",
  newMapping: "New mapping",
  edit: "Edit",
  changeAction: "Change its action",
  onOrOff: "On or off",
  moveUpDown: "Move up, down",
  selectMore: "Select more",
  findByTouching: "Find by touching",

  // LeaveDialog.svelte
  saveThisMapping: "Save this mapping?",
  discardThisMapping: "Discard the changes?",
  unsavedChanges: (mapping: string): string => `Your changes to ${mapping} are not saved yet.`,
  cannotSaveYet: (mapping: string): string =>
    `${mapping} cannot be saved yet: some fields are missing or invalid.`,
  discard: "Discard",
  keepEditing: "Keep editing",

  // ManyRows.svelte
  selectedCount: (count: number): string => `${count} mappings selected`,
  switchOff: "Switch off",
  switchOn: "Switch on",
  duplicate: "Duplicate",
  copy: "Copy",
  delete: "Delete",
  moveToScope: "Move to",
  chooseModeOrProfile: "Choose a mode or profile…",
  copyTo: "Copy to",
  selectedMappings: "Selected mappings",
  andMore: (count: number): string => `and ${count} more`,

  // MappingsBar.svelte
  notConnectedDevice: (device: string): string => `${device} (not connected)`,
  device: "Device",

  // OverlapNote.svelte
  thisMapping: "This mapping",
  wins: "wins",
  loses: "loses",
  switchOffOther: "Switch off the other mapping",
  deleteThis: "Delete this mapping",
  makeGesture: {
    hold: (ms: number): string => `Make this a hold, ${ms} ms`,
    double: (): string => "Make this a double tap",
  },

  // RowGroup.svelte
  globalNote: "in every mode, after its own mappings",
  profileNote: "while its app is in the foreground, before all others",
  active: "Active",
  shownOfTotal: (shown: number, total: number): string => `${shown} of ${total}`,
  newMappingIn: (name: string): string => `New mapping in ${name}`,
  dropHere: "Drop here",
  noMappingsYet: "No mappings yet",

  // RowItem.svelte
  onRelease: "on release",
  enabledLabel: (mapping: string): string => `${mapping} enabled`,

  // RowList.svelte
  mappings: "Mappings",

  // RowsPane.svelte
  couldNotLoadMappings: "Could not load the mappings",
  loadingTheMappings: "Loading the mappings",
  fileNotUsed: (line: number | null | undefined, message: string): string =>
    `The config file has an error and is not used: ${line ? `line ${line}: ` : ""}${message}`,
  mapYourFirstControl: "Map your first control",
  intro:
    "A mapping connects a control to an action. Touch a pad, knob or button, then " +
    "choose what it does.",
  noMappingFor: (control: string): string => `No mapping for ${control}`,
  noMatchingMappings: "No matching mappings",
  noMappingForHint: "No mode or profile uses this control.",
  noMatchingMappingsHint: "Try another search, or show all devices.",
  showAll: "Show all",
  mapIt: "Map it",

  // TouchControl.svelte
  in: "in",
  cancelNewMapping: "Cancel the new mapping",
  anotherControl: "Another control",
  keepControl: "Keep the control",
  oneCandidateTitle: "Is this the one?",
  severalCandidatesTitle: "Which one do you mean?",
  touchAControl: "Touch a control",
  startingToListen: "Starting to listen…",
  noInput: "No input",
  touchHint: (isSilent: boolean): string =>
    "Press, hold, double-tap or turn a control." +
    (isSilent ? "" : " Existing mappings stay active."),
  heardHint: (input: string, listening: boolean): string =>
    `Press Enter to use it${listening ? ", or play it again" : ""}.` +
    (input ? ` Last input: ${input}` : ""),
  heardIsShownHere: "The control that you play appears here.",
  noInputHint: "Try again, or choose the trigger yourself.",
  listenAgain: "Listen again",
  chooseManually: "Choose manually",

  // FindByTouchButton.svelte
  touchControlNow: "Touch a control…",
  touchControlOrKeyNow: "Touch a control or press its key…",
  findByTouchingControl: "Find by touching a control",
  findByTouchingControlKey: "Find by touching a control (T)",

  // changes.ts
  oneMapping: "1 mapping",
  mappingCount: (count: number): string => `${count} mappings`,

  // rows.ts
  controlOnDevice: (control: string, device: string): string => `${control} on ${device}`,

  // devices.ts
  notConnected: "Not connected",

  // editor.controller.svelte.ts
  aMapping: "a mapping",
  mapped: (name: string): string => `Mapped ${name}`,
  changed: (name: string): string => `Changed ${name}`,
  changedInto: (before: string, after: string): string => `Changed ${before} into ${after}`,
  configChangedMeanwhile: "The config changed in the meantime",
  saveOnTopQuestion: "This mapping is still the same. Save your change to the new config?",

  // mappings.controller.svelte.ts

  // menu.ts
  newMappingHere: "New mapping here",
  cut: "Cut",
  paste: "Paste",
  moveToNamedScope: (scope: string): string => `Move to ${scope}`,

  // row-commands.svelte.ts
  deleted: (mapping: string): string => `Deleted ${mapping}`,
  switched: (mapping: string, enabled: boolean): string =>
    `Switched ${enabled ? "on" : "off"} ${mapping}`,
  duplicated: (mapping: string): string => `Duplicated ${mapping}`,
  clipboardFilled: (cut: boolean, mappings: string): string =>
    `${cut ? "Cut" : "Copied"} ${mappings}. Paste them where you want them.`,
  copiedTo: (mapping: string, scope: string): string => `Copied ${mapping} to ${scope}`,
  movedTo: (mapping: string, scope: string): string => `Moved ${mapping} to ${scope}`,
  reordered: (mapping: string): string => `Moved ${mapping}`,
  changedMeanwhile: "The config changed in the meantime. Check it, then try again.",

  // MappingsView.svelte
  summary: (count: number, modes: number, profiles: number): string =>
    `${count} in ${modes === 1 ? "one mode" : `${modes} modes`}` +
    (profiles ? ` and ${profiles === 1 ? "one profile" : `${profiles} profiles`}` : ""),
  searchMappings: "Search mappings",
  widthDevices: "Device list width",
  widthInspector: "Inspector width",
});
