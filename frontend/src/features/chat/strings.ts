/** User-visible strings of `features/chat`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/chat", {
  // Announcer.svelte
  answerWithPlan: "The answer is complete. A plan is waiting for approval.",
  answering: "Answering.",
  stopped: "Stopped.",
  asksToContinue: "The assistant asks whether to continue.",
  answerComplete: "The answer is complete.",

  // AnswerMessage.svelte
  cachedTokens: (tokens: string): string => ` (${tokens} cached)`,
  usage: (input: string, cached: string, output: string, requests: number): string =>
    `${input} input tokens${cached}, ${output} output tokens, ` +
    (requests === 1 ? "1 request" : `${requests} requests`),
  answer: "Answer",
  compacted: "The messages above were summarised for the model. They are all kept.",
  copied: "Copied",
  copyAnswer: "Copy answer",
  tokens: (tokens: string): string => `${tokens} tokens`,

  // Attachment.svelte
  config: "Config",
  midiFile: "MIDI file",
  text: "Text",
  image: "Image",
  remove: (name: string): string => `Remove ${name}`,

  // Branches.svelte
  versionOf: (at: number, count: number): string => `Version ${at} of ${count}`,
  previousVersion: "Previous version",
  nextVersion: "Next version",

  // ComposerBox.svelte
  commands: "Commands",
  mentions: "Mentions",
  attachingTheFile: "Attaching the file",
  noImages: (model: string | null | undefined): string =>
    `${model ?? "This model"} cannot read images. Choose another model.`,
  startingToListen: "Starting to listen…",
  touchControl: "Press, hold or turn a control.",
  cancel: "Cancel",
  message: "Message",
  queuePlaceholder: "Write the next message; it is sent after this answer",
  placeholder: "Describe what a control should do. @ mentions a device or mode, / lists commands",
  attachFile: "Attach a config, a MIDI file or an image",
  holdToTalk: "Hold to talk",
  holdToTalkTip: "Hold while you speak; Esc forgets what was said",
  mentionControl: "Mention a control by touching it",
  model: "Model",
  queueMessage: "Queue message",
  queueMessageEnter: "Queue message (Enter)",
  stopImmediately: "Stop immediately",
  stop: "Stop",
  stopImmediatelyEsc: "Stop immediately (Esc)",
  stopEsc: "Stop (Esc)",
  send: "Send",
  sendEnter: "Send (Enter)",
  filesToAttach: "Files to attach",

  // FailureCard.svelte
  tryAgain: "Try again",
  searchKnowledge: "Search Knowledge",
  openSettingsProviders: "Open Settings > Providers",
  changeBudget: "Change budget",
  compactConversation: "Compact conversation",
  answerWithAnotherModel: "Answer with another model",

  // History.svelte
  deleteThisConversation: "Delete this conversation?",
  deleteWarning: (name: string): string =>
    `“${name}” and all its messages will be deleted. Changes that it made to the config are kept.`,
  rename: "Rename",
  exportAsMarkdown: "Export as Markdown",
  exportAsJson: "Export as JSON",
  delete: "Delete",
  deleteButton: "Delete…",
  newChat: "New chat",
  couldNotLoadConversations: "Could not load the conversations",
  loadingTheConversations: "Loading the conversations",
  conversations: "Conversations",
  conversationTitle: "Conversation title",
  newConversation: "New conversation",
  answeringConversation: "Answering",
  moreFor: (title: string): string => `More actions for ${title}`,
  noMatches: "No matches. Try another search.",
  noConversationsYet: "Your conversations appear here.",
  loadingOlderConversations: "Loading older conversations",
  showOlderConversations: "Show older conversations",

  // MessageList.svelte
  conversation: "Conversation",
  loadingOlderMessages: "Loading older messages",
  showOlderMessages: "Show older messages",
  jumpToLatest: "Jump to latest",

  // Meters.svelte
  conversationCost: (spent: string, budget: string): string =>
    `This conversation: ${spent}${budget && ` of ${budget}`}`,
  todayCost: (cost: string): string => `Today: ${cost}`,
  contextUsed: (percent: number): string => `${percent} % of the context window used`,
  context: "Context",
  contextWindow: (tokens: string): string => `of ${tokens} tokens of context window used.`,
  compactHint:
    "Compacting frees space: older messages are summarised for the model. They are all kept.",
  compactLater:
    "When the window is nearly full, older messages are summarised for the model. " +
    "They are all kept.",
  compactNow: "Compact now",

  // ModelSwitcher.svelte
  noModelSetUpYet: "No model is set up yet.",
  findAModel: "Find a model",
  models: "Models",
  selectedModel: "chosen",
  removeFromFavourites: "Remove from favourites (*)",
  addToFavourites: "Add to favourites (*)",
  favourite: "favourite",
  noModelMatches: (query: string): string => `No model matches “${query}”.`,

  // PausedCard.svelte
  continueQuestion: "Continue?",
  stepsUsed: "The answer reached the maximum number of steps.",
  continue: "Continue",

  // PlanCard.svelte
  unnamedPlan: "A plan",
  planTitle: (description: string): string => `Plan: ${description}`,
  hideChanges: "Hide changes",
  showChanges: "Show changes",
  planGone: "This plan has been deleted. Ask for it again if you still want it.",
  askAgain: "Ask again",
  loadingThePlan: "Loading the plan",
  failsExamples: "Its own examples fail",
  allowOnce: "Allow once",
  applySome: (count: number, all: number): string => `Apply ${count} of ${all}`,
  edit: "Edit",
  applyEdited: "Use these changes",
  discard: "Discard",
  undo: "Undo",
  redo: "Redo",
  exampleFails: "An example fails, so the plan cannot be applied.",
  showInPlans: "Show in Plans",

  // Queue.svelte
  queuedMessages: "Queued messages",
  removeMessageFromQueue: (text: string): string => `Remove from queue: ${text}`,
  removeFromQueue: "Remove from queue",

  // Regenerate.svelte
  answerAgain: "Answer again",
  answerAgainWithAnotherModel: "Answer again with another model",

  // RunLine.svelte
  thinking: "Thinking",
  writing: "Writing",
  usingConductor: "Using Conductor",
  retrying: "Retrying",
  waiting: "Waiting",
  stopping: "Stopping",
  waitingForApproval: "Waiting for approval",
  starting: "Starting",
  step: (step: number, steps: number): string => `step ${step} of ${steps}`,
  escStops: (now: boolean): string => `Esc stops${now ? " immediately" : ""}`,

  // SourceMark.svelte
  source: (number: number, section: string): string => `Source ${number}: ${section}`,

  // SourcePeek.svelte
  loading: "Loading…",
  cannotShow: (error: string): string => `Could not show the source: ${error}`,
  relevances: { strong: "strong", fair: "fair", weak: "weak" },
  match: (source: string, strength: string, single: boolean, community: boolean): string =>
    `${source} · ${strength} ` +
    `match${single ? " · one source" : ""}` +
    (community ? " · from the community, not verified" : ""),

  // Sources.svelte
  sources: "Sources",
  otherSources: "Other sources",
  uncited: (count: number): string => `${count} more, not cited`,
  sourceMatch: (number: number, section: string, match: string): string =>
    `Source ${number}: ${section}, ${match} match`,
  sourcePage: (page: number): string => `p. ${page}`,
  notVerified: "not verified",
  noKnowledge: "Answered without the knowledge base:",

  // ThinkingBlock.svelte
  thoughts: "Thoughts",

  // ToolCard.svelte
  writingArguments: "writing",
  waitingForApprovalInline: "waiting for approval",
  done: "done",
  denied: "denied",
  failed: "failed",
  running: "running",
  notCalled: "not called",
  found: (titles: string): string => `Found: ${titles || "nothing"}`,
  foreignToolWarning:
    "Tool from an MCP server. Conductor has not checked its description or results.",

  // ToolDetails.svelte
  code: "Code",
  badArguments: "Arguments (invalid JSON)",
  arguments: "Arguments",
  output: "Output",
  result: "Result",
  error: "Error",
  timedOut: "timed out",
  noOutput: "No output.",
  results: "Results",
  foundSkills: "Found skills",
  noResults: "No results.",

  // UserMessage.svelte
  you: "You",
  editMessage: "Edit message",
  answerKept: "The current answer is kept as another version.",
  sendAgain: "Send again",
  copyMessage: "Copy message",
  editAndSendAgain: "Edit and send again",

  // Welcome.svelte
  whatShouldYourControlsDo: "What should your controls do?",
  intro:
    "The model reads your config and answers with a plan: what it changes, what it " +
    "would have done with the input that you recorded, and which conflicts it " +
    "causes. Nothing changes until you apply it.",
  addKeyOrAddress: "Add an API key, or the address of a model on this computer.",
  commandsWithoutModel: "These commands work without a model:",
  suggestions: "Suggestions",
  mentionHint: "mentions a device, a control, a mode or a plan ·",
  commandHint: "lists commands that need no model",

  // composer.svelte.ts
  fileTooLarge: (name: string): string => `${name} is larger than 10 MB.`,
  commandExample: (example: string): string => `for example: ${example}`,
  touchAControl: "Touch a control",
  touchHint: "Inserts the next control that you press or turn",

  // BlockView.svelte
  table: "Table",
  toDo: "to do",

  // CodeBlock.svelte
  plainText: "text",
  codeIn: (language: string): string => (language ? `Code, ${language}` : "Code"),
  copyCode: "Copy code",

  // Inline.svelte
  imagesNotLoaded: "Images are not loaded",

  // models.svelte.ts
  price: (input: string, output: string): string => `${input} in, ${output} out per million tokens`,
  retires: (date: string): string => `until ${date}`,

  // words.ts
  under1Ms: "under 1 ms",
  noApiKey: "No API key",
  apiKeyRejected: "API key rejected",
  tooManyRequests: "Too many requests",
  serviceOverloaded: "The service is overloaded",
  noCreditLeft: "No credit left",
  noConnection: "No connection",
  conversationTooLong: "The conversation is too long",
  modelNotFound: "Model not found",
  requestRejected: "Request rejected",
  modelDeclinedToAnswer: "The model declined to answer",
  budgetUsedUp: "The budget is used up",
  somethingWentWrong: "Something went wrong",
  today: "Today",
  yesterday: "Yesterday",
  thisWeek: "This week",

  // ChatView.svelte
  chat: "Chat",
  searchAllConversations: "Search all conversations",
  hideConversations: "Hide conversations",
  showConversations: "Show conversations",
  history: "History",
  couldNotLoadConversation: "Could not load the conversation",
  loadingTheConversation: "Loading the conversation",
});
