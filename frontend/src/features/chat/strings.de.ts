/** German texts of `features/chat`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // Announcer.svelte
  answerWithPlan: "Die Antwort ist vollständig. Ein Plan wartet auf Freigabe.",
  answering: "Antwort wird geschrieben.",
  stopped: "Angehalten.",
  asksToContinue: "Der Assistent fragt, ob er fortfahren soll.",
  answerComplete: "Die Antwort ist vollständig.",

  // AnswerMessage.svelte
  cachedTokens: (tokens) => ` (${tokens} aus dem Cache)`,
  usage: (input, cached, output, requests) =>
    `${input} Eingabe-Tokens${cached}, ${output} Ausgabe-Tokens, ` +
    (requests === 1 ? "1 Anfrage" : `${requests} Anfragen`),
  answer: "Antwort",
  compacted:
    "Die Nachrichten darüber wurden für das Modell zusammengefasst. Sie bleiben alle erhalten.",
  copied: "Kopiert",
  copyAnswer: "Antwort kopieren",
  tokens: (tokens) => `${tokens} Tokens`,

  // Attachment.svelte
  config: "Konfiguration",
  midiFile: "MIDI-Datei",
  text: "Text",
  image: "Bild",
  remove: (name) => `${name} entfernen`,

  // Branches.svelte
  versionOf: (at, count) => `Version ${at} von ${count}`,
  previousVersion: "Vorherige Version",
  nextVersion: "Nächste Version",

  // ComposerBox.svelte
  commands: "Befehle",
  mentions: "Erwähnungen",
  attachingTheFile: "Datei wird angehängt",
  noImages: (model) =>
    `${model ?? "Dieses Modell"} kann keine Bilder lesen. Ein anderes Modell wählen.`,
  startingToListen: "Gleich bereit …",
  touchControl: "Ein Bedienelement drücken, halten oder drehen.",
  cancel: "Abbrechen",
  message: "Nachricht",
  queuePlaceholder: "Die nächste Nachricht schreiben; sie wird nach dieser Antwort gesendet",
  placeholder:
    "Beschreiben, was ein Bedienelement tun soll. @ erwähnt ein Gerät oder einen Modus, / zeigt " +
    "Befehle",
  attachFile: "Konfiguration, MIDI-Datei oder Bild anhängen",
  holdToTalk: "Zum Sprechen halten",
  holdToTalkTip: "Beim Sprechen halten; Esc verwirft das Gesagte",
  mentionControl: "Bedienelement durch Berühren erwähnen",
  model: "Modell",
  queueMessage: "Nachricht einreihen",
  queueMessageEnter: "Nachricht einreihen (Eingabetaste)",
  stopImmediately: "Sofort anhalten",
  stop: "Anhalten",
  stopImmediatelyEsc: "Sofort anhalten (Esc)",
  stopEsc: "Anhalten (Esc)",
  send: "Senden",
  sendEnter: "Senden (Eingabetaste)",
  filesToAttach: "Anzuhängende Dateien",

  // FailureCard.svelte
  tryAgain: "Erneut versuchen",
  searchKnowledge: "Im Wissen suchen",
  openSettingsProviders: "Einstellungen > Anbieter öffnen",
  changeBudget: "Budget ändern",
  compactConversation: "Unterhaltung verdichten",
  answerWithAnotherModel: "Mit einem anderen Modell antworten",

  // History.svelte
  deleteThisConversation: "Diese Unterhaltung löschen?",
  deleteWarning: (name) =>
    `„${name}“ und alle Nachrichten darin werden gelöscht. Ihre Änderungen an der Konfiguration ` +
    "bleiben.",
  rename: "Umbenennen",
  exportAsMarkdown: "Als Markdown exportieren",
  exportAsJson: "Als JSON exportieren",
  delete: "Löschen",
  deleteButton: "Löschen …",
  newChat: "Neuer Chat",
  couldNotLoadConversations: "Die Unterhaltungen konnten nicht geladen werden",
  loadingTheConversations: "Unterhaltungen werden geladen",
  conversations: "Unterhaltungen",
  conversationTitle: "Titel der Unterhaltung",
  newConversation: "Neue Unterhaltung",
  answeringConversation: "Antwortet",
  moreFor: (title) => `Weitere Befehle für ${title}`,
  noMatches: "Keine Treffer. Eine andere Suche versuchen.",
  noConversationsYet: "Die Unterhaltungen erscheinen hier.",
  loadingOlderConversations: "Ältere Unterhaltungen werden geladen",
  showOlderConversations: "Ältere Unterhaltungen anzeigen",

  // MessageList.svelte
  conversation: "Unterhaltung",
  loadingOlderMessages: "Ältere Nachrichten werden geladen",
  showOlderMessages: "Ältere Nachrichten anzeigen",
  jumpToLatest: "Zur neuesten springen",

  // Meters.svelte
  conversationCost: (spent, budget) => `Diese Unterhaltung: ${spent}${budget && ` von ${budget}`}`,
  todayCost: (cost) => `Heute: ${cost}`,
  contextUsed: (percent) => `${percent} % des Kontextfensters verwendet`,
  context: "Kontext",
  contextWindow: (tokens) => `von ${tokens} Tokens des Kontextfensters verwendet.`,
  compactHint:
    "Verdichten schafft Platz: Ältere Nachrichten werden für das Modell zusammengefasst. Sie " +
    "bleiben alle erhalten.",
  compactLater:
    "Wenn das Fenster fast voll ist, werden ältere Nachrichten für das Modell zusammengefasst. " +
    "Sie bleiben alle erhalten.",
  compactNow: "Jetzt verdichten",

  // ModelSwitcher.svelte
  noModelSetUpYet: "Noch ist kein Modell eingerichtet.",
  findAModel: "Modell suchen",
  models: "Modelle",
  selectedModel: "ausgewählt",
  removeFromFavourites: "Aus den Favoriten entfernen (*)",
  addToFavourites: "Zu den Favoriten hinzufügen (*)",
  favourite: "Favorit",
  noModelMatches: (query) => `Kein Modell passt zu „${query}“.`,

  // PausedCard.svelte
  continueQuestion: "Fortfahren?",
  stepsUsed: "Die Antwort hat die Höchstzahl der Schritte erreicht.",
  continue: "Fortfahren",

  // PlanCard.svelte
  unnamedPlan: "Ein Plan",
  planTitle: (description) => `Plan: ${description}`,
  hideChanges: "Änderungen ausblenden",
  showChanges: "Änderungen anzeigen",
  planGone: "Dieser Plan wurde gelöscht. Bei Bedarf neu anfordern.",
  askAgain: "Neu anfordern",
  loadingThePlan: "Plan wird geladen",
  failsExamples: "Seine eigenen Beispiele schlagen fehl",
  allowOnce: "Einmal erlauben",
  applySome: (count, all) => `${count} von ${all} anwenden`,
  edit: "Bearbeiten",
  applyEdited: "Diese Änderungen verwenden",
  discard: "Verwerfen",
  undo: "Rückgängig",
  redo: "Wiederholen",
  exampleFails: "Ein Beispiel schlägt fehl, daher lässt sich der Plan nicht anwenden.",
  showInPlans: "In Pläne anzeigen",

  // Queue.svelte
  queuedMessages: "Eingereihte Nachrichten",
  removeMessageFromQueue: (text) => `Aus der Warteschlange entfernen: ${text}`,
  removeFromQueue: "Aus der Warteschlange entfernen",

  // Regenerate.svelte
  answerAgain: "Neu antworten",
  answerAgainWithAnotherModel: "Mit einem anderen Modell neu antworten",

  // RunLine.svelte
  thinking: "Denkt nach",
  writing: "Schreibt",
  usingConductor: "Verwendet Conductor",
  retrying: "Versucht es erneut",
  waiting: "Wartet",
  stopping: "Hält an",
  waitingForApproval: "Wartet auf Erlaubnis",
  starting: "Startet",
  step: (step, steps) => `Schritt ${step} von ${steps}`,
  escStops: (now) => `Esc hält${now ? " sofort" : ""} an`,

  // SourceMark.svelte
  source: (number, section) => `Quelle ${number}: ${section}`,

  // SourcePeek.svelte
  loading: "Wird geladen …",
  cannotShow: (error) => `Die Quelle konnte nicht angezeigt werden: ${error}`,
  relevances: { strong: "stark", fair: "mittel", weak: "schwach" },
  match: (source, strength, single, community) =>
    `${source} · Treffer: ${strength}` +
    `${single ? " · eine Quelle" : ""}` +
    (community ? " · aus der Community, nicht geprüft" : ""),

  // Sources.svelte
  sources: "Quellen",
  otherSources: "Weitere Quellen",
  uncited: (count) => `${count} weitere, nicht zitiert`,
  sourceMatch: (number, section, match) => `Quelle ${number}: ${section}, Treffer: ${match}`,
  sourcePage: (page) => `S. ${page}`,
  notVerified: "nicht geprüft",
  noKnowledge: "Ohne die Wissensbasis beantwortet:",

  // ThinkingBlock.svelte
  thoughts: "Gedanken",

  // ToolCard.svelte
  writingArguments: "schreibt",
  waitingForApprovalInline: "wartet auf Erlaubnis",
  done: "erledigt",
  denied: "abgelehnt",
  failed: "fehlgeschlagen",
  running: "läuft",
  notCalled: "nicht aufgerufen",
  found: (titles) => `Gefunden: ${titles || "nichts"}`,
  foreignToolWarning:
    "Tool eines MCP-Servers. Conductor hat weder seine Beschreibung noch seine Ergebnisse geprüft.",

  // ToolDetails.svelte
  code: "Code",
  badArguments: "Argumente (ungültiges JSON)",
  arguments: "Argumente",
  output: "Ausgabe",
  result: "Ergebnis",
  error: "Fehler",
  timedOut: "Zeitüberschreitung",
  noOutput: "Keine Ausgabe.",
  results: "Ergebnisse",
  foundSkills: "Gefundene Tools",
  noResults: "Keine Ergebnisse.",

  // UserMessage.svelte
  you: "Sie",
  editMessage: "Nachricht bearbeiten",
  answerKept: "Die aktuelle Antwort bleibt als andere Version erhalten.",
  sendAgain: "Erneut senden",
  copyMessage: "Nachricht kopieren",
  editAndSendAgain: "Bearbeiten und erneut senden",

  // Welcome.svelte
  whatShouldYourControlsDo: "Was sollen die Bedienelemente tun?",
  intro:
    "Das Modell liest die Konfiguration und antwortet mit einem Plan: was er ändert, was er mit " +
    "den aufgezeichneten Eingaben bewirkt hätte und welche Konflikte er verursacht. Nichts " +
    "ändert sich, bis er angewendet wird.",
  addKeyOrAddress:
    "Einen API-Schlüssel oder die Adresse eines Modells auf diesem Computer hinzufügen.",
  commandsWithoutModel: "Diese Befehle funktionieren ohne Modell:",
  suggestions: "Vorschläge",
  mentionHint: "erwähnt ein Gerät, ein Bedienelement, einen Modus oder einen Plan ·",
  commandHint: "zeigt Befehle, die kein Modell brauchen",

  // composer.svelte.ts
  fileTooLarge: (name) => `${name} ist größer als 10 MB.`,
  commandExample: (example) => `zum Beispiel: ${example}`,
  touchAControl: "Ein Bedienelement berühren",
  touchHint: "Fügt das nächste Bedienelement ein, das gedrückt oder gedreht wird",

  // BlockView.svelte
  table: "Tabelle",
  toDo: "offen",

  // CodeBlock.svelte
  plainText: "Text",
  codeIn: (language) => (language ? `Code, ${language}` : "Code"),
  copyCode: "Code kopieren",

  // Inline.svelte
  imagesNotLoaded: "Bilder werden nicht geladen",

  // models.svelte.ts
  price: (input, output) => `${input} ein, ${output} aus pro Million Tokens`,
  retires: (date) => `bis ${date}`,

  // words.ts
  under1Ms: "unter 1 ms",
  noApiKey: "Kein API-Schlüssel",
  apiKeyRejected: "API-Schlüssel abgelehnt",
  tooManyRequests: "Zu viele Anfragen",
  serviceOverloaded: "Der Dienst ist überlastet",
  noCreditLeft: "Kein Guthaben mehr",
  noConnection: "Keine Verbindung",
  conversationTooLong: "Die Unterhaltung ist zu lang",
  modelNotFound: "Modell nicht gefunden",
  requestRejected: "Anfrage abgelehnt",
  modelDeclinedToAnswer: "Das Modell hat die Antwort verweigert",
  budgetUsedUp: "Das Budget ist aufgebraucht",
  somethingWentWrong: "Etwas ist schiefgegangen",
  today: "Heute",
  yesterday: "Gestern",
  thisWeek: "Diese Woche",

  // ChatView.svelte
  chat: "Chat",
  searchAllConversations: "Alle Unterhaltungen durchsuchen",
  hideConversations: "Unterhaltungen ausblenden",
  showConversations: "Unterhaltungen anzeigen",
  history: "Verlauf",
  couldNotLoadConversation: "Die Unterhaltung konnte nicht geladen werden",
  loadingTheConversation: "Unterhaltung wird geladen",
};
