/** Matching of apps to profiles, by the same rules as the engine. Pure. */
import type { FrontApp, ProfileMatch } from "$lib/client/types";
import { strings } from "./strings";

/** The number of characters of a title that are matched, as in the engine. */
const TITLE_LENGTH = 256;

export type Part = "executable" | "bundle_id" | "title_regex";
export const PARTS: readonly Part[] = ["executable", "bundle_id", "title_regex"];
export const PART_NAMES: Record<Part, string> = {
  executable: strings.program,
  bundle_id: strings.bundleId,
  title_regex: strings.windowTitle,
};

/** Return whether one field matches; null when it is not set or cannot be checked here. */
export function fitsPart(match: ProfileMatch, part: Part, app: FrontApp): boolean | null {
  const wanted = match[part];
  if (wanted === null || wanted === undefined) return null;
  if (part !== "title_regex") return wanted.toLowerCase() === app[part].toLowerCase();
  const title = app.title.slice(0, TITLE_LENGTH);
  const pattern = isSafe(wanted, title) ? compile(wanted) : null;
  return pattern ? pattern.test(title) : null;
}

/** Return whether all set fields match; null when none is set or one cannot be checked. */
export function fits(match: ProfileMatch, app: FrontApp | null): boolean | null {
  if (!app || !isApp(app)) return null;
  const given = PARTS.filter((part) => match[part] !== null && match[part] !== undefined);
  const found = given.map((part) => fitsPart(match, part, app));
  if (found.includes(false)) return false;
  return found.includes(null) || !given.length ? null : true;
}

export const isApp = (app: FrontApp | null): app is FrontApp =>
  !!app && !!(app.executable || app.bundle_id || app.title);

/**
 * Return whether the browser may search a title with this pattern. A web page may have chosen the
 * title, and the browser's regex engine backtracks, so groups or many repetitions could freeze the
 * window. Non-ASCII letters are matched differently too. Such cases are left to the engine.
 */
function isSafe(pattern: string, title: string): boolean {
  const plain = pattern.replace(/^\(\?i\)/, "").replace(/\\\W/g, "");
  const repetitions = plain.match(/[*+?{]/g)?.length ?? 0;
  const isAscii = ![...title].some((sign) => sign > "\x7f");
  return !plain.includes("(") && repetitions <= 2 && (isAscii || !plain.includes("\\"));
}

/** Compile a pattern; null when JavaScript does not support its syntax. */
function compile(pattern: string): RegExp | null {
  const insensitive = pattern.startsWith("(?i)");
  try {
    return new RegExp(insensitive ? pattern.slice(4) : pattern, insensitive ? "i" : "");
  } catch {
    return null;
  }
}

/** Return an unused profile name for an app. */
export function nameFor(app: FrontApp, taken: readonly string[]): string {
  const program = (app.executable || app.bundle_id.split(".").at(-1) || app.title || strings.app)
    .replace(/\.exe$/i, "")
    .slice(0, 56);
  const name = program.charAt(0).toUpperCase() + program.slice(1);
  for (let count = 1; ; count++) {
    const next = count === 1 ? name : `${name} ${count}`;
    if (!taken.includes(next)) return next;
  }
}

/**
 * Return the fields that identify an app: its program, else its bundle id, else its whole title.
 */
export function matchFor(app: FrontApp): ProfileMatch {
  const none = { executable: null, bundle_id: null, title_regex: null };
  if (app.executable) return { ...none, executable: app.executable };
  if (app.bundle_id) return { ...none, bundle_id: app.bundle_id };
  return {
    ...none,
    title_regex: `^${app.title.slice(0, 100).replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`,
  };
}

export function matchWords(match: ProfileMatch): string {
  return PARTS.filter((part) => match[part])
    .map((part) => (part === "title_regex" ? strings.titleMatches(match[part] ?? "") : match[part]))
    .join(strings.and);
}
