/** German texts of `features/approvals`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // ApprovalQuestion.svelte
  asksForPermission: "bittet um Erlaubnis.",
  isToolOf: "Dies ist ein Tool von",
  notVerified: "; Conductor hat seine Beschreibung nicht geprüft.",
  usesTheNetwork: "verwendet das Netzwerk",
  arguments: "Argumente",
  longerApprovalCovers: "Eine längere Erlaubnis umfasst:",
  revokeHint: ". Sie lässt sich unter Einstellungen > Assistent-Tools widerrufen.",
  deniedIn: "Automatisch abgelehnt in",
  pendingPosition: (waiting) => `1 von ${waiting} offenen`,
  connectionLost: "Die Verbindung zu Conductor ist unterbrochen.",
  deny: "Ablehnen",
  neverAllowThisTool: "Dieses Tool nie erlauben",
  alwaysAllow: "Immer erlauben",
  allowInThisConversation: "In dieser Unterhaltung erlauben",
  allowOnce: "Einmal erlauben",

  // AccessQuestion.svelte
  accessTitle: (client) => `„${client}“ Zugriff auf Conductor geben?`,
  accessFrom: "Die Anfrage kam von",
  accessGoesTo: ", danach geht der Browser zu",
  accessWarning:
    "Nur erlauben, wenn die Anmeldung gerade selbst begonnen wurde. Den Namen des Agenten hat " +
    "niemand geprüft.",
  accessMay: "Der Agent darf",
  accessNew: "neu",
  accessCode: "Code im Browser",
  accessCodeHelp: "Die sechs Ziffern, die der Browser anzeigt.",
  allowAccess: "Zugriff erlauben",

  // ServerQuestion.svelte
  hasAQuestion: (server) => `${server} hat eine Frage`,
  serverQuestionWarning:
    "Diese Frage kommt von einem MCP-Server, nicht von Conductor. Die Antwort geht an den " +
    "Server: keine Passwörter oder Schlüssel eingeben.",
  optional: (label) => `${label} (optional)`,
  expiresIn: "Läuft ab in",
  questionPosition: (waiting) => `1 von ${waiting} Fragen`,
  notNow: "Nicht jetzt",
  decline: "Ablehnen",
  sendAnswer: "Antwort senden",

  // form.ts
  required: "Erforderlich.",
  chooseOne: "Eines auswählen.",
  enterWholeNumber: "Eine ganze Zahl eingeben.",
  atLeast: (min) => `Muss mindestens ${min} sein.`,
  atMost: (max) => `Darf höchstens ${max} sein.`,
  tooShort: (min) => `Muss mindestens ${min} Zeichen haben.`,
  tooLong: (max) => `Darf höchstens ${max} Zeichen haben.`,

  // words.ts
  allowToolFrom: (title, origin) => `„${title}“${origin ? ` von ${origin}` : ""} erlauben?`,
  allowTool: (title) => `„${title}“ erlauben?`,
  hiddenCharacters: "Es enthält unsichtbare Zeichen. Sie sind markiert.",
};
