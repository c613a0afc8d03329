/** What the questions of approval say. Pure. */
import type { ApprovalView } from "$lib/client/types";
import { ownTitle, serverOf } from "$lib/skills";
import { hasHidden } from "$ui";
import { strings } from "./strings";

/**
 * So long after it came up, neither a yes nor Escape is taken: a click or key may have been meant
 * for what was there before.
 */
export const ARMED_AFTER_MS = 700;

export function headline({
  title,
  tool,
  origin,
}: Pick<ApprovalView, "title" | "tool" | "origin">): string {
  return serverOf(tool) ? strings.allowOf(ownTitle(title, tool), origin) : strings.allow(title);
}

/** Gives what to look out for: what Conductor says, and characters that hide. */
export function cautions({
  warnings,
  arguments: given,
}: Pick<ApprovalView, "warnings" | "arguments">): string[] {
  const hides = hasHidden(allText(given));
  return hides && !warnings.some((one) => one.includes("cannot be seen"))
    ? [...warnings, strings.hiddenCharacters]
    : [...warnings];
}

function allText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(allText).join("\n");
  if (value === null || typeof value !== "object") return "";
  return Object.entries(value)
    .map(([name, one]) => `${name}\n${allText(one)}`)
    .join("\n");
}

/** Begins a sentence. */
export const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
