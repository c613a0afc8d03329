/** German texts of `features/capabilities`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // CapabilitiesPage.svelte
  skills: "Assistent-Tools",
  folders: "Lesbare Ordner",
  webSearch: "Websuche",
  rememberedAnswers: "Gemerkte Antworten",
  couldNotLoadSkills: "Die Tools konnten nicht geladen werden",
  loadingTheSkills: "Tools werden geladen",
  sectionsSkillSettings: "Abschnitte der Assistent-Tools",
  searchSkills: "Tools suchen",
  intro:
    "Was der Assistent außer Mappings noch kann. Gruppen oder einzelne Tools lassen sich " +
    "ein- oder ausschalten. Tools, die über Conductor hinausgehen, fragen zuerst.",
  noMatchingSkills: "Keine passenden Tools",
  noMatchingSkillsHint: "Eine andere Suche versuchen oder einen MCP-Server hinzufügen.",

  // CapabilityRow.svelte
  asksTip: "Fragt jedes Mal, außer nach „Immer erlauben“.",
  followGroup: (title) => `${title}: der Gruppe folgen`,
  followGroupHint: (on) => `Der Gruppe folgen, sie ist ${on ? "ein" : "aus"}`,
  use: (title) => `${title} verwenden`,
  switchedIndividually: (on) => `Einzeln ${on ? "ein" : "aus"}geschaltet.`,
  followsGroup: "Folgt dem Schalter der Gruppe.",
  asksYouFirst: "fragt zuerst.",
  runsWithoutAsking: "läuft ohne Rückfrage.",
  parametersOf: (tool) => `Parameter von ${tool}`,

  // Folders.svelte
  foldersIntro:
    "Der Assistent kann nur Dateien in diesen Ordnern lesen. Er schreibt nie in diese Ordner.",
  remove: (folder) => `${folder} entfernen`,
  noFolders: "Noch keine Ordner: Der Assistent kann keine Dateien lesen.",
  folderToAdd: "Hinzuzufügender Ordner",
  folderPlaceholder: "~/Musik",
  add: "Hinzufügen",

  // Grants.svelte
  allowed: "erlaubt",
  never: "nie",
  grantDetails: (requester, created, uses) => `${requester}, seit ${created}, ${uses}`,
  loadingRememberedAnswers: "Gemerkte Antworten werden geladen",
  noRememberedAnswers:
    "Keine gemerkten Antworten. Wird eine Anfrage mit „Immer“ oder „Nie“ beantwortet, erscheint " +
    "die Antwort hier und kann gelöscht werden.",
  forgetAnswer: (title, shape) => `Antwort vergessen: ${title}, ${shape}`,
  forget: "Vergessen",

  // SearchAddress.svelte
  searxngAddress: "Adresse von SearXNG",
  searxngHelp:
    "Ist ein SearXNG-Server angegeben, verwendet die Websuche nur diesen. Leer: öffentliche " +
    "Suchmaschinen.",
  badAddress:
    "Die Adresse muss mit `http:` oder `https:` beginnen und darf weder Namen noch Passwort " +
    "enthalten.",
  publicSearchEngines: "Öffentliche Suchmaschinen",

  // TierCard.svelte
  canUseNetwork: "kann das Netzwerk verwenden",
  wholeGroup: (title) => `${title}: alle`,
  showAll: (count) => `Alle ${count} anzeigen`,
  mcpServersHint:
    "MCP-Server können dem Assistenten Tools anderer Programme geben, z. B. von OBS, Home " +
    "Assistant oder eines Kalenders.",
  mcpServers: "MCP-Server",

  // capabilities.controller.svelte.ts
  searxngSet: "Die Websuche verwendet den eigenen Server",
  searxngCleared: "Die Websuche verwendet öffentliche Suchmaschinen",
  forgotten: (title) => `${title} fragt wieder`,

  // words.ts
  aboutCalculator:
    "Rechnet mit Zahlen, Einheiten und Daten und wandelt Noten in Hz und bpm in ms um.",
  aboutDiscover: "Lässt den Assistenten Tools finden, die für eine Nachricht nicht geladen sind.",
  aboutRecall: "Findet, was in früheren Unterhaltungen gesagt, notiert oder geplant wurde.",
  aboutCode:
    "Führt Python oder JavaScript für genaue Ergebnisse aus, in einer Sandbox ohne Dateien und " +
    "Netzwerk.",
  aboutFiles: "Liest Text, PDF, MIDI-Dateien und Konfigurationen in den unten erlaubten Ordnern.",
  aboutWebSearch: "Sucht im Web und gibt dem Assistenten die Ergebnisse.",
  aboutWebFetch: "Liest eine Webseite oder ein Dokument.",
  asksFirst: "fragt zuerst",
  someAskFirst: "manche fragen zuerst",
  inOneConversation: (shape) => `${shape}, in einer Unterhaltung`,
  notUsed: "noch nicht verwendet",
  usedOnce: "einmal verwendet",
  usedTimes: (uses) => `${uses}-mal verwendet`,
};
