/** User-visible strings of `features/capabilities`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/capabilities", {
  // CapabilitiesPage.svelte
  skills: "Assistant tools",
  folders: "Readable folders",
  webSearch: "Web search",
  rememberedAnswers: "Remembered answers",
  couldNotLoadSkills: "Could not load the tools",
  loadingTheSkills: "Loading the tools",
  sectionsSkillSettings: "Sections of the assistant tools",
  searchSkills: "Search tools",
  intro:
    "What the assistant can do besides mapping. Switch a group or a single tool " +
    "on or off. Tools that reach outside Conductor ask you first.",
  noMatchingSkills: "No matching tools",
  noMatchingSkillsHint: "Try another search, or add an MCP server.",

  // CapabilityRow.svelte
  asksTip: "Asks you each time, unless you chose “Always allow”.",
  followGroup: (title: string): string => `${title}: follow its group`,
  followGroupHint: (on: boolean): string => `Follow its group, which is ${on ? "on" : "off"}`,
  use: (title: string): string => `Use ${title}`,
  switchedIndividually: (on: boolean): string =>
    `You switched it ${on ? "on" : "off"} individually.`,
  followsGroup: "It follows the switch of its group.",
  asksYouFirst: "asks you first.",
  runsWithoutAsking: "runs without asking.",
  parametersOf: (tool: string): string => `Parameters of ${tool}`,

  // Folders.svelte
  foldersIntro: "The assistant can read files in these folders only. It never writes to them.",
  remove: (folder: string): string => `Remove ${folder}`,
  noFolders: "No folders yet: the assistant cannot read your files.",
  folderToAdd: "Folder to add",
  folderPlaceholder: "~/Music",
  add: "Add",

  // Grants.svelte
  allowed: "allowed",
  never: "never",
  grantDetails: (requester: string, created: string, uses: string): string =>
    `${requester}, since ${created}, ${uses}`,
  loadingRememberedAnswers: "Loading the remembered answers",
  noRememberedAnswers:
    "No remembered answers. When you answer a request with “Always” or “Never”, " +
    "the answer appears here and you can delete it.",
  forgetAnswer: (title: string, shape: string): string => `Forget the answer to ${title}: ${shape}`,
  forget: "Forget",

  // SearchAddress.svelte
  searxngAddress: "SearXNG address",
  searxngHelp:
    "If you run a SearXNG server, web search uses only that. Leave it empty to use " +
    "public search engines.",
  badAddress: "The address must start with `http:` or `https:` and contain no name or password.",
  publicSearchEngines: "Public search engines",

  // TierCard.svelte
  canUseNetwork: "can use the network",
  wholeGroup: (title: string): string => `${title}: all`,
  showAll: (count: number): string => `Show all ${count}`,
  mcpServersHint:
    "MCP servers can give the assistant tools of other programs, such as OBS, Home " +
    "Assistant or a calendar.",
  mcpServers: "MCP servers",

  // capabilities.controller.svelte.ts
  searxngSet: "Web search uses your server",
  searxngCleared: "Web search uses public search engines",
  forgotten: (title: string): string => `${title} will ask again`,

  // words.ts
  aboutCalculator:
    "Calculates with numbers, units and dates, and converts notes to Hz and bpm to ms.",
  aboutDiscover: "Lets the assistant find tools that are not loaded for a message.",
  aboutRecall: "Finds what was said, noted or planned in past conversations.",
  aboutCode: "Runs Python or JavaScript for exact results, in a sandbox without files or network.",
  aboutFiles: "Reads text, PDF, MIDI files and configs in the folders that you allow below.",
  aboutWebSearch: "Searches the web and gives the results to the assistant.",
  aboutWebFetch: "Reads a web page or a document.",
  asksFirst: "asks first",
  someAskFirst: "some ask first",
  inOneConversation: (shape: string): string => `${shape}, in one conversation`,
  notUsed: "not used yet",
  usedOnce: "used once",
  usedTimes: (uses: number): string => `used ${uses} times`,
});
