/** What the questions of approval say. Pure. */
import type { ApprovalView } from "$lib/client/types";
import { ownTitle, serverOf, toolWords } from "$lib/skills";
import { hasHidden } from "$ui";

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
  if (serverOf(tool)) return `Allow “${ownTitle(title, tool)}”${origin ? ` of ${origin}` : ""}?`;
  const does = toolWords(tool);
  return does.toLowerCase() === title.toLowerCase()
    ? `Allow “${title}”?`
    : `Allow “${title}: ${does.toLowerCase()}”?`;
}

/** Gives what to look out for: what Conductor says, and characters that hide. */
export function cautions({
  warnings,
  arguments: given,
}: Pick<ApprovalView, "warnings" | "arguments">): string[] {
  const hides = hasHidden(allText(given));
  return hides && !warnings.some((one) => one.includes("cannot be seen"))
    ? [...warnings, "There are characters in it that cannot be seen. They are marked."]
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
