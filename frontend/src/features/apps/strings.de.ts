/** German texts of `features/apps`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // McpApp.svelte
  openLink: (server) => `Einen Link von ${server} im Browser öffnen?`,
  open: "Öffnen",
  flooded: "Die Seite wurde geschlossen, weil sie zu viele Nachrichten gesendet hat.",
  pageOf: (server) => `Seite von ${server}`,
  sandboxed:
    "Diese Seite kommt vom MCP-Server. Sie erreicht weder das Netzwerk noch Conductor. Wenn sie " +
    "von ihrem Server etwas anfordert, fragt Conductor zuerst nach.",
  pageOfPrefix: "Seite von",
  denied: (permissions) => `Sie hat angefordert, was Conductor nicht erlaubt: ${permissions}.`,
  frameTitle: (title, server) => `${title}, von ${server}`,
  cannotShow: (problem) => `Die Seite des MCP-Servers konnte nicht angezeigt werden: ${problem}`,
};
