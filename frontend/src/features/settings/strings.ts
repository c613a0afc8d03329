/** User-visible strings of `features/settings`, in one place for translation. */
import { formatNumber } from "$language/format";
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/settings", {
  // About.svelte
  version: (version: string): string => `Conductor ${version}`,
  platform: (platform: string): string => `on ${platform}. Apache License 2.0.`,
  builtWith: (count: number): string => `Built with ${count} open-source components`,

  // AgentLines.svelte
  agentsIntro:
    "Agents propose changes, and you decide: their proposals appear as plans in this " +
    "window. Without asking, they switch modes, mute devices, use MIDI Learn and send MIDI; " +
    "Activity lists all of it. Choose your agent, and run the command in a terminal, once.",
  yourAgent: "Your agent",
  a2aIntro:
    "Agents that speak A2A give Conductor tasks. A change waits as a plan in this window until " +
    "you decide.",
  a2aCard: "Agent card",
  a2aCardLabel: "the address of the agent card",
  a2aToken: "Place of token",
  a2aTokenLabel: "the place of the token",
  commandFor: (name: string): string => `the command for ${name}`,

  // Backup.svelte
  backup: "Backup",
  backupIntro:
    "A backup is one file with your mappings, modes, profiles, settings, device profiles and the " +
    "preferences of this window. It contains no keys, passwords or tokens.",
  saveBackup: "Save a backup…",
  restoreBackup: "Restore a backup…",
  backupFile: "Backup file",
  backupTooLarge: (name: string): string =>
    `${name} is too large for a backup. Choose a file that "Save a backup" has written.`,
  restoreBackupQuestion: "Restore this backup?",
  backupOf: (at: string, version: string): string =>
    `Made on ${at} with Conductor ${version}. Your current config stays in the history.`,
  backupChangesNothing:
    "Everything in this backup is the same as now. There is nothing to restore.",
  backupWarnings: "Check these first",
  backupConfig: "Changes of the config",
  backupOnlyComments: "Only comments or formatting change.",
  backupProfiles: "Device profiles",
  backupAddsProfile: (title: string): string => `Adds ${title}`,
  backupReplaces: (title: string): string => `Replaces your profile of ${title}`,
  backupPrefs: (count: number): string =>
    count === 1
      ? "1 preference of this window changes, such as the width of a list."
      : `${count} preferences of this window change, such as the width of a list.`,
  cancel: "Cancel",
  restoreThisBackup: "Restore the backup",
  backupRestored: "Backup restored",

  // ConfigFile.svelte
  fileIntro:
    "This file contains all settings and mappings. Edit it with any editor: " +
    "Conductor loads it when you save, and keeps the previous version.",
  pathConfigFile: "the path of the config file",
  showFile: "Show file",
  home: (home: string): string => `Home folder: ${home}`,
  theConfigFile: "The config file",
  emptyFile: "The file is empty: everything has its default value.",

  // CopyLine.svelte
  noClipboard:
    "This page cannot use the clipboard. The text is selected: copy it with the keyboard.",
  copyNamed: (label: string): string => `Copy ${label}`,
  copied: "Copied",
  copy: "Copy",

  // DesktopAccess.svelte
  keysAndMouse: "Keys and mouse",
  appInFront: "App in front",
  askNow: "Ask now",
  installExtension: "Install",
  removeExtension: "Remove extension",
  extensionRemoved: "Extension removed",

  // desktop.ts
  desktopIsAsking:
    "The desktop is asking whether Conductor may press keys. Allow it in its dialog.",
  noWayToPressKeys: "Conductor cannot press keys yet.",
  keysAreSentBy: (route: string): string => `Keys are sent by ${route}.`,
  extensionIsActive: "Profiles follow the app in front, through Conductor’s extension for GNOME.",
  profilesCannotFollow: (problem: string): string =>
    `Profiles cannot follow the app in front: ${problem}.`,

  // Recording.svelte
  clearQuestion: "Clear the recording?",
  clearWarning: "Plans can no longer be checked against your earlier input. This cannot be undone.",
  clearRecording: "Clear recording",
  recordingCleared: "Recording cleared",
  recording: "Recording",

  // MicrophoneSelect.svelte
  defaultMicrophone: "Default of the system",
  microphoneNotConnected: (name: string): string => `${name} (not connected)`,

  // RemoteAccess.svelte
  remoteAccess: "Access of agents on other computers",
  remoteIntro:
    "Enter this address in the agent. It opens a page in a browser with a code, and you decide " +
    "here.",
  address: "Address",
  theAddress: "the address for agents",
  fingerprint: "Fingerprint",
  theFingerprint: "the fingerprint of the certificate",
  certificate: "Certificate",
  theCertificate: "the path of the certificate",
  selfMadeHint:
    "Conductor made this certificate. Copy the file to the other computer and let " +
    "the agent trust " +
    "it, or compare the fingerprint (SHA-256) that the browser shows.",
  asksFrom: "asks for access, from",
  waiting: "Waiting",
  review: "Review",
  agentsWithAccess: "Agents with access",
  noAgentHasAccess: "No agent on another computer has access.",
  accessDates: (since: string, used: string | null): string =>
    `Since ${since}, ${used ? `last used ${used}` : "never used"}`,
  revokeQuestion: (client: string): string => `Revoke the access of ${client}?`,
  revokeWarning: "The agent is disconnected at once. It can ask for access again.",
  revokeAccess: "Revoke",
  revokeAccessOf: (client: string): string => `Revoke the access of ${client}`,
  accessRevoked: (client: string): string => `${client} no longer has access`,

  // SettingControl.svelte
  notSet: "Not set",
  firstMode: "The first mode",
  none: "None",
  all: "All",

  // ToolsPicker.svelte
  addTool: (list: string): string => `${list}: add a tool`,
  addAnotherTool: "Add a tool",
  addNamedTool: (name: string): string => `Add ${name}`,
  removeTool: (title: string): string => `Remove ${title}`,

  // GroupSection.svelte
  rareSettings: (count: number, changed: number): string =>
    `${count} more ${count === 1 ? "setting" : "settings"}` +
    (changed ? `, ${changed} changed` : ""),

  // SettingRow.svelte
  anEmptyList: "an empty list",
  nothing: "nothing",
  on: "on",
  off: "off",
  notTheDefault: "Not the default",
  changedMark: ", changed",
  reset: (setting: string): string => `Reset ${setting} to its default`,
  resetTo: (value: string): string => `Reset to default: ${value}`,

  // recording.ts
  nothingRecordedYet: "Nothing recorded yet.",
  onDisk: (size: string): string => `${size} on disk`,
  inMemoryOnly: "in memory only",
  recorded: (played: string, entries: number, place: string): string =>
    `Recorded: ${played} of input, ${formatNumber(entries)} ` +
    `${entries === 1 ? "event" : "events"}, ${place}.`,

  // settings.ts
  window: "Window and start",
  keysAndApps: "Keys and apps",
  midiOscGamepads: "MIDI, OSC, gamepads",
  midiLearn: "MIDI Learn",
  voice: "Voice",
  agentsMcp: "Agents (MCP)",
  agentsA2a: "Agents (A2A)",
  remoteAgents: "Agents on other computers",

  // SettingsView.svelte
  general: "General",
  inputAndOutput: "Input and output",
  assistant: "Assistant",
  connections: "Connections",
  agents: "Agents",
  providers: "Providers",
  assistantTools: "Assistant tools",
  mcpServers: "MCP servers",
  knowledgeSources: "Knowledge sources",
  skills: "Skills",
  providersHint: "Models and API keys for the assistant, and their costs.",
  /** Other words by which a search finds settings, by their paths. */
  providersKeywords:
    "providers keys models chat budget costs failover anthropic openai google " +
    "openrouter litellm ollama",
  assistantToolsHint:
    "What the assistant can do besides mapping: calculate, remember, read files, " +
    "search the web. And what needs your approval.",
  assistantToolsKeywords:
    "assistant tools abilities calculator notes tasks files folders code web search " +
    "fetch network permission approval grants remembered always never",
  serversHint: "Tools of other programs for the assistant and for your controls.",
  serversKeywords:
    "mcp servers plugins integrations tools add import obs home assistant mcp.json consent log",
  knowledgeHint: "What the assistant can look up: the index, its sources, your device profiles.",
  knowledgeKeywords:
    "knowledge sources index search retrieval community hub device profile import " +
    "update midi osc artnet hid manual manuals pdf handbook",
  skillsHint:
    "Instructions that the assistant uses for certain tasks. Install and remove them here.",
  skillsKeywords: "agent skills guidance install github archive remove",
  fileKeywords: "config file path home",
  configFile: "Config file",
  backupKeywords: "backup export import restore save move another computer",
  aboutKeywords: "about version licence license",
  about: "About",
  resetDone: (setting: string): string => `${setting}: reset to default`,
  changed: (setting: string): string => `${setting} changed`,
  settings: "Settings",
  note: "Changes are saved immediately",
  settingsSections: "Settings sections",
  couldNotLoadSettings: "Could not load the settings",
  loadingTheSettings: "Loading the settings",
  noMatchingSettings: "No matching settings",
  noMatchingSettingsHint: "Try another search, such as theme, port or agent.",
  groupsOfSettings: "Groups of settings",
  open: "Open",
});
