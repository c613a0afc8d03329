/** User-visible texts of `shell`. All texts are here, so that they can be translated. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("shell", {
  // App.svelte
  skipToContent: "Skip to content",

  // Capturing.svelte
  capturing: (names: string): string => `MIDI Learn: capturing for ${names}`,
  capturingTip: (names: string): string => `MIDI Learn is on: ${names} can read what you play`,
  stopCapturing: (name: string): string => `Stop capturing for ${name}`,
  showConversation: "Show the conversation",

  // Confirm.svelte
  cancel: "Cancel",

  // ConnectionBanner.svelte
  pageCannotConnect: "This page can no longer connect.",
  demoEnded: "The demo has ended.",
  demoNext: "Your own Conductor starts with",
  pageExpired:
    "Its address was already used, or Conductor was restarted. Open the window again " +
    "from Conductor, or run",
  connectionLost: "The connection to Conductor is lost.",
  mappingsKeepWorking: "If Conductor is still running, your mappings keep working.",
  connecting: "Connecting to Conductor…",
  tryNow: "Try now",
  tryAgain: "Try again",

  // EngineDot.svelte
  notConnected: "Not connected",
  notConnectedTip: "The page is not connected to Conductor",
  stopped: "Stopped",
  stoppedTip: "The engine is not running. It restarts automatically, or from this menu",
  paused: "Paused",
  pausedTip: "Controls are shown but trigger nothing",
  running: "Running",
  runningTip: "Mappings are active",
  restartEngine: "Restart the engine",
  engineState: (state: string): string => `Engine: ${state}`,

  // Overlay.svelte, Overlays.svelte
  overlayNotLoaded: (title: string): string =>
    `${title} could not be loaded: the files of this page were not found. ` +
    "Conductor may have been updated or closed. Reload the page.",
  questionForYou: "A question for you",

  // Palette.svelte
  searchAndCommands: "Search and commands",
  searchLabel: "Search views, modes, mappings and commands",
  searchPlaceholder: "Search views, modes, mappings, commands",
  results: "Results",
  askElsewhere: "Look further",
  searchKnowledgeFor: (query: string): string => `Search Knowledge for “${query}”`,
  askAssistantFor: (query: string): string => `Ask the assistant: “${query}”`,

  // Rail.svelte
  pendingCount: (count: number): string => `${count} pending`,
  problemCount: (count: number): string => `${count} with a problem`,
  views: "Views",

  // Shortcuts.svelte
  everywhere: "Everywhere",
  askAssistant: "Ask the assistant",
  searchThisView: "Search this view",
  showShortcuts: "Show shortcuts",
  undoLastChange: "Undo the last change",
  redo: "Redo",
  closeOrCancel: "Close or cancel",
  inLists: "In lists",
  inMappings: "In Mappings",
  newMapping: "New mapping",
  findByTouching: "Find by touching a control",
  changeAction: "Change the action",
  onOrOff: "On or off",
  moveUp: "Move up",
  moveDown: "Move down",
  saveMapping: "Save the mapping",
  previous: "Previous",
  next: "Next",
  open: "Open",
  deleteWithUndo: "Delete (can be undone)",
  first: "First",
  last: "Last",
  goTo: "Go to",
  keyboardShortcuts: "Keyboard shortcuts",

  // TopBar.svelte
  modeMenu: (mode: string): string => `Mode: ${mode}. Switch mode`,
  noMode: "No mode",
  profileActive: (profile: string, front: string): string =>
    `Profile ${profile} is active, for ${front || "the foreground app"}`,
  foreground: (app: string): string => `Foreground app: ${app}`,
  profile: "profile",
  demoTip: "Demo: nothing outside Conductor is changed",
  demo: "Demo",
  searchOrRunCommand: "Search or run a command…",
  resumeMappings: "Resume mappings",
  pauseMappings: "Pause mappings",
  resumeTip: "Resume: mappings become active again",
  openingMicrophone: "Opening the microphone",
  listening: "Listening",
  recognizing: "Recognising",
  pauseTip: "Pause: controls are shown but trigger nothing",
  panic: "Panic",
  panicTip: (keys: string): string => `Release all keys and notes (${keys})`,

  // ViewHost.svelte
  viewCrashed: (view: string): string => `${view} stopped working`,
  viewNotLoaded: (view: string): string => `${view} could not be loaded`,
  filesNotFound:
    "The files of this page were not found. Conductor may have been updated or closed. " +
    "Reload the page.",
  reload: "Reload",
  doesNotRespond: "Conductor does not respond. Start it, then reload the page.",

  // ViewSkeleton.svelte
  loadingView: (view: string): string => `Loading ${view}…`,

  // commands.ts
  switchMode: "Switch mode",
  activeMode: "Active mode",
  mappingCount: (count: number): string => `${count} ${count === 1 ? "mapping" : "mappings"}`,
  commands: "Commands",
  recent: "Recent",
  settings: "Settings",
  settingsGeneral: "Settings: window, language and start",
  settingsInput: "Settings: input and output",
  settingsConfigFile: "Settings: config file",
  settingsAgents: "Settings: agents over MCP",
  settingsA2a: "Settings: agents over A2A",
  settingsRemote: "Settings: agents on other computers",
  settingsVoice: "Settings: voice and microphone",
  settingsProviders: "Settings: providers of models",
  settingsTools: "Settings: assistant tools",
  settingsServers: "Settings: MCP servers",
  settingsKnowledge: "Settings: knowledge sources",
  settingsManuals: "Settings: your manuals",
  settingsSkills: "Settings: agent skills",
  newMappingOf: (kind: string): string => `New mapping: ${kind}`,
  mapControl: (control: string): string => `Map ${control}`,
  newMode: "New mode",
  newProfile: "New profile",
  backUp: "Back up the config",
  newChat: "New chat",
  cheatSheet: "Cheat sheet for this mode",
  firstSteps: "First steps",
  panicCommand: "Panic: release all keys and notes",
  scanForDevices: "Scan for devices",
  scanningForDevices: "Scanning for devices.",
  themeDark: "Theme: dark",
  themeLight: "Theme: light",
  themeSystem: "Theme: system",
  languageSystem: "Language: system",
  languageOf: (name: string): string => `Language: ${name}`,
  mappings: "Mappings",
  profiles: "Profiles",
  pendingPlans: "Pending plans",
});
