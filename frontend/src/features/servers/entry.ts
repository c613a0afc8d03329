/** Entries of `mcpServers` in `mcp.json`, and the text formats that they are parsed from. Pure. */
import type { ServerView } from "$lib/client/types";
import { strings } from "./strings";

export interface Entry {
  command?: string;
  args?: string[];
  cwd?: string;
  /** Environment variables. Null in an update keeps the current value. */
  env?: Record<string, string | null>;
  url?: string;
  headers?: Record<string, string | null>;
  [other: string]: unknown;
}
export interface Named {
  name: string;
  entry: Entry;
}

/** Return the entry of an existing server, with null for secret values, which are never shown. */
export function entryOf({ command, args, cwd, env_names, url, header_names }: ServerView): Entry {
  const kept = (names: readonly string[]): Record<string, null> =>
    Object.fromEntries(names.map((name) => [name, null]));
  if (url !== null) return { url, ...(header_names.length ? { headers: kept(header_names) } : {}) };
  return {
    command: command ?? "",
    args: [...args],
    ...(cwd === null ? {} : { cwd }),
    ...(env_names.length ? { env: kept(env_names) } : {}),
  };
}

const LIST_KEYS = ["mcpServers", "servers", "mcp_servers", "mcp"];

/**
 * Parse a snippet from a server's README: a whole file, its `mcpServers` object, one named entry,
 * or an entry alone. @throws Error with the problem.
 */
export function readSnippet(text: string): Named[] {
  const whole = plain(parseJson(text), strings.mustBeJsonObject);
  const list = LIST_KEYS.map((name) => whole[name]).find(
    (one) => one !== undefined && isPlain(one),
  ) as Record<string, unknown> | undefined;
  if (list) return toNamedEntries(list);
  if (isEntry(whole)) return [{ name: "", entry: whole as Entry }];
  return toNamedEntries(whole);
}

function parseJson(text: string): unknown {
  const trimmed = text
    .trim()
    .replace(/^```\w*\n?|```$/g, "")
    .trim();
  // READMEs often show only the inside of the file: `"time": { … }`.
  const wrapped = /^"[^"]+"\s*:/.test(trimmed) ? `{${trimmed.replace(/,\s*$/, "")}}` : trimmed;
  try {
    return JSON.parse(wrapped);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(strings.badJson(why), { cause: error });
  }
}

function toNamedEntries(list: Record<string, unknown>): Named[] {
  const all = Object.entries(list).map(([name, value]) => {
    const entry = plain(value, strings.entryMustBeObject(name));
    if (!isEntry(entry)) throw new Error(strings.hasNeither(name));
    return { name, entry: entry as Entry };
  });
  if (!all.length) throw new Error(strings.containsNoServer);
  return all;
}

const isEntry = (value: Record<string, unknown>): boolean =>
  typeof value["command"] === "string" || typeof value["url"] === "string";
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function plain(value: unknown, otherwise: string): Record<string, unknown> {
  if (!isPlain(value)) throw new Error(otherwise);
  return value;
}

/** Split a line into words by the quoting rules of a shell, without any expansion. */
export function splitLine(line: string): string[] {
  return [...line.matchAll(/(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"']+))+/g)].map(({ 0: word }) =>
    word.replace(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'/g,
      (_, double: string | undefined, single: string | undefined) =>
        double?.replace(/\\(["\\])/g, "$1") ?? single ?? "",
    ),
  );
}

/** Parse lines such as `NAME=value` or `Name: value`. @throws Error for an invalid line. */
export function parsePairs(text: string, separator: "=" | ":"): Record<string, string> {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(separator);
      if (at < 1)
        throw new Error(
          strings.needsValue(line.slice(0, 60), separator === "=" ? "NAME=value" : "Name: value"),
        );
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

/** Return a name for a server from its command or address. */
export function nameFor({ command, args = [], url }: Entry): string {
  const words = url
    ? [url.replace(/^\w+:\/\//, "").split(/[/:?]/)[0] ?? ""]
    : [...args.filter((one) => !one.startsWith("-")), command ?? ""];
  const word = words.find((one) => one !== "" && one !== "run" && one !== "-m") ?? "server";
  const last =
    word
      .replace(/(@|==)[\w.]+$/, "")
      .split(/[/\\]/)
      .at(-1) ?? word;
  return (
    last
      .toLowerCase()
      .replace(/^(mcp-server-|server-|mcp-)|(-mcp-server|-server|-mcp)$/g, "")
      .replace(/\.(js|mjs|py|exe)$/, "")
      .replace(/[^a-z0-9_-]+/g, "-")
      .replace(/^-+|-+$/g, "") || "server"
  );
}
