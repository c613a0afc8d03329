/** German texts of `shell`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // App.svelte
  skipToContent: "Zum Inhalt springen",

  // Capturing.svelte
  capturing: (names) => `MIDI Learn: Eingaben werden erfasst für ${names}`,
  capturingTip: (names) => `MIDI Learn ist aktiv: ${names} kann lesen, was gespielt wird`,
  stopCapturing: (name) => `Erfassung beenden: ${name}`,
  showConversation: "Unterhaltung anzeigen",

  // Confirm.svelte
  cancel: "Abbrechen",

  // ConnectionBanner.svelte
  pageCannotConnect: "Diese Seite kann sich nicht mehr verbinden.",
  demoEnded: "Die Demo ist beendet.",
  demoNext: "Ihr eigenes Conductor startet mit",
  pageExpired:
    "Ihre Adresse wurde bereits verwendet oder Conductor wurde neu gestartet. Das Fenster aus " +
    "Conductor neu öffnen oder ausführen:",
  connectionLost: "Die Verbindung zu Conductor ist unterbrochen.",
  mappingsKeepWorking: "Wenn Conductor noch läuft, funktionieren die Mappings weiter.",
  connecting: "Verbindung mit Conductor wird hergestellt …",
  tryNow: "Jetzt versuchen",
  tryAgain: "Erneut versuchen",

  // EngineDot.svelte
  notConnected: "Nicht verbunden",
  notConnectedTip: "Die Seite ist nicht mit Conductor verbunden",
  stopped: "Gestoppt",
  stoppedTip: "Die Engine läuft nicht. Sie startet automatisch neu oder über dieses Menü",
  paused: "Angehalten",
  pausedTip: "Bedienelemente werden angezeigt, lösen aber nichts aus",
  running: "Aktiv",
  runningTip: "Die Mappings sind aktiv",
  restartEngine: "Engine neu starten",
  engineState: (state) => `Engine: ${state}`,

  // Overlay.svelte, Overlays.svelte
  overlayNotLoaded: (title) =>
    `${title} konnte nicht geladen werden: Die Dateien dieser Seite wurden nicht gefunden. ` +
    "Conductor wurde möglicherweise aktualisiert oder beendet. Die Seite neu laden.",
  questionForYou: "Eine Rückfrage",

  // Palette.svelte
  searchAndCommands: "Suche und Befehle",
  searchLabel: "Ansichten, Modi, Mappings und Befehle suchen",
  searchPlaceholder: "Ansichten, Modi, Mappings, Befehle suchen",
  results: "Ergebnisse",
  askElsewhere: "Weiter suchen",
  searchKnowledgeFor: (query) => `Im Wissen nach „${query}“ suchen`,
  askAssistantFor: (query) => `Den Assistenten fragen: „${query}“`,

  // Rail.svelte
  pendingCount: (count) => `${count} offen`,
  problemCount: (count) => `${count} mit einem Problem`,
  views: "Ansichten",

  // Shortcuts.svelte
  everywhere: "Überall",
  askAssistant: "Assistenten fragen",
  searchThisView: "In dieser Ansicht suchen",
  showShortcuts: "Tastenkürzel anzeigen",
  undoLastChange: "Letzte Änderung rückgängig machen",
  redo: "Wiederholen",
  closeOrCancel: "Schließen oder abbrechen",
  inLists: "In Listen",
  inMappings: "In Mappings",
  newMapping: "Neues Mapping",
  findByTouching: "Durch Berühren finden",
  changeAction: "Aktion ändern",
  onOrOff: "Ein oder aus",
  moveUp: "Nach oben",
  moveDown: "Nach unten",
  saveMapping: "Mapping speichern",
  previous: "Vorheriger Eintrag",
  next: "Nächster Eintrag",
  open: "Öffnen",
  deleteWithUndo: "Löschen (lässt sich rückgängig machen)",
  first: "Erster Eintrag",
  last: "Letzter Eintrag",
  goTo: "Gehe zu",
  keyboardShortcuts: "Tastenkürzel",

  // TopBar.svelte
  modeMenu: (mode) => `Modus: ${mode}. Modus wechseln`,
  noMode: "Kein Modus",
  profileActive: (profile, front) =>
    `Das Profil ${profile} ist aktiv, für ${front || "die App im Vordergrund"}`,
  foreground: (app) => `App im Vordergrund: ${app}`,
  profile: "Profil",
  demoTip: "Demo: Außerhalb von Conductor wird nichts geändert",
  demo: "Demo",
  searchOrRunCommand: "Suchen oder Befehl ausführen …",
  resumeMappings: "Mappings fortsetzen",
  pauseMappings: "Mappings anhalten",
  resumeTip: "Fortsetzen: Die Mappings werden wieder aktiv",
  openingMicrophone: "Mikrofon wird geöffnet",
  listening: "Hört zu",
  recognizing: "Erkennt",
  pauseTip: "Anhalten: Bedienelemente werden angezeigt, lösen aber nichts aus",
  panic: "Panik",
  panicTip: (keys) => `Alle Tasten und Noten loslassen (${keys})`,

  // ViewHost.svelte
  viewCrashed: (view) => `${view}: Die Ansicht funktioniert nicht mehr`,
  viewNotLoaded: (view) => `${view} konnte nicht geladen werden`,
  filesNotFound:
    "Die Dateien dieser Seite wurden nicht gefunden. Conductor wurde möglicherweise " +
    "aktualisiert oder beendet. Die Seite neu laden.",
  reload: "Neu laden",
  doesNotRespond: "Conductor antwortet nicht. Conductor starten, dann die Seite neu laden.",

  // ViewSkeleton.svelte
  loadingView: (view) => `${view} wird geladen …`,

  // commands.ts
  switchMode: "Modus wechseln",
  activeMode: "Aktiver Modus",
  mappingCount: (count) => `${count} ${count === 1 ? "Mapping" : "Mappings"}`,
  commands: "Befehle",
  recent: "Zuletzt verwendet",
  settings: "Einstellungen",
  settingsGeneral: "Einstellungen: Fenster, Sprache und Start",
  settingsInput: "Einstellungen: Ein- und Ausgabe",
  settingsConfigFile: "Einstellungen: Konfigurationsdatei",
  settingsAgents: "Einstellungen: Agenten über MCP",
  settingsA2a: "Einstellungen: Agenten über A2A",
  settingsRemote: "Einstellungen: Agenten auf anderen Computern",
  settingsVoice: "Einstellungen: Spracheingabe und Mikrofon",
  settingsProviders: "Einstellungen: Anbieter von Modellen",
  settingsTools: "Einstellungen: Assistent-Tools",
  settingsServers: "Einstellungen: MCP-Server",
  settingsKnowledge: "Einstellungen: Wissensquellen",
  settingsManuals: "Einstellungen: eigene Anleitungen",
  settingsSkills: "Einstellungen: Skills",
  newMappingOf: (kind) => `Neues Mapping: ${kind}`,
  mapControl: (control) => `${control} belegen`,
  newMode: "Neuer Modus",
  newProfile: "Neues Profil",
  backUp: "Konfiguration sichern",
  newChat: "Neuer Chat",
  cheatSheet: "Spickzettel für diesen Modus",
  firstSteps: "Erste Schritte",
  panicCommand: "Panik: alle Tasten und Noten loslassen",
  scanForDevices: "Geräte suchen",
  scanningForDevices: "Geräte werden gesucht.",
  themeDark: "Erscheinungsbild: dunkel",
  themeLight: "Erscheinungsbild: hell",
  themeSystem: "Erscheinungsbild: System",
  languageSystem: "Sprache: System",
  languageOf: (name) => `Sprache: ${name}`,
  mappings: "Mappings",
  profiles: "Profile",
  pendingPlans: "Offene Pläne",
};
