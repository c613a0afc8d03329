/** User-visible strings of `features/approvals`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/approvals", {
  // ApprovalQuestion.svelte
  asksForPermission: "asks for permission.",
  isToolOf: "This is a tool of",
  notVerified: "; Conductor has not checked its description.",
  usesTheNetwork: "uses the network",
  arguments: "Arguments",
  longerApprovalCovers: "A longer approval covers:",
  revokeHint: ". You can revoke it in Settings > Assistant tools.",
  deniedIn: "Denied automatically in",
  pendingPosition: (waiting: number): string => `1 of ${waiting} pending`,
  connectionLost: "The connection to Conductor is lost.",
  deny: "Deny",
  neverAllowThisTool: "Never allow this tool",
  alwaysAllow: "Always allow",
  allowInThisConversation: "Allow in this conversation",
  allowOnce: "Allow once",

  // AccessQuestion.svelte
  accessTitle: (client: string): string => `Give “${client}” access to Conductor?`,
  accessFrom: "The request came from",
  accessGoesTo: ", and the browser then goes on to",
  accessWarning:
    "Allow this only if you have just started it yourself. Nobody has verified the name of the " +
    "agent.",
  accessMay: "The agent may",
  accessNew: "new",
  accessCode: "Code in the browser",
  accessCodeHelp: "Enter the six digits that the browser shows.",
  allowAccess: "Allow access",

  // ServerQuestion.svelte
  hasAQuestion: (server: string): string => `${server} has a question`,
  serverQuestionWarning:
    "This question comes from an MCP server, not from Conductor. Your answer goes " +
    "to the server: do not enter passwords or keys.",
  optional: (label: string): string => `${label} (optional)`,
  expiresIn: "Expires in",
  questionPosition: (waiting: number): string => `1 of ${waiting} questions`,
  notNow: "Not now",
  decline: "Decline",
  sendAnswer: "Send answer",

  // form.ts
  required: "Required.",
  chooseOne: "Choose one.",
  enterWholeNumber: "Enter a whole number.",
  atLeast: (min: number): string => `Must be at least ${min}.`,
  atMost: (max: number): string => `Must be at most ${max}.`,
  tooShort: (min: number): string => `Must have at least ${min} characters.`,
  tooLong: (max: number): string => `Must have at most ${max} characters.`,

  // words.ts
  allowToolFrom: (title: string, origin: string | null): string =>
    `Allow “${title}”${origin ? ` from ${origin}` : ""}?`,
  allowTool: (title: string): string => `Allow “${title}”?`,
  hiddenCharacters: "It contains invisible characters. They are marked.",
});
