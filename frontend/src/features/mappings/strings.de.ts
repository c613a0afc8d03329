/** German texts of `features/mappings`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // DeviceTree.svelte
  devices: "Geräte",
  allDevices: "Alle Geräte",
  problem: "Problem",
  hasAProblem: "hat ein Problem",
  connected: "verbunden",
  disconnected: "nicht verbunden",
  mute: (device) => `${device} stummschalten`,
  mutedHint: "Stumm: Eingaben lösen nichts aus. Klicken hebt das auf",
  muteHint: "Bis zum nächsten Start stummschalten",

  // DraftChecks.svelte
  effectsOnOtherMappings: "Auswirkungen auf andere Mappings",
  checks: "Prüfungen",
  conflictsHint: "Konflikte mit anderen Mappings erscheinen hier.",
  noConflicts: "Keine Konflikte.",

  // DraftEditor.svelte
  when: "Wenn",
  renameControl: "Bedienelement umbenennen",
  chooseControl: "Ein anderes Bedienelement für dieses Mapping berühren",
  do: "Aktion",
  about: "Über dieses Mapping",
  changeTrigger: "Ändern",

  // DraftFoot.svelte
  breaksExamples: (count) => (count === 1 ? "Bricht ein Beispiel" : `Bricht ${count} Beispiele`),
  conflicts: (count) => (count === 1 ? "1 Konflikt" : `${count} Konflikte`),
  failures: (count) => `${count} Fehler`,
  warnings: (count) => (count === 1 ? "1 Warnung" : `${count} Warnungen`),
  notes: (count) => (count === 1 ? "1 Hinweis" : `${count} Hinweise`),
  chooseAnAction: "Eine Aktion auswählen.",
  fillIn: (fields) => `Noch ausfüllen: ${fields}`,
  removedElsewhere: "Dieses Mapping wurde während der Bearbeitung anderswo entfernt.",
  changedElsewhere: "Dieses Mapping wurde während der Bearbeitung anderswo geändert.",
  discardMine: "Eigene Änderungen verwerfen",
  keepAsNew: "Als neues Mapping behalten",
  keepMine: "Eigene Änderungen behalten",
  fieldsToFix: (count) => (count === 1 ? "1 Feld korrigieren" : `${count} Felder korrigieren`),
  checking: "Prüfung läuft …",
  saved: "Gespeichert",
  cancel: "Abbrechen",
  revert: "Zurücksetzen",
  addMapping: "Hinzufügen",
  replaceMapping: "Ersetzen",
  save: "Speichern",

  // DraftHead.svelte
  profile: (name) => `Profil ${name}`,
  newIn: "Neu in",
  addTo: "Hinzufügen zu",
  notSaved: "Nicht gespeichert",
  on: "Ein",
  off: "Aus",
  moreActionsForThisMapping: "Weitere Befehle für dieses Mapping",
  closeTheInspector: "Inspektor schließen",

  // Inspector.svelte
  inspector: "Inspektor",
  selectAMapping: "Ein Mapping auswählen",
  inspectorHint:
    "Hier lassen sich Auslöser und Aktion bearbeiten und Konflikte sehen. Ein Doppelklick auf " +
    "ein Mapping nimmt seine Tasten neu auf.",
  newMapping: "Neues Mapping",
  edit: "Bearbeiten",
  changeAction: "Aktion ändern",
  onOrOff: "Ein oder aus",
  moveUpDown: "Nach oben, unten",
  selectMore: "Mehr auswählen",
  findByTouching: "Durch Berühren finden",

  // LeaveDialog.svelte
  saveThisMapping: "Dieses Mapping speichern?",
  discardThisMapping: "Die Änderungen verwerfen?",
  unsavedChanges: (mapping) => `Die Änderungen an ${mapping} sind noch nicht gespeichert.`,
  cannotSaveYet: (mapping) =>
    `${mapping} lässt sich noch nicht speichern: Einige Felder fehlen oder sind ungültig.`,
  discard: "Verwerfen",
  keepEditing: "Weiter bearbeiten",

  // ManyRows.svelte
  selectedCount: (count) => `${count} Mappings ausgewählt`,
  switchOff: "Ausschalten",
  switchOn: "Einschalten",
  duplicate: "Duplizieren",
  copy: "Kopieren",
  delete: "Löschen",
  moveToScope: "Verschieben nach",
  chooseModeOrProfile: "Modus oder Profil auswählen …",
  copyTo: "Kopieren nach",
  selectedMappings: "Ausgewählte Mappings",
  andMore: (count) => `und ${count} weitere`,

  // MappingsBar.svelte
  notConnectedDevice: (device) => `${device} (nicht verbunden)`,
  device: "Gerät",

  // OverlapNote.svelte
  thisMapping: "Dieses Mapping",
  wins: "gewinnt",
  loses: "unterliegt",
  switchOffOther: "Anderes Mapping ausschalten",
  deleteThis: "Dieses Mapping löschen",
  makeGesture: {
    hold: (ms) => `Auf Halten ändern, ${ms} ms`,
    double: () => "Auf Doppeltippen ändern",
  },

  // RowGroup.svelte
  globalNote: "in jedem Modus, nach dessen eigenen Mappings",
  profileNote: "solange seine App im Vordergrund ist, vor allen anderen",
  active: "Aktiv",
  shownOfTotal: (shown, total) => `${shown} von ${total}`,
  newMappingIn: (name) => `Neues Mapping in ${name}`,
  dropHere: "Hier ablegen",
  noMappingsYet: "Noch keine Mappings",

  // RowItem.svelte
  onRelease: "beim Loslassen",
  enabledLabel: (mapping) => `${mapping} eingeschaltet`,

  // RowList.svelte
  mappings: "Mappings",

  // RowsPane.svelte
  couldNotLoadMappings: "Die Mappings konnten nicht geladen werden",
  loadingTheMappings: "Mappings werden geladen",
  fileNotUsed: (line, message) =>
    "Die Konfigurationsdatei hat einen Fehler und wird nicht verwendet: " +
    `${line ? `Zeile ${line}: ` : ""}${message}`,
  mapYourFirstControl: "Das erste Bedienelement zuweisen",
  intro:
    "Ein Mapping verbindet ein Bedienelement mit einer Aktion. Ein Pad, einen Drehregler oder " +
    "Knopf berühren, dann die Aktion wählen.",
  noMappingFor: (control) => `Kein Mapping für ${control}`,
  noMatchingMappings: "Keine passenden Mappings",
  noMappingForHint: "Kein Modus und kein Profil verwendet dieses Bedienelement.",
  noMatchingMappingsHint: "Eine andere Suche versuchen oder alle Geräte anzeigen.",
  showAll: "Alle anzeigen",
  mapIt: "Zuweisen",

  // TouchControl.svelte
  in: "in",
  cancelNewMapping: "Neues Mapping abbrechen",
  anotherControl: "Anderes Bedienelement",
  keepControl: "Das Bedienelement behalten",
  oneCandidateTitle: "Ist dieser Auslöser gemeint?",
  severalCandidatesTitle: "Welcher Auslöser ist gemeint?",
  touchAControl: "Ein Bedienelement berühren",
  startingToListen: "Gleich bereit …",
  noInput: "Keine Eingabe",
  touchHint: (isSilent) =>
    "Drücken, halten, doppelt antippen oder drehen." +
    (isSilent ? "" : " Bestehende Mappings bleiben aktiv."),
  heardHint: (input, listening) =>
    `Eingabetaste verwendet es${listening ? ", oder noch einmal spielen" : ""}.` +
    (input ? ` Letzte Eingabe: ${input}` : ""),
  heardIsShownHere: "Das gespielte Bedienelement erscheint hier.",
  noInputHint: "Erneut versuchen oder den Auslöser selbst wählen.",
  listenAgain: "Erneut zuhören",
  chooseManually: "Selbst wählen",

  // FindByTouchButton.svelte
  touchControlNow: "Bedienelement berühren …",
  touchControlOrKeyNow: "Berühren oder Taste drücken …",
  findByTouchingControl: "Durch Berühren eines Bedienelements finden",
  findByTouchingControlKey: "Durch Berühren eines Bedienelements finden (T)",

  // changes.ts
  oneMapping: "1 Mapping",
  mappingCount: (count) => `${count} Mappings`,

  // rows.ts
  controlOnDevice: (control, device) => `${control} an ${device}`,

  // devices.ts
  notConnected: "Nicht verbunden",

  // editor.controller.svelte.ts
  aMapping: "ein Mapping",
  mapped: (name) => `${name} zugewiesen`,
  changed: (name) => `${name} geändert`,
  changedInto: (before, after) => `${before} geändert in ${after}`,
  configChangedMeanwhile: "Die Konfiguration hat sich inzwischen geändert",
  saveOnTopQuestion:
    "Dieses Mapping ist noch dasselbe. Die Änderung in der neuen Konfiguration speichern?",

  // mappings.controller.svelte.ts

  // menu.ts
  newMappingHere: "Neues Mapping hier",
  cut: "Ausschneiden",
  paste: "Einfügen",
  moveToNamedScope: (scope) => `Verschieben nach ${scope}`,

  // row-commands.svelte.ts
  deleted: (mapping) => `${mapping} gelöscht`,
  switched: (mapping, enabled) => `${mapping} ${enabled ? "eingeschaltet" : "ausgeschaltet"}`,
  duplicated: (mapping) => `${mapping} dupliziert`,
  clipboardFilled: (cut, mappings) =>
    `${mappings} ${cut ? "ausgeschnitten" : "kopiert"}. An der gewünschten Stelle einfügen.`,
  copiedTo: (mapping, scope) => `${mapping} nach ${scope} kopiert`,
  movedTo: (mapping, scope) => `${mapping} nach ${scope} verschoben`,
  reordered: (mapping) => `${mapping} verschoben`,
  changedMeanwhile:
    "Die Konfiguration hat sich inzwischen geändert. Prüfen, dann erneut versuchen.",

  // MappingsView.svelte
  summary: (count, modes, profiles) =>
    `${count} in ${modes === 1 ? "einem Modus" : `${modes} Modi`}` +
    (profiles ? ` und ${profiles === 1 ? "einem Profil" : `${profiles} Profilen`}` : ""),
  searchMappings: "Mappings suchen",
  widthDevices: "Breite der Geräteliste",
  widthInspector: "Breite des Inspektors",
};
