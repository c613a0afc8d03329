/** User-visible strings of `features/history`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/history", {
  // Difference.svelte
  settings: "Settings",
  device: (name: string): string => `Device ${name}`,
  profile: (name: string): string => `Profile ${name}`,
  allModes: "All modes",
  mode: (name: string): string => `Mode ${name}`,
  restoreChanges: "Changes made by restoring this version",
  restoreMappingHint: "Restore only this mapping",
  restoreMapping: "Restore this",

  // VersionItem.svelte
  brokeExamples: (names: string): string => `Broke saved examples: ${names}`,
  broke1Example: "Broke 1 example",
  brokeExamplesCount: (count: number): string => `Broke ${count} examples`,
  current: "Current",
  undone: "Undone",
  undoneHint: "This version was undone. It is not part of the current version.",

  // VersionPanel.svelte
  version: "Version",
  undoThis: "Undo this change",
  redoThis: "Redo this change",
  restoreThis: "Restore this version…",
  restoringWouldChange: "Restoring this version would change",
  restoringAsText: "Restoring, as text",
  changesAsText: "Changes as text",
  changesInThisVersion: "Changes in this version",
  brokeNamedExamples: (count: number, names: string): string =>
    `Broke ${count === 1 ? "the example" : "the examples"} ${names}`,
  oldestVersion: "This is the oldest saved version.",
  couldNotLoadVersion: "Could not load the version",
  loadingTheVersion: "Loading the version",
  comparison: "Comparison",
  compareWith: "Compare with",
  chooseVersion: "Choose a version",
  currentVersion: "Current version",
  changesSince: "Changes from that version to this one",
  differencesAsText: "Differences as text",
  noDifference: "The two versions are the same.",
  wholeFile: "Whole file",
  nothingToRestore: "The current mappings are the same. There is nothing to restore.",
  onlyCommentsDiffer: "Only comments or formatting differ; see the text below.",

  // versions.ts
  noReasonGiven: "No reason given",
  foundAtStartup: "Found at startup",
  inTheFile: "In the file",
  editedByHand: "Edited by hand",
  you: "You",
  youInWindow: "You, in the window",
  youInBrowser: "You, in a browser",
  youInTerminal: "You, in a terminal",
  commandLine: "The command line",
  youWithControl: "You, with a control",
  assistantWith: (model: string): string => `The assistant, with ${model}`,
  youInChat: "You, in the chat",
  anAgent: "An agent",
  appliedByYou: (requester: string): string => `${requester}; applied by you`,
  inPlace: (change: string, place: string): string => `${change} in ${place}`,
  inAllModes: (change: string): string => `${change} in all modes`,

  // HistoryView.svelte
  goToCurrent: "Go to current",
  restoreQuestion: "Restore this version?",
  restoreText: (count: number, what: string, date: string): string =>
    `${count === 1 ? "One change" : `${count} changes`} will be made to return to the version ` +
    `of ${date}: ${what}.`,
  leavesMode: (mode: string, next: string): string =>
    `The current mode “${mode}” disappears: you will be in “${next}”. Undo brings the mode back, ` +
    `but does not switch to it.`,
  currentStays: "The current version stays in the history.",
  restore: "Restore",
  history: "History",
  versionCount: (count: string): string => (count === "1" ? "1 version" : `${count} versions`),
  couldNotLoadHistory: "Could not load the history",
  loadingTheHistory: "Loading the history",
  noMatches: "No matches",
  noVersionsYet: "No versions yet",
  tryAnotherSearch: "Try another search.",
  noVersionsHint:
    "Every change to the config is saved here, whoever made it. You can restore " +
    "any version, or a single mapping.",
  widthList: "List width",
  versionList: "Versions",
  today: "Today",
  yesterday: "Yesterday",
  showOlder: "Show older",
});
