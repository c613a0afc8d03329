/** User-visible strings of `features/servers`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/servers", {
  // AddServer.svelte
  command: "Command",
  address: "Address",
  pasteJson: "Paste JSON",
  aServer: "A server",
  servers: (count: number): string => `${count} servers`,
  addMcpServer: "Add MCP server",
  addHint: "Nothing runs yet. You see exactly what will run, and allow it first.",
  howToAdd: "How to add it",
  jsonFromDocumentation: "JSON from the server's documentation",
  jsonHelp:
    "The usual `mcpServers` format of Claude Desktop, Cursor or VS Code. It can " +
    "contain several servers.",
  json: "JSON",
  headersOptional: "Headers (optional)",
  headersHelp: "One per line, for example `Authorization: Bearer …`.",
  headers: "Headers",
  commandWithArguments: "Command with its arguments",
  commandHelp:
    "As in a terminal, but no shell reads it: `|`, `>` and `$NAME` have no special meaning.",
  variablesOptional: "Variables (optional)",
  variablesHelp: "One per line, for example `API_KEY=…`.",
  variables: "Variables",
  name: "Name",
  nameHelp: "Its name here and in `mcp.json`.",
  cancel: "Cancel",
  add: "Add",

  fromList: "From the list",
  addKnown: (title: string): string => `Add ${title}`,
  backToList: "Back to the list",
  loadingKnownServers: "Loading the list",

  // KnownServerForm.svelte
  programMissing: (program: string): string =>
    `This server runs with \`${program}\`, which was not found on this computer. Install ` +
    "it, then restart Conductor.",
  howToInstall: "How to install it",
  before: "Before:",
  signInAfterwards:
    "Conductor connects to this service on the internet. You sign in in your browser afterwards.",
  optional: (label: string): string => `${label} (optional)`,
  secretHelp: "Stored in the keychain; without one, in `mcp.json`, which only you can read.",

  // KnownServers.svelte
  searchServers: "Search servers",
  groups: {
    computer: "This computer",
    studio: "Studio and stage",
    home: "Home",
    work: "Work",
  },
  secret: "Secret",
  file: "File",
  signInNeed: "Sign-in",
  noKnownServer:
    "No server in the list matches. You can add any other with its command, address or JSON.",

  // ChangedTool.svelte
  staysOff: (isNew: boolean): string =>
    "The server " +
    `${isNew ? "added this tool" : "changed the description of this tool"} after you ` +
    "allowed it. It stays off until you review it.",
  changedDuringReview: "It changed again during your review.",
  changes: "Changes",
  showCurrentVersion: "Show the current version",
  acceptTool: "Accept tool",
  acceptChange: "Accept change",

  // CommandView.svelte
  whatWillRun: "What will run",
  foundAt: "found at",
  arguments: "Arguments",
  none: "none",
  folder: "Folder",
  yourHomeFolder: "your home folder",

  // ConsentDialog.svelte
  runQuestion: (server: string): string => `Allow “${server}” to run on this computer?`,
  connectQuestion: (server: string): string => `Connect to “${server}”?`,
  runWarning:
    "This program runs with your permissions: it can do everything that you can do. " +
    "Run only programs that you trust.",
  connectWarning: "Conductor sends the assistant's calls to this address.",
  consentHint: (local: boolean): string =>
    `${local ? "It runs without a shell and with few environment variables. " : ""}If ` +
    "any of this changes, Conductor asks again. The assistant asks you before it calls " +
    "one of its tools. A control that you map to a tool calls it at once.",
  changedMeanwhile: (server: string): string =>
    `“${server}” has changed since you opened this dialog. What you see is not what would run.`,
  gone: (server: string): string => `“${server}” has been removed.`,
  notNow: "Not now",
  allow: "Allow",
  connect: "Connect",

  // EditServer.svelte
  oneServerAtATime: "Change one server at a time.",
  editServer: (server: string): string => `Edit ${server}`,
  editHint: "If the change affects what runs, Conductor asks you to allow it again.",
  configuration: "Configuration",
  entryHelp:
    "A variable or header with the value `null` keeps its current value, which is " +
    "never shown. Enter other fields again, such as `timeout`.",
  save: "Save",

  // ImportServers.svelte
  importServers: "Import servers",
  importHint:
    "The MCP servers of other programs on this computer. You allow each one before it runs here.",
  warnings: "Warnings",
  lookingForOtherPrograms: "Looking for other programs",
  noServersFound: "No servers found",
  noneFound:
    "Conductor looked in Claude Desktop, Claude Code, Cursor, VS Code and others. " +
    "You can add a server yourself.",
  alreadyAdded: "already added",
  replacesYours: "replaces yours",
  noServers: "No servers.",
  done: "Done",
  importCount: (count: number): string => `Import ${count}`,
  import: "Import",

  // ServerCard.svelte
  removeText:
    "The server is stopped and removed from mcp.json. Your answers to its tools are " +
    "deleted, and controls that call it stop working.",
  removeQuestion: (server: string): string => `Remove ${server}?`,
  remove: "Remove",
  oneToolToReview: "1 tool to review",
  toolsToReview: (count: number): string => `${count} tools to review`,
  review: "Review…",
  signIn: "Sign in…",
  useServer: (server: string): string => `Use ${server}`,
  waitingForSignIn: "Waiting for you to sign in in your browser.",
  needsMorePermissions: "The server refused a call because it needs more permissions.",
  waitingForAnswer:
    "Waiting for the server to answer. If it has to be downloaded first, this can " +
    "take a minute; see its Log.",
  detailsOf: (server: string): string => `Details of ${server}`,
  tools: (count: number): string => `Tools${count ? ` (${count})` : ""}`,
  log: "Log",
  stop: "Stop",
  restart: "Restart",
  start: "Start",
  signOut: "Sign out",
  test: "Test",
  editButton: "Edit…",
  removeButton: "Remove…",
  thisServerHasNoTools: "This server has no tools.",
  toolsWhenRunning: "Its tools appear when it runs.",

  // ServerLog.svelte
  emptyLog: "No log yet. The error output of the server appears here.",
  outputNewestLast: "Output, newest last",
  reloadTheLog: "Reload the log",
  loadingTheLog: "Loading the log",
  logOf: (server: string): string => `Log of ${server}`,

  // ServerTools.svelte
  toolsOf: (server: string): string => `Tools of ${server}`,
  changed: "changed",
  new: "new",
  showsAppHint: "It can show a small window in the chat.",
  showsAnApp: "shows an app",
  useTool: (tool: string): string => `Use ${tool}`,
  asksFirst: " asks you before it does anything.",
  parametersOf: (tool: string): string => `Parameters of ${tool}`,

  // ServersPage.svelte
  couldNotLoadMcpServers: "Could not load the MCP servers",
  loadingMcpServers: "Loading the MCP servers",
  mcpServers: "MCP servers",
  importButton: "Import…",
  addServer: "Add server",
  intro:
    "MCP servers give the tools of other programs to the assistant and to your " +
    "controls: OBS, Home Assistant, files, a calendar. Each one runs only after you " +
    "have seen what it runs.",
  integrationsOff:
    "The assistant cannot call them yet: Integrations are off in Assistant tools. Controls " +
    "that you mapped can.",
  switchOn: "Switch on",
  noMcpServers: "No MCP servers",
  noServersHint:
    "“Add server” has a list of servers, such as OBS, Home Assistant, GitHub and Notion; for any " +
    "other, paste the JSON from its documentation. If Claude Desktop, Cursor or VS Code has " +
    "servers, import them.",
  savedIn: "Saved in",
  fileFormat: ", in the format that other programs use too.",
  learnMore: "Learn more",

  // SignInDialog.svelte
  signInTo: (server: string): string => `Sign in to “${server}”`,
  signInHint:
    "You sign in in your browser, at the address below. Conductor never sees your " +
    "password. It stores the access token where your keys are stored.",
  thisOpens: "This opens",
  signInWarning: ". Continue only if you know this site and it belongs to the server.",
  waitingMinutes: (minutes: number): string =>
    `Waiting for your sign-in. This dialog closes after ${minutes} minutes.`,
  openAgain: "Open again",
  openInBrowser: "Open in browser",

  // entry.ts
  mustBeJsonObject: "It must be an object: { … }.",
  badJson: (why: string): string => `Invalid JSON: ${why}`,
  entryMustBeObject: (name: string): string =>
    `\`${name}\` must be an object with a \`command\` or a \`url\`.`,
  hasNeither: (name: string): string => `\`${name}\` has neither a \`command\` nor a \`url\`.`,
  containsNoServer: "It contains no server.",
  needsValue: (line: string, example: string): string =>
    `\`${line}\` needs a name and a value: \`${example}\`.`,

  // servers.controller.svelte.ts
  removed: (name: string): string => `Removed ${name}`,
  imported: (name: string): string => `Imported ${name}`,
  importedCount: (count: number): string => `Imported ${count} servers`,
  accepted: (name: string): string => `Accepted ${name}`,

  // words.ts
  toolCount: (count: number): string => (count === 1 ? "1 tool" : `${count} tools`),
  resourceCount: (count: number): string => (count === 1 ? "1 resource" : `${count} resources`),
  promptCount: (count: number): string => (count === 1 ? "1 prompt" : `${count} prompts`),
  off: "Off",
  waitingForApproval: "Waiting for approval",
  starting: "Starting",
  ready: "Ready",
  failed: "Failed",
  stopped: "Stopped",
  signInNeeded: "Sign-in needed",
});
