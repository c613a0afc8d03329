/** Entries of `mcpServers` in `mcp.json`, and parsers of the text formats for entries. */
import type { ServerView } from "$lib/client/types";
import { strings } from "./strings";

export interface ServerEntry {
  command?: string;
  args?: string[];
  cwd?: string;
  /** The environment variables. In an update, null keeps the current value. */
  env?: Record<string, string | null>;
  url?: string;
  headers?: Record<string, string | null>;
  [other: string]: unknown;
}
export interface NamedEntry {
  name: string;
  entry: ServerEntry;
}

/** Return the entry of a server, with null for values that are secret and never shown. */
export function entryOf({
  command,
  args,
  cwd,
  env_names,
  url,
  header_names,
}: ServerView): ServerEntry {
  const withNullValues = (names: readonly string[]): Record<string, null> =>
    Object.fromEntries(names.map((name) => [name, null]));
  if (url !== null)
    return { url, ...(header_names.length ? { headers: withNullValues(header_names) } : {}) };
  return {
    command: command ?? "",
    args: [...args],
    ...(cwd === null ? {} : { cwd }),
    ...(env_names.length ? { env: withNullValues(env_names) } : {}),
  };
}

const LIST_KEYS = ["mcpServers", "servers", "mcp_servers", "mcp"];

/**
 * Parse a snippet from the README of a server: a whole file, an `mcpServers` object, a named entry
 * or a single entry. @throws Error with a message for the user
 */
export function parseSnippet(text: string): NamedEntry[] {
  const whole = requireObject(parseJson(text), strings.mustBeJsonObject);
  const list = LIST_KEYS.map((name) => whole[name]).find(
    (one) => one !== undefined && isJsonObject(one),
  ) as Record<string, unknown> | undefined;
  if (list) return toNamedEntries(list);
  if (isEntry(whole)) return [{ name: "", entry: whole as ServerEntry }];
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

function toNamedEntries(list: Record<string, unknown>): NamedEntry[] {
  const all = Object.entries(list).map(([name, value]) => {
    const entry = requireObject(value, strings.entryMustBeObject(name));
    if (!isEntry(entry)) throw new Error(strings.hasNeither(name));
    return { name, entry: entry as ServerEntry };
  });
  if (!all.length) throw new Error(strings.containsNoServer);
  return all;
}

const isEntry = (value: Record<string, unknown>): boolean =>
  typeof value["command"] === "string" || typeof value["url"] === "string";
const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function requireObject(value: unknown, otherwise: string): Record<string, unknown> {
  if (!isJsonObject(value)) throw new Error(otherwise);
  return value;
}

/** Split a command line into words by the quoting rules of a shell, without expansion. */
export function splitCommandLine(line: string): string[] {
  return [...line.matchAll(/(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"']+))+/g)].map(({ 0: word }) =>
    word.replace(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'/g,
      (_, double: string | undefined, single: string | undefined) =>
        double?.replace(/\\(["\\])/g, "$1") ?? single ?? "",
    ),
  );
}

/** Parse lines such as `NAME=value` or `Name: value`. @throws Error for an invalid line */
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

/** Suggest a name for a server from its command or address. */
export function nameFor({ command, args = [], url }: ServerEntry): string {
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
