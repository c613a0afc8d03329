/** German texts of `features/servers`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // AddServer.svelte
  command: "Befehl",
  address: "Adresse",
  pasteJson: "JSON einfügen",
  aServer: "Ein Server",
  servers: (count) => `${count} Server`,
  addMcpServer: "MCP-Server hinzufügen",
  addHint:
    "Noch wird nichts ausgeführt. Was genau ausgeführt würde, wird zuerst gezeigt und muss " +
    "erlaubt werden.",
  howToAdd: "Art des Hinzufügens",
  jsonFromDocumentation: "JSON aus der Dokumentation des Servers",
  jsonHelp:
    "Das übliche Format `mcpServers` von Claude Desktop, Cursor oder VS Code. Es kann mehrere " +
    "Server enthalten.",
  json: "JSON",
  headersOptional: "Header (optional)",
  headersHelp: "Einer pro Zeile, z. B. `Authorization: Bearer …`.",
  headers: "Header",
  commandWithArguments: "Befehl mit seinen Argumenten",
  commandHelp:
    "Wie in einem Terminal, aber ohne Shell: `|`, `>` und `$NAME` haben keine besondere Bedeutung.",
  variablesOptional: "Variablen (optional)",
  variablesHelp: "Eine pro Zeile, z. B. `API_KEY=…`.",
  variables: "Variablen",
  name: "Name",
  nameHelp: "Sein Name hier und in `mcp.json`.",
  cancel: "Abbrechen",
  add: "Hinzufügen",

  fromList: "Aus der Liste",
  addKnown: (title) => `${title} hinzufügen`,
  backToList: "Zurück zur Liste",
  loadingKnownServers: "Liste wird geladen",

  // KnownServerForm.svelte
  programMissing: (program) =>
    `Dieser Server läuft mit \`${program}\`, das auf diesem Computer nicht gefunden wurde. ` +
    "Es muss installiert und Conductor danach neu gestartet werden.",
  howToInstall: "So wird es installiert",
  before: "Vorher:",
  signInAfterwards:
    "Conductor verbindet sich mit diesem Dienst im Internet. Die Anmeldung folgt danach im " +
    "Browser.",
  optional: (label) => `${label} (optional)`,
  secretHelp:
    "Kommt in den Schlüsselbund; gibt es keinen, in `mcp.json`, das nur der Benutzer lesen kann.",

  // KnownServers.svelte
  searchServers: "Server suchen",
  groups: {
    computer: "Dieser Computer",
    studio: "Studio und Bühne",
    home: "Zuhause",
    work: "Arbeit",
  },
  secret: "Geheimnis",
  file: "Datei",
  signInNeed: "Anmeldung",
  noKnownServer:
    "Kein Server der Liste passt. Jeder andere lässt sich mit Befehl, Adresse oder JSON " +
    "hinzufügen.",

  // ChangedTool.svelte
  staysOff: (isNew) =>
    "Der Server hat nach der Erlaubnis " +
    `${isNew ? "dieses Tool hinzugefügt" : "die Beschreibung dieses Tools geändert"}. Es bleibt ` +
    "aus, bis es geprüft ist.",
  changedDuringReview: "Es hat sich während der Prüfung noch einmal geändert.",
  changes: "Änderungen",
  showCurrentVersion: "Aktuelle Version anzeigen",
  acceptTool: "Tool annehmen",
  acceptChange: "Änderung annehmen",

  // CommandView.svelte
  whatWillRun: "Was ausgeführt wird",
  foundAt: "gefunden unter",
  arguments: "Argumente",
  none: "keine",
  folder: "Ordner",
  yourHomeFolder: "der Home-Ordner",

  // ConsentDialog.svelte
  runQuestion: (server) => `„${server}“ auf diesem Computer ausführen?`,
  connectQuestion: (server) => `Mit „${server}“ verbinden?`,
  runWarning:
    "Dieses Programm läuft mit den Rechten des Benutzers: Es kann alles, was Sie können. Nur " +
    "Programme ausführen, denen Sie vertrauen.",
  connectWarning: "Conductor sendet die Aufrufe des Assistenten an diese Adresse.",
  consentHint: (local) =>
    `${local ? "Es läuft ohne Shell und mit wenigen Umgebungsvariablen. " : ""}Wenn sich davon ` +
    "etwas ändert, fragt Conductor erneut. Der Assistent fragt, bevor er eines seiner Tools " +
    "aufruft. Ein Bedienelement, dem ein Tool zugewiesen ist, ruft es sofort auf.",
  changedMeanwhile: (server) =>
    `„${server}“ hat sich geändert, seit dieser Dialog geöffnet wurde. Ausgeführt würde etwas ` +
    "anderes als hier zu sehen ist.",
  gone: (server) => `„${server}“ wurde entfernt.`,
  notNow: "Nicht jetzt",
  allow: "Erlauben",
  connect: "Verbinden",

  // EditServer.svelte
  oneServerAtATime: "Einen Server nach dem anderen ändern.",
  editServer: (server) => `${server} bearbeiten`,
  editHint: "Betrifft die Änderung, was ausgeführt wird, muss es erneut erlaubt werden.",
  configuration: "Konfiguration",
  entryHelp:
    "Eine Variable oder ein Header mit dem Wert `null` behält den aktuellen Wert, der nie " +
    "gezeigt wird. Andere Felder neu eingeben, z. B. `timeout`.",
  save: "Speichern",

  // ImportServers.svelte
  importServers: "Server importieren",
  importHint:
    "Die MCP-Server anderer Programme auf diesem Computer. Jeder muss erlaubt werden, bevor er " +
    "hier läuft.",
  warnings: "Warnungen",
  lookingForOtherPrograms: "Andere Programme werden gesucht",
  noServersFound: "Keine Server gefunden",
  noneFound:
    "Conductor hat in Claude Desktop, Claude Code, Cursor, VS Code und anderen gesucht. Ein " +
    "Server lässt sich auch selbst hinzufügen.",
  alreadyAdded: "schon hinzugefügt",
  replacesYours: "ersetzt den eigenen",
  noServers: "Keine Server.",
  done: "Fertig",
  importCount: (count) => `${count} importieren`,
  import: "Importieren",

  // ServerCard.svelte
  removeText:
    "Der Server wird gestoppt und aus mcp.json entfernt. Die Antworten zu seinen Tools werden " +
    "gelöscht, und Bedienelemente, die ihn aufrufen, funktionieren nicht mehr.",
  removeQuestion: (server) => `${server} entfernen?`,
  remove: "Entfernen",
  oneToolToReview: "1 Tool zu prüfen",
  toolsToReview: (count) => `${count} Tools zu prüfen`,
  review: "Prüfen …",
  signIn: "Anmelden …",
  useServer: (server) => `${server} verwenden`,
  waitingForSignIn: "Wartet auf die Anmeldung im Browser.",
  needsMorePermissions:
    "Der Server hat einen Aufruf abgelehnt, weil er mehr Berechtigungen braucht.",
  waitingForAnswer:
    "Wartet auf die Antwort des Servers. Muss er erst heruntergeladen werden, kann das eine " +
    "Minute dauern; siehe Protokoll.",
  detailsOf: (server) => `Details von ${server}`,
  tools: (count) => `Tools${count ? ` (${count})` : ""}`,
  log: "Protokoll",
  stop: "Stoppen",
  restart: "Neu starten",
  start: "Starten",
  signOut: "Abmelden",
  test: "Testen",
  editButton: "Bearbeiten …",
  removeButton: "Entfernen …",
  thisServerHasNoTools: "Dieser Server hat keine Tools.",
  toolsWhenRunning: "Seine Tools erscheinen, wenn er läuft.",

  // ServerLog.svelte
  emptyLog: "Noch kein Protokoll. Die Fehlerausgabe des Servers erscheint hier.",
  outputNewestLast: "Ausgabe, neueste zuletzt",
  reloadTheLog: "Protokoll neu laden",
  loadingTheLog: "Protokoll wird geladen",
  logOf: (server) => `Protokoll von ${server}`,

  // ServerTools.svelte
  toolsOf: (server) => `Tools von ${server}`,
  changed: "geändert",
  new: "neu",
  showsAppHint: "Es kann im Chat ein kleines Fenster zeigen.",
  showsAnApp: "zeigt eine App",
  useTool: (tool) => `${tool} verwenden`,
  asksFirst: " fragt, bevor es etwas tut.",
  parametersOf: (tool) => `Parameter von ${tool}`,

  // ServersPage.svelte
  couldNotLoadMcpServers: "Die MCP-Server konnten nicht geladen werden",
  loadingMcpServers: "MCP-Server werden geladen",
  mcpServers: "MCP-Server",
  importButton: "Importieren …",
  addServer: "Server hinzufügen",
  intro:
    "MCP-Server geben dem Assistenten und den Bedienelementen die Tools anderer Programme: OBS, " +
    "Home Assistant, Dateien, ein Kalender. Jeder läuft erst, nachdem gezeigt wurde, was er " +
    "ausführt.",
  integrationsOff:
    "Der Assistent kann sie noch nicht aufrufen: Integrationen sind unter Assistent-Tools aus. " +
    "Zugewiesene Bedienelemente können es.",
  switchOn: "Einschalten",
  noMcpServers: "Keine MCP-Server",
  noServersHint:
    "„Server hinzufügen“ enthält eine Liste, etwa mit OBS, Home Assistant, GitHub und Notion; " +
    "für jeden anderen lässt sich das JSON aus seiner Dokumentation einfügen. Haben Claude " +
    "Desktop, Cursor oder VS Code schon Server, lassen sie sich importieren.",
  savedIn: "Gespeichert in",
  fileFormat: ", im Format, das auch andere Programme verwenden.",
  learnMore: "Mehr erfahren",

  // SignInDialog.svelte
  signInTo: (server) => `Bei „${server}“ anmelden`,
  signInHint:
    "Die Anmeldung geschieht im Browser, an der Adresse unten. Conductor sieht das Passwort " +
    "nie. Es speichert das Zugriffstoken dort, wo die Schlüssel gespeichert sind.",
  thisOpens: "Dies öffnet",
  signInWarning: ". Nur fortfahren, wenn diese Website bekannt ist und zum Server gehört.",
  waitingMinutes: (minutes) =>
    `Wartet auf die Anmeldung. Dieser Dialog schließt sich nach ${minutes} Minuten.`,
  openAgain: "Erneut öffnen",
  openInBrowser: "Im Browser öffnen",

  // entry.ts
  mustBeJsonObject: "Es muss ein Objekt sein: { … }.",
  badJson: (why) => `Ungültiges JSON: ${why}`,
  entryMustBeObject: (name) => `\`${name}\` muss ein Objekt mit \`command\` oder \`url\` sein.`,
  hasNeither: (name) => `\`${name}\` hat weder \`command\` noch \`url\`.`,
  containsNoServer: "Es enthält keinen Server.",
  needsValue: (line, example) => `\`${line}\` braucht einen Namen und einen Wert: \`${example}\`.`,

  // servers.controller.svelte.ts
  removed: (name) => `${name} entfernt`,
  imported: (name) => `${name} importiert`,
  importedCount: (count) => `${count} Server importiert`,
  accepted: (name) => `${name} angenommen`,

  // words.ts
  toolCount: (count) => (count === 1 ? "1 Tool" : `${count} Tools`),
  resourceCount: (count) => (count === 1 ? "1 Ressource" : `${count} Ressourcen`),
  promptCount: (count) => (count === 1 ? "1 Prompt" : `${count} Prompts`),
  off: "Aus",
  waitingForApproval: "Wartet auf Erlaubnis",
  starting: "Startet",
  ready: "Bereit",
  failed: "Fehlgeschlagen",
  stopped: "Gestoppt",
  signInNeeded: "Anmeldung nötig",
};
