/** German texts of `features/learn`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // LearnPanel.svelte
  oneCandidateTitle: "Ist dieser Auslöser gemeint?",
  severalCandidatesTitle: "Welcher Auslöser ist gemeint?",
  noMatchYet: "Noch kein Treffer",
  touchAControl: "Ein Bedienelement berühren",
  heardIsShownHere: "Das gespielte Bedienelement erscheint hier und ist gleich verwendbar.",
  startingToListen: "Gleich bereit …",
  stopped: "Angehalten",
  engineStoppedHint:
    "Die Engine läuft nicht, daher gibt es keine Eingaben. Starten über den Punkt in der oberen " +
    "Leiste.",
  pausedHint: "Die Bedienelemente sind angehalten, Lernen empfängt ihre Eingaben trotzdem.",
  noInputHint: (device) =>
    `Keine Eingabe? Prüfen, dass ${device} nicht stumm ist oder von einem anderen Programm ` +
    "verwendet wird, oder den virtuellen Controller spielen.",
  theDevice: "das Gerät",
  noDeviceHint:
    "Kein Gerät ist verbunden. Den virtuellen Controller mit der Maus spielen, oder mit den " +
    "darauf stehenden Tasten.",
  lastInput: (input) => `Letzte Eingabe: ${input}`,
  timeIsUp: "Die Zeit ist um",
  listenToGoOn: "Zuhören drücken, dann spielen.",
  secondsLeft: "Verbleibende Sekunden",
  seconds: (seconds) => `${seconds} s`,
  listen: "Zuhören",
  gesture: "Geste",
  ignored: (count) => `${count} Druck-Nachrichten ignoriert.`,
  playAgainHint:
    "Eine Möglichkeit auswählen, oder ein anderes Bedienelement oder eine andere Geste spielen.",
  mappingsStayActive: "Bestehende Mappings bleiben aktiv.",
  useVirtualController: "Stattdessen den virtuellen Controller verwenden",

  // MapPanel.svelte
  save: "Speichern",
  allModes: "Alle Modi",
  inMode: (mode) => `In ${mode}`,
  newMapping: "Neues Mapping",
  cancel: "Abbrechen",
  toggleTrigger: (open) => `Auslöser ${open ? "ausblenden" : "ändern"}`,
  when: "Wenn",
  activeIn: "Aktiv in",
  checking: "Prüfung läuft",
  fixMarkedFields: "Die markierten Felder korrigieren.",
  fillIn: (fields) => `Noch ausfüllen: ${fields}`,
  noConflicts: "Keine Konflikte.",
  do: "Aktion",
  allActions: "Alle Aktionen",

  // ConnectDevice.svelte
  whichControllerDoYouUse: "Welcher Controller wird verwendet?",
  intro:
    "Mit Conductor drücken Pads, Drehregler und Knöpfe Tasten, starten Apps, stellen die " +
    "Lautstärke ein und senden MIDI.",
  connectedDevices: "Verbundene Geräte",
  receivingInput: "Eingabe wird empfangen",
  connected: "Verbunden",
  notConnected: "Nicht verbunden",
  builtInHint: "Eingebaut, immer verfügbar",
  virtualControllerHint: "Eingebaut. Kein Gerät ist verbunden, aber damit geht es auch",
  scanAgain: "Erneut suchen",
  nextPressSomething: "Weiter: etwas drücken",
  playToContinue: "Oder zum Fortfahren ein Bedienelement drücken.",

  // Steps.svelte
  steps: "Schritte",
  done: "erledigt",

  // TryIt.svelte
  itWorks: "Es funktioniert",
  theActionFailed: "Die Aktion ist fehlgeschlagen",
  nowTryIt: "Jetzt ausprobieren",
  itWorksHint:
    "Das erste Mapping ist aktiv. Es funktioniert, solange Conductor läuft, auch wenn dieses " +
    "Fenster geschlossen ist.",
  actionFailedHint: (reason) =>
    `${reason ? `Grund: ${reason}. ` : ""}Das Mapping ist gespeichert und funktioniert, ` +
    "sobald das behoben ist.",
  changeTheAction: "Aktion ändern",
  tryItHint: "Das Bedienelement noch einmal verwenden und auf das Licht achten.",
  mapAnotherControl: "Weiteres Bedienelement zuweisen",
  showMyController: "Controller anzeigen",

  // gestures.ts
  anything: "Alles",
  anythingHint:
    "Das Bedienelement, das zugewiesen werden soll, drücken, halten, doppelt antippen, drehen " +
    "oder bewegen.",
  tap: "Tippen",
  tapHint: "Ein Pad, eine Taste oder einen Knopf einmal drücken.",
  hold: "Halten",
  holdHint: "Ein Pad oder einen Knopf drücken und eine Sekunde lang halten.",
  doubleTap: "Doppeltippen",
  doubleTapHint: "Dasselbe Pad oder denselben Knopf zweimal schnell drücken.",
  chord: "Akkord",
  chordHint: "Zwei oder mehr zusammen drücken.",
  turnOrMove: "Drehen oder bewegen",
  turnHint:
    "Einen Drehregler in beide Richtungen drehen oder einen Fader, ein Rad oder einen Stick " +
    "bewegen.",
  softAndHard: "Leise und kräftig",
  softAndHardHint: "Dasselbe Pad erst leise, dann kräftig anschlagen.",
  holdToSet: "bisher nur angetippt; halten, um die Dauer festzulegen",
  tapTwiceToSet: "bisher nur angetippt; zweimal tippen, um das Tempo festzulegen",

  // quick-mapping.svelte.ts
  mapped: (trigger) => `${trigger} zugewiesen`,
  aControl: "ein Bedienelement",
  changedMeanwhile:
    "Die Konfiguration hat sich inzwischen geändert. Erneut speichern, um dieses Mapping " +
    "hinzuzufügen.",

  // LearnView.svelte
  learn: "Lernen",
  note: "Ein Bedienelement berühren, dann die Aktion wählen",
  chooseAnotherControl: "Anderes Bedienelement wählen",
};
