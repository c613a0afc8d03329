/** Texts of MCP servers in Settings. */
import { localized } from "$language/language.svelte";
import type { ServerView } from "$lib/client/types";
import type { Tone } from "$ui";
import { strings } from "./strings";

export const STATES: Record<ServerView["state"], { label: string; tone: Tone }> = localized(() => ({
  off: { label: strings.off, tone: "unmatched" },
  needs_consent: { label: strings.waitingForApproval, tone: "waiting" },
  starting: { label: strings.starting, tone: "mode" },
  ready: { label: strings.ready, tone: "fired" },
  failed: { label: strings.failed, tone: "failed" },
  stopped: { label: strings.stopped, tone: "unmatched" },
  sign_in: { label: strings.signInNeeded, tone: "waiting" },
}));

/** Return the address or the command of a server in one line. */
export function serverAddress({
  url,
  command,
  args,
}: Pick<ServerView, "url" | "command" | "args">): string {
  return url ?? [command, ...args].filter(Boolean).join(" ");
}

/** Describe the number of tools, resources and prompts of a server. */
export function describeOffers({
  tools,
  resources,
  prompts,
}: Pick<ServerView, "tools" | "resources" | "prompts">): string {
  return [
    tools.length ? strings.toolCount(tools.length) : "",
    resources ? strings.resourceCount(resources) : "",
    prompts ? strings.promptCount(prompts) : "",
  ]
    .filter(Boolean)
    .join(", ");
}

/** Return the number of new or changed tools of a server, which the user must review. */
export function countToolsToReview(server: Pick<ServerView, "tools">): number {
  return server.tools.filter((one) => one.state !== "ok").length;
}

export function entryAddress(entry: Readonly<Record<string, unknown>>): string {
  const { url, command, args } = entry;
  if (typeof url === "string") return url;
  return [command, ...(Array.isArray(args) ? args : [])]
    .filter((one) => typeof one === "string")
    .join(" ");
}
