/** German texts of `features/history`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // Difference.svelte
  settings: "Einstellungen",
  device: (name) => `Gerät ${name}`,
  profile: (name) => `Profil ${name}`,
  allModes: "Alle Modi",
  mode: (name) => `Modus ${name}`,
  restoreChanges: "Änderungen durch das Wiederherstellen dieser Version",
  restoreMappingHint: "Nur dieses Mapping wiederherstellen",
  restoreMapping: "Dieses wiederherstellen",

  // VersionItem.svelte
  brokeExamples: (names) => `Bricht gespeicherte Beispiele: ${names}`,
  broke1Example: "Bricht 1 Beispiel",
  brokeExamplesCount: (count) => `Bricht ${count} Beispiele`,
  current: "Aktuell",
  undone: "Rückgängig gemacht",
  undoneHint: "Diese Version wurde rückgängig gemacht. Sie gehört nicht zur aktuellen Version.",

  // VersionPanel.svelte
  version: "Version",
  undoThis: "Diese Änderung rückgängig machen",
  redoThis: "Diese Änderung wiederherstellen",
  restoreThis: "Diese Version wiederherstellen …",
  restoringWouldChange: "Das Wiederherstellen würde ändern",
  restoringAsText: "Wiederherstellen als Text",
  changesAsText: "Änderungen als Text",
  changesInThisVersion: "Änderungen in dieser Version",
  brokeNamedExamples: (count, names) =>
    `Bricht ${count === 1 ? "das Beispiel" : "die Beispiele"} ${names}`,
  oldestVersion: "Dies ist die älteste gespeicherte Version.",
  couldNotLoadVersion: "Die Version konnte nicht geladen werden",
  loadingTheVersion: "Version wird geladen",
  comparison: "Vergleich",
  compareWith: "Vergleichen mit",
  chooseVersion: "Version wählen",
  currentVersion: "Aktuelle Version",
  changesSince: "Änderungen von jener Version zu dieser",
  differencesAsText: "Unterschiede als Text",
  noDifference: "Die beiden Versionen sind gleich.",
  wholeFile: "Ganze Datei",
  nothingToRestore: "Die aktuellen Mappings sind gleich. Es gibt nichts wiederherzustellen.",
  onlyCommentsDiffer:
    "Nur Kommentare oder die Formatierung unterscheiden sich; siehe den Text unten.",

  // versions.ts
  noReasonGiven: "Kein Grund angegeben",
  foundAtStartup: "Beim Start gefunden",
  inTheFile: "In der Datei",
  editedByHand: "Von Hand bearbeitet",
  you: "Sie",
  youInWindow: "Sie, im Fenster",
  youInBrowser: "Sie, in einem Browser",
  youInTerminal: "Sie, in einem Terminal",
  commandLine: "Die Kommandozeile",
  youWithControl: "Sie, mit einem Bedienelement",
  assistantWith: (model) => `Der Assistent, mit ${model}`,
  youInChat: "Sie, im Chat",
  anAgent: "Ein Agent",
  appliedByYou: (requester) => `${requester}; von Ihnen angewendet`,
  inPlace: (change, place) => `${change} in ${place}`,
  inAllModes: (change) => `${change} in allen Modi`,

  // HistoryView.svelte
  goToCurrent: "Zur aktuellen Version",
  restoreQuestion: "Diese Version wiederherstellen?",
  restoreText: (count, what, date) =>
    `${count === 1 ? "Eine Änderung wird" : `${count} Änderungen werden`} vorgenommen, um zur ` +
    `Version vom ${date} zurückzukehren: ${what}.`,
  leavesMode: (mode, next) =>
    `Der aktuelle Modus „${mode}“ verschwindet: Danach ist „${next}“ aktiv. Rückgängig bringt ` +
    "den Modus zurück, wechselt aber nicht zu ihm.",
  currentStays: "Die aktuelle Version bleibt im Verlauf.",
  restore: "Wiederherstellen",
  history: "Verlauf",
  versionCount: (count) => (count === "1" ? "1 Version" : `${count} Versionen`),
  couldNotLoadHistory: "Der Verlauf konnte nicht geladen werden",
  loadingTheHistory: "Verlauf wird geladen",
  noMatches: "Keine Treffer",
  noVersionsYet: "Noch keine Versionen",
  tryAnotherSearch: "Eine andere Suche versuchen.",
  noVersionsHint:
    "Jede Änderung der Konfiguration wird hier gespeichert, von wem sie auch stammt. Jede " +
    "Version oder ein einzelnes Mapping lässt sich wiederherstellen.",
  widthList: "Breite der Liste",
  versionList: "Versionen",
  today: "Heute",
  yesterday: "Gestern",
  showOlder: "Ältere anzeigen",
};
