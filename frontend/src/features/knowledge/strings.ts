/** User-visible strings of `features/knowledge`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/knowledge", {
  // AddProfile.svelte
  profileTooLarge: (file: string): string =>
    `${file} is too large: a controller file can have at most 2 MB.`,
  profileAdded: (title: string, chunks: number): string =>
    `Added ${title}: ${chunks === 1 ? "one section" : `${chunks} sections`}`,
  show: "Show",
  addDeviceProfile: "Add device profile",
  addHint:
    "A TOML or JSON file that describes the messages of a controller, or a controller file of " +
    "Mixxx, Ardour, ReaLearn, Bitwig or Ableton. Drop the file here or choose it. It stays on " +
    "this computer, and scripts are not run.",
  chooseAFile: "Choose a file…",
  deviceProfile: "Device profile",
  fileOf: (title: string, program: string, controls: number): string =>
    `${title}: ${controls === 1 ? "one control" : `${controls} controls`}, ` +
    `from a file for ${program}`,
  controlsFound: "Controls found",
  notesOnFile: "Notes",
  saveProfile: "Save profile",
  discardProfile: "Discard",

  // ChunkText.svelte
  source: "Source",
  revision: "Revision",
  licence: "Licence",
  document: "Document",
  oneSourceHint: "Some of this is in one public source only. Check it on your device.",
  oneSource: "one source",
  yoursHint: "From a profile that you added. Nobody else has checked it.",
  yours: "yours",
  communityHint: "From another user. Check it before you rely on it.",
  community: "community",
  matchingWords: "Matching words:",
  andRelated: ", and related words: ",
  relatedOnly: "Matching related words: ",
  byMeaning: "Found by meaning; it contains none of your words.",
  showDocument: "Show document",
  askAssistantAbout: "Ask the assistant about it",

  showPage: (page: number): string => `Show page ${page}`,
  fromManualHint:
    "From a manual that you added. Other people wrote it, and Conductor cannot check it.",

  // DocumentList.svelte
  documents: "Documents",
  disabled: "disabled",

  // DocumentText.svelte
  disabledHint: "Disabled in Settings > Knowledge sources.",
  oneSection: "One section",
  sections: (count: number): string => `${count} sections`,
  sectionList: "Sections",

  // RecipeMappings.svelte
  useInNewMapping: "Use in a new mapping",

  // Manuals.svelte, ManualText.svelte
  yourManuals: "Your manuals",
  manualsHint:
    "Drop PDF, text, Markdown or HTML files here or choose them. They are copied, read and " +
    "searched on this computer.",
  noManualsTitle: "Add the manuals of your synths and apps",
  noManualsText:
    "The assistant then finds “filter cutoff of the Minitaur” with its CC number and the page. " +
    "Tables of MIDI numbers become parameters that you can search by name.",
  chooseFiles: "Choose files…",
  manualFiles: "Manual files",
  couldNotLoadManuals: "Could not load the manuals",
  manualAdded: (title: string): string => `${title} is added. It is read in the background.`,
  uploading: (name: string): string => `Copying ${name}`,
  manualWaiting: "Waiting",
  manualOpening: "Opening the file",
  manualProgress: (done: number, pages: number): string => `Page ${done} of ${pages}`,
  manualCounts: (pages: number, sections: number, parameters: number): string =>
    `${pages === 1 ? "1 page" : `${pages} pages`}, ` +
    `${sections === 1 ? "1 section" : `${sections} sections`}` +
    (parameters ? `, ${parameters === 1 ? "1 parameter" : `${parameters} parameters`}` : ""),
  readingManual: (title: string): string => `Reading ${title}`,
  cannotBeSearched: "Cannot be searched:",
  openManual: (title: string): string => `Open ${title}`,
  cancelManual: "Cancel",
  cancelReading: (title: string): string => `Cancel reading ${title}`,
  removeManual: (title: string): string => `Remove ${title}…`,
  removeManualQuestion: (title: string): string => `Remove ${title}?`,
  removeManualText:
    "Conductor's copy of the file and its index are deleted. Your own file is kept, and so are " +
    "earlier answers in the chat.",
  manualRemoved: (title: string): string => `Removed ${title}.`,
  pageOf: (page: number, pages: number): string => `Page ${page} of ${pages}`,
  previousPage: "Previous page",
  nextPage: "Next page",
  goToPage: "Page",
  openInViewer: "Open the file",
  openedWithoutPage: (page: number): string =>
    `The file is open. Your viewer cannot be told the page: go to page ${page}.`,
  emptyPage: "There is no text on this page; it may be a picture.",

  // Match.svelte
  relevances: { strong: "strong", fair: "fair", weak: "weak" },
  relevance: (score: string): string => `Relevance ${score} of 1`,

  // OwnProfiles.svelte
  removeProfileQuestion: (title: string): string => `Remove the profile of ${title}?`,
  removeProfileText:
    "Its file is deleted. Mappings are kept. Searches and the Controller view no " +
    "longer know the device, unless Conductor has a built-in profile for it.",
  remove: "Remove",
  profileRemoved: (title: string): string => `Removed the profile of ${title}.`,
  yourDeviceProfiles: "Your device profiles",
  removeButton: "Remove…",

  // SourceGroupRow.svelte
  documentCount: (count: number): string => (count === 1 ? "1 document" : `${count} documents`),
  enabledDocuments: (enabled: number, count: number): string => `${enabled} of ${count} documents`,
  sectionCount: (count: number): string => (count === 1 ? "1 section" : `${count} sections`),
  documentsOf: (title: string): string => `Documents of ${title}`,
  use: (title: string): string => `Use ${title}`,

  // SourcesPage.svelte
  hub: (address: string): string => `Hub: ${address}`,
  noHub: "No hub",
  couldNotLoadSources: "Could not load the sources",
  loadingTheIndex: "Loading the index",
  knowledgeSources: "Knowledge sources",
  useKnowledgeInChat: "Use knowledge in the chat",
  assistantUsesKnowledgeBase: "The assistant uses the knowledge base",
  assistantIgnoresKnowledgeBase: "The assistant does not use the knowledge base",
  indexStatus: "Index status",
  wordsAndMeaning: "Searches by words and meaning.",
  wordsOnly: "Searches by words only.",
  browse: "Browse",
  updateIndex: "Update index",
  updatingTheIndex: "Updating the index",
  lastUpdated: (date: string): string => `Last updated ${date}`,
  builtFromIncludedSources: "Built from the included sources and your own profiles",
  indexUpdate: "Content of the index",
  onDisk: (size: string): string => `${size} on disk.`,
  sources: "Sources",
  communityKnowledge: "Community knowledge",
  askConductorHub: "Ask a Conductor Hub",
  hubWarning:
    "When the knowledge base has no good match, Conductor asks the hub for device " +
    "profiles and mapping patterns of other users. Results are marked; check them " +
    "yourself. Conductor sends a vector computed from your words, not the words " +
    "themselves. This is not anonymous: much of the text can be reconstructed from " +
    "a vector. Activity shows each request as it was sent.",
  conductorMayAskHub: "Conductor may ask a hub",
  conductorAsksNoHub: "Conductor asks no hub",
  hubAddress: "Hub address",
  nothingSentHint: "Nothing is sent while this is off.",
  notSet: "Not set",
  deviceProfiles: "Device profiles",

  // words.ts
  whichCcSustainPedal: "Which CC is the sustain pedal?",
  nrpnForFilterCutoff: "NRPN for filter cutoff",
  howEncoderCounts: "How does an endless encoder count?",
  lightLaunchpadPads: "Light the pads of a Launchpad",
  oscPlayAddress: "OSC address to start playback",
  keystrokesOnWayland: "Keystrokes do nothing on Wayland",
  readingTheSources: "Reading the sources",
  comparingMeanings: "Comparing meanings",
  calibrating: "Calibrating",
  writingTheIndex: "Writing the index",
  progress: (step: string, done: number, total: number): string => `${step}: ${done} of ${total}`,

  // KnowledgeView.svelte
  all: "All",
  statistics: (chunks: number, documents: number): string =>
    `${chunks} sections of ${documents} documents, all on this computer`,
  about: (section: string): string => `About ${section}: `,
  knowledge: "Knowledge",
  searchKnowledgeBase: "Search the knowledge base",
  searchPlaceholder: "Ask a question, or enter words such as CC 64",
  domain: "Domain",
  couldNotLoadKnowledgeBase: "Could not load the knowledge base",
  indexNotBuilt: "Index not built",
  indexNotBuiltHint:
    "The assistant looks up MIDI, OSC, lights, gamepads and controllers in an " +
    "index on this computer. Build it once; it takes about a minute.",
  indexBuilt: "Index built.",
  buildIndex: "Build index",
  noRelevantResults: "No relevant results",
  noneInDomain: (domain: string): string =>
    `No result in ${domain}. Search all domains, or use other words.`,
  searchTip:
    "Use the words printed on the device or in its manual, such as CC 74, NRPN or the model name.",
  searchAllDomains: "Search all domains",
  someSourcesDisabled: "Some sources are disabled",
  widthList: "List width",
  searchFailed: "Search failed",
  oneResult: "1 result",
  weakResults: (count: number): string =>
    count === 1 ? "Show 1 weaker result" : `Show ${count} weaker results`,
  resultCount: (count: number): string => `${count} results, best first`,
  results: "Results",
  searching: "Searching",
  text: "Text",
  couldNotOpenText: "Could not open the text",
  whatAssistantKnows: "What the assistant knows",
  whatAssistantKnowsHint:
    "The assistant searches these documents before each answer and cites its " +
    "sources. Search them yourself, or choose a document on the left.",
});
