/** Texts for tool calls, durations, failures and conversations in the chat. */
import { formatDate, formatFixed } from "$language/format";
import { fieldName } from "$forms/names";
import { localized } from "$language/language.svelte";
import type { ChatFailure, Conversation } from "$lib/client/types";
import { strings } from "./strings";

/** Summarize the arguments of a tool call: its description, or its scalar values. */
export function summarizeArguments(args: Record<string, unknown>): string {
  if (typeof args["description"] === "string" && args["description"]) return args["description"];
  return Object.entries(args)
    .filter(
      ([, value]) =>
        typeof value === "string" || typeof value === "number" || typeof value === "boolean",
    )
    .map(([name, value]) => `${fieldName(name)} ${value}`)
    .join(", ");
}

/** Format JSON with line breaks; return any other text unchanged. */
export function formatJson(text: string): { text: string; language: string } {
  try {
    return { text: JSON.stringify(JSON.parse(text), null, 2), language: "json" };
  } catch {
    return { text, language: "" };
  }
}

export function formatDuration(ms: number): string {
  return ms < 1
    ? strings.under1Ms
    : ms < 1_000
      ? `${Math.round(ms)} ms`
      : `${formatFixed(ms / 1_000, 1)} s`;
}

/** The ways to recover from a failed answer. */
export type Remedy = "settings" | "again" | "model" | "compact" | "budget" | "knowledge";

const REMEDIES: Record<ChatFailure["kind"], Remedy[]> = {
  no_key: ["settings", "knowledge", "model"],
  auth: ["settings", "model"],
  rate_limit: ["again", "model"],
  overloaded: ["again", "model"],
  quota: ["settings", "model"],
  network: ["again", "settings", "model"],
  context_overflow: ["compact", "model"],
  model_not_found: ["model", "settings"],
  bad_request: ["again", "model"],
  refusal: ["model"],
  budget: ["budget"],
  internal: ["again", "model"],
};
export const remediesOf = (failure: ChatFailure): Remedy[] => REMEDIES[failure.kind];

export const FAILURE_TITLES: Record<ChatFailure["kind"], string> = localized(() => ({
  no_key: strings.noApiKey,
  auth: strings.apiKeyRejected,
  rate_limit: strings.tooManyRequests,
  overloaded: strings.serviceOverloaded,
  quota: strings.noCreditLeft,
  network: strings.noConnection,
  context_overflow: strings.conversationTooLong,
  model_not_found: strings.modelNotFound,
  bad_request: strings.requestRejected,
  refusal: strings.modelDeclinedToAnswer,
  budget: strings.budgetUsedUp,
  internal: strings.somethingWentWrong,
}));

const DAY_MS = 86_400_000;

/** Return the heading of the history group that a conversation belongs to. */
export function ageGroup({ updated_at }: Conversation, now = Date.now()): string {
  const today = new Date(now).setHours(0, 0, 0, 0);
  const at = Date.parse(updated_at);
  if (at >= today) return strings.today;
  if (at >= today - DAY_MS) return strings.yesterday;
  if (at >= today - 6 * DAY_MS) return strings.thisWeek;
  return formatDate(at, { month: "long", year: "numeric" });
}

/** Convert a title to a valid file name. */
export function fileName(title: string): string {
  return (
    title
      .normalize("NFKD")
      .replace(/[^\w]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 60)
      .toLowerCase() || "conversation"
  );
}
