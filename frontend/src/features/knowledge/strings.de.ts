/** German texts of `features/knowledge`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // AddProfile.svelte
  profileTooLarge: (file) =>
    `${file} ist zu groß: Eine Controller-Datei darf höchstens 2 MB haben.`,
  profileAdded: (title, chunks) =>
    `${title} hinzugefügt: ${chunks === 1 ? "ein Abschnitt" : `${chunks} Abschnitte`}`,
  show: "Anzeigen",
  addDeviceProfile: "Geräteprofil hinzufügen",
  addHint:
    "Eine TOML- oder JSON-Datei, die die Nachrichten eines Controllers beschreibt, oder eine " +
    "Controller-Datei von Mixxx, Ardour, ReaLearn, Bitwig oder Ableton. Die Datei hier ablegen " +
    "oder auswählen. Sie bleibt auf diesem Computer, und Skripte werden nicht ausgeführt.",
  chooseAFile: "Datei auswählen …",
  deviceProfile: "Geräteprofil",
  fileOf: (title, program, controls) =>
    `${title}: ${controls === 1 ? "ein Bedienelement" : `${controls} Bedienelemente`}, ` +
    `aus einer Datei für ${program}`,
  controlsFound: "Gefundene Bedienelemente",
  notesOnFile: "Hinweise",
  saveProfile: "Profil speichern",
  discardProfile: "Verwerfen",

  // ChunkText.svelte
  source: "Quelle",
  revision: "Fassung",
  licence: "Lizenz",
  document: "Dokument",
  oneSourceHint: "Einiges davon steht nur in einer öffentlichen Quelle. Am eigenen Gerät prüfen.",
  oneSource: "eine Quelle",
  yoursHint: "Aus einem selbst hinzugefügten Profil. Niemand sonst hat es geprüft.",
  yours: "eigenes",
  communityHint: "Von einem anderen Benutzer. Vor dem Verwenden prüfen.",
  community: "Community",
  matchingWords: "Passende Wörter:",
  andRelated: " und verwandte Wörter: ",
  relatedOnly: "Passende verwandte Wörter: ",
  byMeaning: "Nach der Bedeutung gefunden; enthält keines der gesuchten Wörter.",
  showDocument: "Dokument anzeigen",
  askAssistantAbout: "Den Assistenten danach fragen",

  showPage: (page) => `Seite ${page} anzeigen`,
  fromManualHint:
    "Aus einer selbst hinzugefügten Anleitung. Conductor kann ihren Inhalt nicht prüfen.",

  // DocumentList.svelte
  documents: "Dokumente",
  disabled: "ausgeschaltet",

  // DocumentText.svelte
  disabledHint: "In Einstellungen > Wissensquellen ausgeschaltet.",
  oneSection: "Ein Abschnitt",
  sections: (count) => `${count} Abschnitte`,
  sectionList: "Abschnitte",

  // RecipeMappings.svelte
  useInNewMapping: "In einem neuen Mapping verwenden",

  // Manuals.svelte, ManualText.svelte
  yourManuals: "Eigene Anleitungen",
  manualsHint:
    "PDF-, Text-, Markdown- oder HTML-Dateien hier ablegen oder auswählen. Sie werden auf diesem " +
    "Computer kopiert, gelesen und durchsucht.",
  noManualsTitle: "Anleitungen von Synths und Apps hinzufügen",
  noManualsText:
    "Der Assistent findet dann „Filter Cutoff des Minitaur“ mit der CC-Nummer und der Seite. " +
    "Tabellen mit MIDI-Nummern werden zu Parametern, die sich mit Namen suchen lassen.",
  chooseFiles: "Dateien auswählen …",
  manualFiles: "Dateien der Anleitungen",
  couldNotLoadManuals: "Die Anleitungen konnten nicht geladen werden",
  manualAdded: (title) => `${title} ist hinzugefügt. Die Datei wird im Hintergrund gelesen.`,
  uploading: (name) => `${name} wird kopiert`,
  manualWaiting: "Wartet",
  manualOpening: "Die Datei wird geöffnet",
  manualProgress: (done, pages) => `Seite ${done} von ${pages}`,
  manualCounts: (pages, sections, parameters) =>
    `${pages === 1 ? "1 Seite" : `${pages} Seiten`}, ` +
    `${sections === 1 ? "1 Abschnitt" : `${sections} Abschnitte`}` +
    (parameters ? `, ${parameters} Parameter` : ""),
  readingManual: (title) => `${title} wird gelesen`,
  cannotBeSearched: "Kann nicht durchsucht werden:",
  openManual: (title) => `${title} öffnen`,
  cancelManual: "Abbrechen",
  cancelReading: (title) => `Lesen von ${title} abbrechen`,
  removeManual: (title) => `${title} entfernen …`,
  removeManualQuestion: (title) => `${title} entfernen?`,
  removeManualText:
    "Die Kopie der Datei in Conductor und ihr Index werden gelöscht. Die Originaldatei und " +
    "frühere Antworten im Chat bleiben erhalten.",
  manualRemoved: (title) => `${title} entfernt.`,
  pageOf: (page, pages) => `Seite ${page} von ${pages}`,
  previousPage: "Vorherige Seite",
  nextPage: "Nächste Seite",
  goToPage: "Seite",
  openInViewer: "Datei öffnen",
  openedWithoutPage: (page) =>
    "Die Datei ist geöffnet. Dem Betrachter lässt sich die Seite nicht mitteilen: " +
    `Seite ${page} aufschlagen.`,
  emptyPage: "Auf dieser Seite ist kein Text; sie ist vielleicht ein Bild.",

  // Match.svelte
  relevances: { strong: "stark", fair: "mittel", weak: "schwach" },
  relevance: (score) => `Relevanz ${score} von 1`,

  // OwnProfiles.svelte
  removeProfileQuestion: (title) => `Das Profil von ${title} entfernen?`,
  removeProfileText:
    "Seine Datei wird gelöscht. Mappings bleiben. Suche und Controller-Ansicht kennen das Gerät " +
    "nicht mehr, außer Conductor hat dafür ein eingebautes Profil.",
  remove: "Entfernen",
  profileRemoved: (title) => `Das Profil von ${title} wurde entfernt.`,
  yourDeviceProfiles: "Eigene Geräteprofile",
  removeButton: "Entfernen …",

  // SourceGroupRow.svelte
  documentCount: (count) => (count === 1 ? "1 Dokument" : `${count} Dokumente`),
  enabledDocuments: (enabled, count) => `${enabled} von ${count} Dokumenten`,
  sectionCount: (count) => (count === 1 ? "1 Abschnitt" : `${count} Abschnitte`),
  documentsOf: (title) => `Dokumente von ${title}`,
  use: (title) => `${title} verwenden`,

  // SourcesPage.svelte
  hub: (address) => `Hub: ${address}`,
  noHub: "Kein Hub",
  couldNotLoadSources: "Die Quellen konnten nicht geladen werden",
  loadingTheIndex: "Index wird geladen",
  knowledgeSources: "Wissensquellen",
  useKnowledgeInChat: "Wissen im Chat verwenden",
  assistantUsesKnowledgeBase: "Der Assistent verwendet die Wissensbasis",
  assistantIgnoresKnowledgeBase: "Der Assistent verwendet die Wissensbasis nicht",
  indexStatus: "Zustand des Index",
  wordsAndMeaning: "Sucht nach Wörtern und Bedeutung.",
  wordsOnly: "Sucht nur nach Wörtern.",
  browse: "Durchsehen",
  updateIndex: "Index aktualisieren",
  updatingTheIndex: "Index wird aktualisiert",
  lastUpdated: (date) => `Zuletzt aktualisiert: ${date}`,
  builtFromIncludedSources: "Aus den mitgelieferten Quellen und eigenen Profilen erstellt",
  indexUpdate: "Inhalt des Index",
  onDisk: (size) => `${size} auf der Festplatte.`,
  sources: "Quellen",
  communityKnowledge: "Wissen der Community",
  askConductorHub: "Einen Conductor Hub fragen",
  hubWarning:
    "Wenn die Wissensbasis keinen guten Treffer hat, fragt Conductor den Hub nach Geräteprofilen " +
    "und Mapping-Mustern anderer Benutzer. Solche Ergebnisse sind markiert und selbst zu prüfen. " +
    "Conductor sendet einen aus den Wörtern berechneten Vektor, nicht die Wörter selbst. Das ist " +
    "nicht anonym: Ein großer Teil des Textes lässt sich aus einem Vektor rekonstruieren. Die " +
    "Aktivität zeigt jede Anfrage so, wie sie gesendet wurde.",
  conductorMayAskHub: "Conductor darf einen Hub fragen",
  conductorAsksNoHub: "Conductor fragt keinen Hub",
  hubAddress: "Adresse des Hubs",
  nothingSentHint: "Nichts wird gesendet, solange dies aus ist.",
  notSet: "Nicht gesetzt",
  deviceProfiles: "Geräteprofile",

  // words.ts
  whichCcSustainPedal: "Welcher CC ist das Haltepedal?",
  nrpnForFilterCutoff: "NRPN für Filter-Cutoff",
  howEncoderCounts: "Wie zählt ein Endlosdrehregler?",
  lightLaunchpadPads: "Pads eines Launchpads beleuchten",
  oscPlayAddress: "OSC-Adresse zum Starten der Wiedergabe",
  keystrokesOnWayland: "Tastenkombinationen bewirken unter Wayland nichts",
  readingTheSources: "Quellen werden gelesen",
  comparingMeanings: "Bedeutungen werden verglichen",
  calibrating: "Kalibrierung",
  writingTheIndex: "Index wird geschrieben",
  progress: (step, done, total) => `${step}: ${done} von ${total}`,

  // KnowledgeView.svelte
  all: "Alle",
  statistics: (chunks, documents) =>
    `${chunks} Abschnitte aus ${documents} Dokumenten, alle auf diesem Computer`,
  about: (section) => `Zu ${section}: `,
  knowledge: "Wissen",
  searchKnowledgeBase: "Wissensbasis durchsuchen",
  searchPlaceholder: "Frage oder Wörter wie CC 64",
  domain: "Bereich",
  couldNotLoadKnowledgeBase: "Die Wissensbasis konnte nicht geladen werden",
  indexNotBuilt: "Index nicht erstellt",
  indexNotBuiltHint:
    "Der Assistent schlägt MIDI, OSC, Licht, Gamepads und Controller in einem Index auf diesem " +
    "Computer nach. Er muss einmal erstellt werden; das dauert etwa eine Minute.",
  indexBuilt: "Index erstellt.",
  buildIndex: "Index erstellen",
  noRelevantResults: "Keine passenden Ergebnisse",
  noneInDomain: (domain) =>
    `Kein Ergebnis in ${domain}. Alle Bereiche durchsuchen oder andere Wörter verwenden.`,
  searchTip:
    "Die Wörter verwenden, die auf dem Gerät oder in seinem Handbuch stehen, z. B. CC 74, NRPN " +
    "oder den Namen des Modells.",
  searchAllDomains: "Alle Bereiche durchsuchen",
  someSourcesDisabled: "Einige Quellen sind ausgeschaltet",
  widthList: "Breite der Liste",
  searchFailed: "Suche fehlgeschlagen",
  oneResult: "1 Ergebnis",
  weakResults: (count) =>
    count === 1 ? "1 schwächeren Treffer zeigen" : `${count} schwächere Treffer zeigen`,
  resultCount: (count) => `${count} Ergebnisse, beste zuerst`,
  results: "Ergebnisse",
  searching: "Suche läuft",
  text: "Text",
  couldNotOpenText: "Der Text konnte nicht geöffnet werden",
  whatAssistantKnows: "Was der Assistent weiß",
  whatAssistantKnowsHint:
    "Der Assistent durchsucht vor jeder Antwort diese Dokumente und nennt seine Quellen. Hier " +
    "lassen sie sich selbst durchsuchen, oder links ein Dokument auswählen.",
};
