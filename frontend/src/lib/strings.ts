/** User-visible texts of `lib`. All texts are here, so that they can be translated. */
export const strings = {
  // amounts.ts
  unknown: "unknown",
  under0001: "under $0.001",

  // files.ts
  saved: (path: string): string => `Saved ${path}`,

  // knowledge.ts
  midi: "MIDI",
  osc: "OSC",
  openSoundControlAndHow: "Open Sound Control, and how programs use it",
  artNet: "Art-Net",
  artNetDmxAndLights: "Art-Net, DMX and lights",
  hid: "HID",
  gamepadsKeyboardsAndOtherUsb: "Gamepads, keyboards and other USB devices",
  platforms: "Platforms",
  keysAndAutomationOnMacos: "Keys and automation on macOS, Windows and Linux",
  devices: "Devices",
  whatControllersSendAndHow: "What controllers send, and how they light up",
  conductor: "Conductor",
  howConductorItselfWorks: "How Conductor itself works",
  windows: "Windows",
  linux: "Linux",
  allSystems: "all systems",
  indexNotBuilt: "Index not built",
  indexed: (chunks: number, domains: number): string =>
    `${chunks} sections indexed in ${domains} domains`,
  midiSpec: "MIDI Spec",
  oscSpec: "OSC Spec",
  artnetSpec: "ArtNet Spec",
  hidTables: "HID Tables",
  platform: "Platform",
  deviceProfiles: "Device Profiles",
  conductorGuide: "Conductor Guide",

  // app.svelte.ts
  released: "Released all keys and notes and stopped all sequences.",
  restartingTheEngine: "Restarting the engine.",
  openThisLinkInYour: "Open this link in your browser?",
  open: "Open",

  // approvals.svelte.ts
  timedOut: (title: string): string => `Denied because nobody answered in time: ${title}`,

  // config.svelte.ts
  undo: "Undo",
  theme: (theme: string): string => `Theme: ${theme}`,
  undone: "Undone",
  redone: "Redone",
  allModes: "All modes",
  globalMappings: "the global mappings",
  mappingPlace: (number: number, place: string) => `mapping ${number} of ${place}`,

  // modes.svelte.ts
  blue: "Blue",
  green: "Green",
  amber: "Amber",
  purple: "Purple",
  orange: "Orange",
  teal: "Teal",
  pink: "Pink",
  lime: "Lime",

  // state.ts
  configHasChangedAgainSince:
    "Cannot undo: the config has changed since then. " +
    "You can restore an earlier version in History.",
  pageConfirmed: (page: number | null): string => `Page ${page} can now make changes`,
  confirmPage: (page: number): string => `Confirm page ${page}`,
  assistantCouldNotAnswer: "The assistant could not answer",
  assistantAsksWhetherToContinue: "The assistant asks whether to continue",
  assistantHasAnswered: "The assistant has answered",
  show: "Show",
  theAssistant: "The assistant",
  theCommandLine: "The command line",
  anAgent: "An agent",
  proposes: (requester: string, plan: string): string => `${requester} proposes: ${plan}`,
  review: "Review",

  // pywebview.ts
  windowCouldNotReachConductor: "The window could not reach Conductor.",

  // transport.ts
  connectionLost: "The connection to Conductor is lost. Your last change may not have been saved.",
};
