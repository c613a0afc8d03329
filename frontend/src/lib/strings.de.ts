/** German texts of `lib`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // amounts.ts
  unknown: "unbekannt",
  belowMinimumPrice: "unter 0,001 $",

  // files.ts
  bytes: (count) => `${count} Byte`,
  saved: (path) => `Gespeichert: ${path}`,

  // knowledge.ts
  midi: "MIDI",
  aboutMidi: "Nachrichten, Controllernummern, NRPN, SysEx, MIDI 2.0",
  osc: "OSC",
  aboutOsc: "Open Sound Control und wie Programme es verwenden",
  artNet: "Art-Net",
  aboutArtNet: "Art-Net, DMX und Licht",
  hid: "HID",
  aboutHid: "Gamepads, Tastaturen und andere USB-Geräte",
  platforms: "Plattformen",
  aboutPlatforms: "Tasten und Automation unter macOS, Windows und Linux",
  devices: "Geräte",
  aboutDevices: "Was Controller senden und wie sie leuchten",
  conductor: "Conductor",
  aboutConductor: "Wie Conductor selbst funktioniert",
  manuals: "Anleitungen",
  aboutManuals: "Selbst hinzugefügte Anleitungen",
  windows: "Windows",
  linux: "Linux",
  allSystems: "alle Systeme",
  indexNotBuilt: "Index nicht erstellt",
  indexSummary: (chunks, domains) => `${chunks} Abschnitte aus ${domains} Bereichen im Index`,
  midiSourceGroup: "MIDI-Spezifikation",
  oscSourceGroup: "OSC-Spezifikation",
  artNetSourceGroup: "ArtNet-Spezifikation",
  hidSourceGroup: "HID-Tabellen",
  platformSourceGroup: "Plattform",
  deviceSourceGroup: "Geräteprofile",
  conductorSourceGroup: "Conductor-Handbuch",
  manualSourceGroup: "Eigene Anleitungen",

  // app.svelte.ts
  allReleased:
    "Gehaltene Tasten losgelassen, die verwendeten MIDI-Ausgänge stummgeschaltet und alle " +
    "Abläufe gestoppt.",
  restartingEngine: "Die Engine wird neu gestartet.",
  edit: "Bearbeiten",
  actionFailed: (action, reason) => `${action} fehlgeschlagen: ${reason}`,
  actionsFailed: (count, reason) => `${count} Aktionen fehlgeschlagen: ${reason}`,
  openLinkQuestion: "Diesen Link im Browser öffnen?",
  open: "Öffnen",

  // approvals.svelte.ts
  approvalTimedOut: (title) => `Abgelehnt, weil niemand rechtzeitig geantwortet hat: ${title}`,

  // remote.svelte.ts
  asksForAccess: (client, source) =>
    `${client} auf einem anderen Computer (${source}) bittet um Zugriff`,
  accessGranted: (client) => `${client} hat jetzt Zugriff`,
  accessExpired: (client) => `${client} hat keinen Zugriff: keine Antwort innerhalb der Frist`,

  // remote.ts
  scopeLook: "Konfiguration, Geräte und Ereignisse lesen und simulieren",
  scopeOperate: "Modi wechseln, Geräte stummschalten und Bedienelemente lernen",
  scopePropose: "Änderungen vorschlagen, die hier freigegeben oder verworfen werden",
  scopeHardware: "MIDI an die Geräte senden",
  scopeSkills: "Die für Programme freigegebenen Assistent-Tools verwenden",
  scopeLookName: "Lesen",
  scopeOperateName: "bedienen",
  scopeProposeName: "Änderungen vorschlagen",
  scopeHardwareName: "MIDI senden",
  scopeSkillsName: "Assistent-Tools verwenden",

  // config.svelte.ts
  undo: "Rückgängig",
  redo: "Wiederholen",
  theme: (theme) =>
    `Erscheinungsbild: ${{ system: "System", dark: "dunkel", light: "hell" }[theme] ?? theme}`,
  languageChosen: (language) =>
    `Sprache: ${{ system: "System", en: "English", de: "Deutsch" }[language]}`,
  undone: "Rückgängig gemacht",
  redone: "Wiederholt",
  allModes: "Alle Modi",
  performedOnce: "Eine einmal ausgeführte Aktion",
  mappingOfMode: (number, mode) => `Mapping ${number} von Modus ${mode}`,
  mappingOfProfile: (number, profile) => `Mapping ${number} von Profil ${profile}`,
  mappingOfAllModes: (number) => `Mapping ${number} aller Modi`,

  // modes.svelte.ts
  blue: "Blau",
  green: "Grün",
  amber: "Bernstein",
  purple: "Violett",
  orange: "Orange",
  teal: "Petrol",
  pink: "Rosa",
  lime: "Limette",

  // describe.ts
  appInFrontUnknown: (reason) =>
    `Conductor kann die App im Vordergrund nicht erkennen: ${reason}. ` +
    "Bis dahin löst ein Mapping mit „App im Vordergrund“ für keine App aus.",

  // state.ts
  cannotUndo:
    "Rückgängig nicht möglich: Die Konfiguration hat sich seitdem geändert. " +
    "Im Verlauf lässt sich eine frühere Version wiederherstellen.",
  pageConfirmed: (page) => `Seite ${page} kann jetzt Änderungen vornehmen`,
  confirmPage: (page) => `Seite ${page} bestätigen`,
  assistantCouldNotAnswer: "Der Assistent konnte nicht antworten",
  assistantAsksWhetherToContinue: "Der Assistent fragt, ob er fortfahren soll",
  assistantHasAnswered: "Der Assistent hat geantwortet",
  heard: (text) => `Gehört: ${text}`,
  didSpoken: (name) => `Ausgeführt: ${name}`,
  show: "Anzeigen",
  theAssistant: "Der Assistent",
  yourCommand: "Ihr Befehl",
  theCommandLine: "Die Kommandozeile",
  anAgent: "Ein Agent",
  proposes: (requester, plan) => `${requester} schlägt vor: ${plan}`,
  plansOutOfDate: (count) => (count === 1 ? "1 Plan ist veraltet" : `${count} Pläne sind veraltet`),
  review: "Prüfen",
  switchedTo: (requester, mode) => `${requester} hat in den Modus ${mode} gewechselt`,
  switchBack: "Zurückwechseln",

  // pywebview.ts
  windowCouldNotReachConductor: "Das Fenster konnte Conductor nicht erreichen.",

  // transport.ts
  connectionLost:
    "Die Verbindung zu Conductor ist unterbrochen. Die letzte Änderung wurde möglicherweise " +
    "nicht gespeichert.",
};
