/** User-visible texts of `lib`. All texts are here, so that they can be translated. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("lib", {
  // amounts.ts
  unknown: "unknown",
  belowMinimumPrice: "under $0.001",

  // files.ts
  bytes: (count: number): string => `${count} bytes`,
  saved: (path: string): string => `Saved ${path}`,

  // knowledge.ts
  midi: "MIDI",
  aboutMidi: "Messages, controller numbers, NRPN, SysEx, MIDI 2.0",
  osc: "OSC",
  aboutOsc: "Open Sound Control, and how programs use it",
  artNet: "Art-Net",
  aboutArtNet: "Art-Net, DMX and lights",
  hid: "HID",
  aboutHid: "Gamepads, keyboards and other USB devices",
  platforms: "Platforms",
  aboutPlatforms: "Keys and automation on macOS, Windows and Linux",
  devices: "Devices",
  aboutDevices: "What controllers send, and how they light up",
  conductor: "Conductor",
  aboutConductor: "How Conductor itself works",
  manuals: "Manuals",
  aboutManuals: "The manuals that you added",
  windows: "Windows",
  linux: "Linux",
  allSystems: "all systems",
  indexNotBuilt: "Index not built",
  indexSummary: (chunks: number, domains: number): string =>
    `${chunks} sections indexed in ${domains} domains`,
  midiSourceGroup: "MIDI Spec",
  oscSourceGroup: "OSC Spec",
  artNetSourceGroup: "ArtNet Spec",
  hidSourceGroup: "HID Tables",
  platformSourceGroup: "Platform",
  deviceSourceGroup: "Device Profiles",
  conductorSourceGroup: "Conductor Guide",
  manualSourceGroup: "Your Manuals",

  // app.svelte.ts
  allReleased:
    "Released the held keys, told the MIDI outputs in use to be silent and stopped all sequences.",
  restartingEngine: "Restarting the engine.",
  edit: "Edit",
  actionFailed: (action: string, reason: string): string => `${action} failed: ${reason}`,
  actionsFailed: (count: number, reason: string): string => `${count} actions failed: ${reason}`,
  openLinkQuestion: "Open this link in your browser?",
  open: "Open",

  // approvals.svelte.ts
  approvalTimedOut: (title: string): string => `Denied because nobody answered in time: ${title}`,

  // remote.svelte.ts
  asksForAccess: (client: string, source: string): string =>
    `${client} on another computer (${source}) asks for access`,
  accessGranted: (client: string): string => `${client} has access now`,
  accessExpired: (client: string): string =>
    `${client} did not get access: nobody answered in time`,

  // remote.ts
  scopeLook: "Read your config, devices and events, and simulate",
  scopeOperate: "Switch modes, mute devices and learn controls",
  scopePropose: "Propose changes, which you approve or reject",
  scopeHardware: "Send MIDI to your devices",
  scopeSkills: "Use the assistant’s tools that you offer to programs",
  scopeLookName: "Read",
  scopeOperateName: "operate",
  scopeProposeName: "propose changes",
  scopeHardwareName: "send MIDI",
  scopeSkillsName: "assistant’s tools",

  // config.svelte.ts
  undo: "Undo",
  redo: "Redo",
  theme: (theme: string): string => `Theme: ${theme}`,
  languageChosen: (language: "system" | "en" | "de"): string =>
    `Language: ${{ system: "system", en: "English", de: "Deutsch" }[language]}`,
  undone: "Undone",
  redone: "Redone",
  allModes: "All modes",
  performedOnce: "An action that was performed once",
  mappingOfMode: (number: number, mode: string): string => `mapping ${number} of mode ${mode}`,
  mappingOfProfile: (number: number, profile: string): string =>
    `mapping ${number} of profile ${profile}`,
  mappingOfAllModes: (number: number): string => `mapping ${number} of all modes`,

  // modes.svelte.ts
  blue: "Blue",
  green: "Green",
  amber: "Amber",
  purple: "Purple",
  orange: "Orange",
  teal: "Teal",
  pink: "Pink",
  lime: "Lime",

  // describe.ts
  appInFrontUnknown: (reason: string): string =>
    `Conductor cannot detect the foreground app: ${reason}. ` +
    "Until it can, a mapping with “App in front” does not fire for an app.",

  // state.ts
  cannotUndo:
    "Cannot undo: the config has changed since then. " +
    "You can restore an earlier version in History.",
  pageConfirmed: (page: number | null): string => `Page ${page} can now make changes`,
  confirmPage: (page: number): string => `Confirm page ${page}`,
  assistantCouldNotAnswer: "The assistant could not answer",
  assistantAsksWhetherToContinue: "The assistant asks whether to continue",
  assistantHasAnswered: "The assistant has answered",
  heard: (text: string): string => `Heard: ${text}`,
  didSpoken: (name: string): string => `Done: ${name}`,
  show: "Show",
  theAssistant: "The assistant",
  yourCommand: "Your command",
  theCommandLine: "The command line",
  anAgent: "An agent",
  proposes: (requester: string, plan: string): string => `${requester} proposes: ${plan}`,
  plansOutOfDate: (count: number): string =>
    count === 1 ? "1 plan is out of date" : `${count} plans are out of date`,
  review: "Review",
  switchedTo: (requester: string, mode: string): string => `${requester} switched to mode ${mode}`,
  switchBack: "Switch back",

  // pywebview.ts
  windowCouldNotReachConductor: "The window could not reach Conductor.",

  // transport.ts
  connectionLost: "The connection to Conductor is lost. Your last change may not have been saved.",
});
