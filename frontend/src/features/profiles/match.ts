/** Matching of apps to profiles, with the same rules as in the engine. */
import { localized } from "$language/language.svelte";
import type { FrontApp, ProfileMatch } from "$lib/client/types";
import { strings } from "./strings";

/** The number of characters of a window title that are matched, as in the engine. */
const TITLE_LENGTH = 256;

export type MatchField = "executable" | "bundle_id" | "title_regex";
export const MATCH_FIELDS: readonly MatchField[] = ["executable", "bundle_id", "title_regex"];
export const NO_MATCH: ProfileMatch = { executable: null, bundle_id: null, title_regex: null };
export const FIELD_LABELS: Record<MatchField, string> = localized(() => ({
  executable: strings.app,
  bundle_id: strings.bundleId,
  title_regex: strings.windowTitle,
}));

/** Return whether a field matches an app; null when the field is not set or cannot be checked. */
export function matchesField(match: ProfileMatch, part: MatchField, app: FrontApp): boolean | null {
  const wanted = match[part];
  if (wanted === null || wanted === undefined) return null;
  if (part !== "title_regex") return wanted.toLowerCase() === app[part].toLowerCase();
  const title = app.title.slice(0, TITLE_LENGTH);
  const pattern = isSafe(wanted, title) ? compilePattern(wanted) : null;
  return pattern ? pattern.test(title) : null;
}

/** Return whether a profile matches an app; null when no field is set or one cannot be checked. */
export function matchesApp(match: ProfileMatch, app: FrontApp | null): boolean | null {
  if (!app || !isApp(app)) return null;
  const setFields = MATCH_FIELDS.filter(
    (part) => match[part] !== null && match[part] !== undefined,
  );
  const results = setFields.map((part) => matchesField(match, part, app));
  if (results.includes(false)) return false;
  return results.includes(null) || !setFields.length ? null : true;
}

export const isApp = (app: FrontApp | null): app is FrontApp =>
  !!app && !!(app.executable || app.bundle_id || app.title);

/**
 * Return whether JavaScript can search a window title with a pattern safely. A web page may have
 * chosen the title, and regular expressions backtrack in JavaScript, so groups or many repetitions
 * could freeze the page. Non-ASCII letters match differently than in the engine.
 */
function isSafe(pattern: string, title: string): boolean {
  const plain = pattern.replace(/^\(\?i\)/, "").replace(/\\\W/g, "");
  const repetitions = plain.match(/[*+?{]/g)?.length ?? 0;
  const isAscii = ![...title].some((sign) => sign > "\x7f");
  return !plain.includes("(") && repetitions <= 2 && (isAscii || !plain.includes("\\"));
}

/** Compile a pattern. Returns null when JavaScript does not support the syntax. */
function compilePattern(pattern: string): RegExp | null {
  const insensitive = pattern.startsWith("(?i)");
  try {
    return new RegExp(insensitive ? pattern.slice(4) : pattern, insensitive ? "i" : "");
  } catch {
    return null;
  }
}

/** Suggest an unused profile name for an app. */
export function suggestName(app: FrontApp, taken: readonly string[]): string {
  const name = (app.executable || app.bundle_id.split(".").at(-1) || app.title || strings.app)
    .replace(/\.exe$/i, "")
    .slice(0, 56);
  for (let count = 1; ; count++) {
    const next = count === 1 ? name : `${name} ${count}`;
    if (!taken.includes(next)) return next;
  }
}

/** Return the match of a new profile for an app: by program, bundle id or window title. */
export function matchForApp(app: FrontApp): ProfileMatch {
  if (app.executable) return { ...NO_MATCH, executable: app.executable };
  if (app.bundle_id) return { ...NO_MATCH, bundle_id: app.bundle_id };
  return {
    ...NO_MATCH,
    title_regex: `^${app.title.slice(0, 100).replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`,
  };
}

export function describeMatch(match: ProfileMatch): string {
  return MATCH_FIELDS.filter((part) => match[part])
    .map((part) => (part === "title_regex" ? strings.titleMatches(match[part] ?? "") : match[part]))
    .join(" · ");
}
