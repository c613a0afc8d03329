/** Texts of approval questions. */
import type { ApprovalView } from "$lib/client/types";
import { titleWithoutServer, serverOf } from "$lib/skills";
import { hasHidden } from "$ui";
import { strings } from "./strings";

/**
 * The time for which a new question ignores its buttons and Escape, in milliseconds. A click or key
 * in that time may have been meant for the previous content of the screen.
 */
export const ARMED_AFTER_MS = 700;

export function headline({
  title,
  tool,
  origin,
}: Pick<ApprovalView, "title" | "tool" | "origin">): string {
  return serverOf(tool)
    ? strings.allowToolFrom(titleWithoutServer(title, tool), origin)
    : strings.allowTool(title);
}

/** Return the warnings about a call, with one about invisible characters in its arguments. */
export function findWarnings({
  warnings,
  arguments: args,
}: Pick<ApprovalView, "warnings" | "arguments">): string[] {
  const hides = hasHidden(collectText(args));
  return hides && !warnings.some((one) => one.includes("cannot be seen"))
    ? [...warnings, strings.hiddenCharacters]
    : [...warnings];
}

function collectText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(collectText).join("\n");
  if (value === null || typeof value !== "object") return "";
  return Object.entries(value)
    .map(([name, one]) => `${name}\n${collectText(one)}`)
    .join("\n");
}
