/** German texts of `features/settings`. */
import { formatNumber } from "$language/format";
import type { strings } from "./strings";

export const german: typeof strings = {
  // About.svelte
  version: (version) => `Conductor ${version}`,
  platform: (platform) => `unter ${platform}. Apache License 2.0.`,
  builtWith: (count) => `Mit ${count} Open-Source-Komponenten erstellt`,

  // AgentLines.svelte
  agentsIntro:
    "Agenten schlagen Änderungen vor, entschieden wird hier: Ihre Vorschläge erscheinen als " +
    "Pläne in diesem Fenster. Ohne zu fragen wechseln sie Modi, schalten Geräte stumm, nutzen " +
    "MIDI Learn und senden MIDI; alles davon steht unter Aktivität. Den Agenten wählen und den " +
    "Befehl einmal in einem Terminal ausführen.",
  yourAgent: "Der Agent",
  a2aIntro:
    "Agenten, die A2A sprechen, geben Conductor Aufgaben. Eine Änderung wartet als Plan in " +
    "diesem Fenster auf die Entscheidung.",
  a2aCard: "Agentenkarte",
  a2aCardLabel: "die Adresse der Agentenkarte",
  a2aToken: "Ort des Tokens",
  a2aTokenLabel: "den Ort des Tokens",
  commandFor: (name) => `Befehl für ${name}`,

  // Backup.svelte
  backup: "Sicherung",
  backupIntro:
    "Eine Sicherung ist eine Datei mit allen Mappings, Modi, Profilen, Einstellungen, " +
    "Geräteprofilen und der Aufteilung dieses Fensters. Sie enthält keine Schlüssel, Passwörter " +
    "oder Tokens.",
  saveBackup: "Sicherung speichern …",
  restoreBackup: "Sicherung wiederherstellen …",
  backupFile: "Sicherungsdatei",
  backupTooLarge: (name) =>
    `${name} ist zu groß für eine Sicherung. Bitte eine Datei wählen, die mit „Sicherung ` +
    `speichern“ entstanden ist.`,
  restoreBackupQuestion: "Diese Sicherung wiederherstellen?",
  backupOf: (at, version) =>
    `Erstellt am ${at} mit Conductor ${version}. Die jetzige Konfiguration bleibt im Verlauf.`,
  backupChangesNothing:
    "Alles in dieser Sicherung ist so wie jetzt. Es gibt nichts wiederherzustellen.",
  backupWarnings: "Bitte zuerst prüfen",
  backupConfig: "Änderungen der Konfiguration",
  backupOnlyComments: "Nur Kommentare oder die Formatierung ändern sich.",
  backupProfiles: "Geräteprofile",
  backupAddsProfile: (title) => `${title} kommt hinzu`,
  backupReplaces: (title) => `Das eigene Profil von ${title} wird ersetzt`,
  backupPrefs: (count) =>
    count === 1
      ? "1 Einstellung der Ansicht ändert sich, etwa die Breite einer Liste."
      : `${count} Einstellungen der Ansicht ändern sich, etwa die Breite einer Liste.`,
  cancel: "Abbrechen",
  restoreThisBackup: "Sicherung wiederherstellen",
  backupRestored: "Sicherung wiederhergestellt",

  // ConfigFile.svelte
  fileIntro:
    "Diese Datei enthält alle Einstellungen und Mappings. Sie lässt sich mit jedem Editor " +
    "bearbeiten: Conductor lädt sie beim Speichern und behält die vorherige Version.",
  pathConfigFile: "Pfad der Konfigurationsdatei",
  showFile: "Datei anzeigen",
  home: (home) => `Home-Ordner: ${home}`,
  theConfigFile: "Die Konfigurationsdatei",
  emptyFile: "Die Datei ist leer: Alles hat seinen Standardwert.",

  // CopyLine.svelte
  noClipboard:
    "Diese Seite kann die Zwischenablage nicht verwenden. Der Text ist markiert: mit der " +
    "Tastatur kopieren.",
  copyNamed: (label) => `Kopieren: ${label}`,
  copied: "Kopiert",
  copy: "Kopieren",

  // DesktopAccess.svelte
  keysAndMouse: "Tasten und Maus",
  appInFront: "App im Vordergrund",
  askNow: "Jetzt fragen",
  installExtension: "Installieren",
  removeExtension: "Erweiterung entfernen",
  extensionRemoved: "Erweiterung entfernt",

  // desktop.ts
  desktopIsAsking:
    "Der Desktop fragt, ob Conductor Tasten drücken darf. Im Dialog des Desktops erlauben.",
  noWayToPressKeys: "Conductor kann noch keine Tasten drücken.",
  keysAreSentBy: (route) => `Tasten werden gesendet über: ${route}.`,
  extensionIsActive:
    "Profile folgen der App im Vordergrund, durch die Erweiterung von Conductor für GNOME.",
  profilesCannotFollow: (problem) =>
    `Profile können der App im Vordergrund nicht folgen: ${problem}.`,

  // Recording.svelte
  clearQuestion: "Die Aufzeichnung löschen?",
  clearWarning:
    "Pläne lassen sich dann nicht mehr mit früheren Eingaben prüfen. Das lässt sich nicht " +
    "rückgängig machen.",
  clearRecording: "Aufzeichnung löschen",
  recordingCleared: "Aufzeichnung gelöscht",
  recording: "Aufzeichnung",

  // MicrophoneSelect.svelte
  defaultMicrophone: "Standard des Systems",
  microphoneNotConnected: (name) => `${name} (nicht angeschlossen)`,

  // RemoteAccess.svelte
  remoteAccess: "Zugriff von Agenten auf anderen Computern",
  remoteIntro:
    "Diese Adresse im Agenten eintragen. Er öffnet eine Seite mit einem Code im Browser, " +
    "entschieden wird hier.",
  address: "Adresse",
  theAddress: "die Adresse für Agenten",
  fingerprint: "Fingerabdruck",
  theFingerprint: "den Fingerabdruck des Zertifikats",
  certificate: "Zertifikat",
  theCertificate: "den Pfad des Zertifikats",
  selfMadeHint:
    "Dieses Zertifikat hat Conductor erstellt. Die Datei auf den anderen Computer " +
    "kopieren, damit " +
    "der Agent ihr vertraut, oder den Fingerabdruck (SHA-256) vergleichen, den der Browser zeigt.",
  asksFrom: "bittet um Zugriff, von",
  waiting: "Wartet",
  review: "Prüfen",
  agentsWithAccess: "Agenten mit Zugriff",
  noAgentHasAccess: "Kein Agent auf einem anderen Computer hat Zugriff.",
  accessDates: (since, used) =>
    `Seit ${since}, ${used ? `zuletzt verwendet ${used}` : "nie verwendet"}`,
  revokeQuestion: (client) => `${client} den Zugriff entziehen?`,
  revokeWarning: "Der Agent wird sofort getrennt. Er kann wieder um Zugriff bitten.",
  revokeAccess: "Entziehen",
  revokeAccessOf: (client) => `${client} den Zugriff entziehen`,
  accessRevoked: (client) => `${client} hat keinen Zugriff mehr`,

  // SettingControl.svelte
  notSet: "Nicht gesetzt",
  firstMode: "Der erste Modus",
  none: "Keine",
  all: "Alle",

  // ToolsPicker.svelte
  addTool: (list) => `${list}: Tool hinzufügen`,
  addAnotherTool: "Tool hinzufügen",
  addNamedTool: (name) => `${name} hinzufügen`,
  removeTool: (title) => `${title} entfernen`,

  // GroupSection.svelte
  rareSettings: (count, changed) =>
    `${count} weitere ${count === 1 ? "Einstellung" : "Einstellungen"}` +
    (changed ? `, ${changed} geändert` : ""),

  // SettingRow.svelte
  anEmptyList: "eine leere Liste",
  nothing: "nichts",
  on: "ein",
  off: "aus",
  notTheDefault: "Nicht der Standardwert",
  changedMark: ", geändert",
  reset: (setting) => `${setting} auf den Standardwert zurücksetzen`,
  resetTo: (value) => `Auf den Standardwert zurücksetzen: ${value}`,

  // recording.ts
  nothingRecordedYet: "Noch nichts aufgezeichnet.",
  onDisk: (size) => `${size} auf der Festplatte`,
  inMemoryOnly: "nur im Arbeitsspeicher",
  recorded: (played, entries, place) =>
    `Aufgezeichnet: ${played} Eingaben, ${formatNumber(entries)} ` +
    `${entries === 1 ? "Ereignis" : "Ereignisse"}, ${place}.`,

  // settings.ts
  window: "Fenster und Start",
  keysAndApps: "Tasten und Apps",
  midiOscGamepads: "MIDI, OSC, Gamepads",
  midiLearn: "Anlernen (MIDI Learn)",
  voice: "Spracheingabe",
  agentsMcp: "Agenten (MCP)",
  agentsA2a: "Agenten (A2A)",
  remoteAgents: "Agenten auf anderen Computern",

  // SettingsView.svelte
  general: "Allgemein",
  inputAndOutput: "Ein- und Ausgabe",
  assistant: "Assistent",
  connections: "Verbindungen",
  agents: "Agenten",
  providers: "Anbieter",
  assistantTools: "Assistent-Tools",
  mcpServers: "MCP-Server",
  knowledgeSources: "Wissensquellen",
  skills: "Skills",
  providersHint: "Modelle und API-Schlüssel für den Assistenten und ihre Kosten.",
  providersKeywords:
    "anbieter schlüssel modelle chat budget kosten ausweichen anthropic openai google openrouter " +
    "litellm ollama",
  assistantToolsHint:
    "Was der Assistent außer Mappings noch kann: rechnen, sich erinnern, Dateien lesen, im Web " +
    "suchen. Und was eine Erlaubnis braucht.",
  assistantToolsKeywords:
    "fähigkeiten tools rechner notizen aufgaben dateien ordner code web suche netzwerk erlaubnis " +
    "freigabe gemerkt immer nie",
  serversHint: "Tools anderer Programme für den Assistenten und die Bedienelemente.",
  serversKeywords:
    "mcp server plugins integrationen tools hinzufügen importieren obs home assistant mcp.json " +
    "erlaubnis protokoll",
  knowledgeHint:
    "Was der Assistent nachschlagen kann: der Index, seine Quellen, eigene Geräteprofile.",
  knowledgeKeywords:
    "wissen quellen index suche community hub gerät profil importieren aktualisieren midi osc " +
    "artnet hid anleitung anleitungen handbuch handbücher pdf",
  skillsHint:
    "Anweisungen, die der Assistent für bestimmte Aufgaben verwendet. Hier installieren und " +
    "entfernen.",
  skillsKeywords: "agent skills anweisungen installieren github archiv entfernen",
  fileKeywords: "konfiguration config datei pfad home",
  configFile: "Konfigurationsdatei",
  backupKeywords:
    "sicherung backup export import wiederherstellen speichern umzug anderer computer",
  aboutKeywords: "über version lizenz",
  about: "Über",
  resetDone: (setting) => `${setting}: auf den Standardwert zurückgesetzt`,
  changed: (setting) => `${setting} geändert`,
  settings: "Einstellungen",
  note: "Änderungen werden sofort gespeichert",
  settingsSections: "Abschnitte der Einstellungen",
  couldNotLoadSettings: "Die Einstellungen konnten nicht geladen werden",
  loadingTheSettings: "Einstellungen werden geladen",
  noMatchingSettings: "Keine passenden Einstellungen",
  noMatchingSettingsHint: "Eine andere Suche versuchen, z. B. Erscheinungsbild, Port oder Agent.",
  groupsOfSettings: "Gruppen von Einstellungen",
  open: "Öffnen",
};
