/** The wording of approval questions. Pure. */
import type { ApprovalView } from "$lib/client/types";
import { ownTitle, serverOf } from "$lib/skills";
import { hasHidden } from "$ui";
import { strings } from "./strings";

/**
 * How long a new question ignores its buttons and Escape, in milliseconds: a click or key may have
 * been meant for what was on the screen before.
 */
export const ARMED_AFTER_MS = 700;

export function headline({
  title,
  tool,
  origin,
}: Pick<ApprovalView, "title" | "tool" | "origin">): string {
  return serverOf(tool) ? strings.allowToolFrom(ownTitle(title, tool), origin) : strings.allowTool(title);
}

/** Return warnings about a call: those from Conductor, and one about hidden characters. */
export function findWarnings({
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

/** Return the text with its first letter in upper case. */
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
