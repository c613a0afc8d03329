/** User-visible strings of `features/apps`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/apps", {
  // McpApp.svelte
  openLink: (server: string): string => `Open a link from ${server} in your browser?`,
  open: "Open",
  flooded: "The page was closed because it sent too many messages.",
  pageOf: (server: string): string => `Page from ${server}`,
  sandboxed:
    "This page comes from the MCP server. It cannot reach the network or " +
    "Conductor. When it asks its server for something, Conductor asks you first.",
  pageOfPrefix: "Page from",
  denied: (permissions: string): string =>
    `It asked for ${permissions}, which Conductor does not allow.`,
  frameTitle: (title: string, server: string): string => `${title}, by ${server}`,
  cannotShow: (problem: string): string => `Could not show the page of the MCP server: ${problem}`,
});
