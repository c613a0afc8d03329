/** German texts of `features/modes`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // ColorPick.svelte
  colour: "Farbe",
  anotherColour: "Andere Farbe",

  // ModeList.svelte
  modes: "Modi",
  active: "Aktiv",
  start: "Start",
  oneMapping: "1 Mapping",
  mappingCount: (count) => `${count} Mappings`,

  // ModeMap.svelte
  modeMap: "Karte der Modi",
  fromAnyMode: "Aus jedem Modus",
  fromAnyModeHint: "Funktioniert überall",

  // ModeCard.svelte
  unreachableMark: "Kein Weg hinein",
  deadEndMark: "Kein Weg zurück",
  furtherWays: (count) => (count === 1 ? "1 weiterer Weg" : `${count} weitere Wege`),

  // Legend.svelte
  legend: "Legende",
  switchLegend: "wechselt",
  toggleLegend: "hin und zurück",
  nextLegend: "nächster Modus",
  previousLegend: "vorheriger Modus",
  whileHeldLegend: "solange gehalten",
  appLegend: "solange die App vorne ist",

  // ModePanel.svelte
  nameMissing: "Ein Modus braucht einen Namen.",
  nameTaken: "Ein anderer Modus hat diesen Namen.",
  modeNamed: (mode) => `Modus ${mode}`,
  canStillSwitch: (reason) => `${reason}. Hier lässt sich trotzdem zu ihm wechseln.`,
  deadEndHint:
    "Aus diesem Modus führt nichts zurück: Kein Mapping in ihm oder in allen Modi wechselt den " +
    "Modus dauerhaft. Hier lässt er sich trotzdem wechseln.",
  addWayBack: "Rückweg hinzufügen",
  mapControl: "Ein Bedienelement zuordnen",
  switchNow: "Jetzt wechseln",
  name: "Name",
  renameHint: "Mappings und Profile, die den Namen verwenden, werden angepasst.",
  showMappings: (count) => `${count} Mapping${count === 1 ? "" : "s"} anzeigen`,
  waysIn: "Wege hinein",
  conductorStartsInThisMode: "Conductor startet in diesem Modus.",
  noControlSwitchesToThis: "Kein Bedienelement wechselt zu diesem Modus.",
  waysOut: "Wege hinaus",
  noControlInThisMode: "Kein Bedienelement wechselt von diesem Modus zu einem anderen.",
  startInThisMode: "In diesem Modus starten",
  lastModeCannotBeDeleted: "Der letzte Modus lässt sich nicht löschen.",
  deleteButton: "Löschen …",

  // NewMode.svelte
  newMode: "Neuer Modus",
  newModeHint:
    "Ein Modus ist ein Satz von Mappings: In einem anderen Modus bewirken dieselben " +
    "Bedienelemente etwas anderes.",
  namePlaceholder: "Zum Beispiel Mischen, Stream, Live",
  cancel: "Abbrechen",
  createMode: "Modus erstellen",

  // WaysList.svelte
  toMode: (mode) => `zu ${mode}`,
  fromMode: (mode) => `aus ${mode}`,
  anyMode: "jedem Modus",
  back: "Zurück",
  previousMode: "dem vorherigen Modus",
  app: (name) => `App ${name}`,
  showMapping: "Mapping anzeigen",
  appProfile: (name) => `App-Profil ${name}`,

  // graph.ts
  switch: "Wechseln",
  whileHeld: "Solange gehalten",
  toggle: "Hin und zurück",
  next: "Nächster",
  previous: "Vorheriger",
  appInForeground: "App im Vordergrund",

  // removal.ts
  ownDeleted: (count) =>
    count === 1
      ? "Sein Mapping wird auch gelöscht."
      : `Seine ${count} Mappings werden auch gelöscht.`,
  switchingMappingsDeleted: (count, triggers) =>
    count === 1
      ? `Dieses Mapping wechselt zu ihm und wird auch gelöscht: ${triggers}.`
      : `Diese ${count} Mappings wechseln zu ihm und werden auch gelöscht: ${triggers}.`,
  profilesChanged: (names) => `Diese Profile wechseln nicht mehr zu ihm: ${names}.`,
  startsInFirstMode: "Conductor startet dann im ersten Modus.",

  // ModesView.svelte
  delete: "Löschen",
  deleteQuestion: (name) => `Den Modus ${name} löschen?`,
  deletesNothingElse: "Er hat keine Mappings, und nichts wechselt zu ihm.",
  canBeUndone: "Das lässt sich rückgängig machen.",
  deleted: (name) => `Den Modus ${name} gelöscht`,
  renamed: (name, newName) => `Den Modus ${name} in ${newName} umbenannt`,
  added: (name) => `Den Modus ${name} hinzugefügt`,
  summary: (count) => `${count} Modi`,
  showMap: "Karte anzeigen",
  showList: "Liste anzeigen",
  couldNotLoadModes: "Die Modi konnten nicht geladen werden",
  loadingTheModes: "Modi werden geladen",
  widthPanel: "Breite des Bereichs",
  colourChanged: (mode) => `Die Farbe von ${mode} geändert`,
  startChanged: (mode) => `Conductor startet jetzt in ${mode}`,
  noMatchingModes: "Keine passenden Modi",
  tryAnotherSearch: "Eine andere Suche versuchen.",
  intro:
    "In einem anderen Modus bewirken dieselben Bedienelemente etwas anderes. Einen Modus " +
    "erstellen, dann ein Bedienelement „Modus wechseln“ zuweisen.",
  listHint: "Die Eingabetaste wechselt zu einem Modus, Entf löscht ihn",
};
