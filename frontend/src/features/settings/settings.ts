/** The settings from the JSON schemas, with paths, types and defaults. */
import { localized } from "$language/language.svelte";
import {
  listSettingFields,
  settingKeywords,
  settingLabel,
  settingUnit,
} from "$forms/changes/settings";
import { splitNullable, shapeOf, type Schema, type Shape } from "$forms/schema";
import type { Config } from "$lib/client/types";
import type { SettingsPage } from "$lib/state/navigation";
import { strings as explanations } from "./explanations/strings";
import { strings } from "./strings";

export interface Setting {
  /** The path in `UpdateSettings`, such as `["ui", "theme"]`. */
  path: string[];
  group: string;
  label: string;
  help: string;
  unit: string | undefined;
  schema: Schema;
  shape: Shape["is"];
  options: string[];
  optional: boolean;
  defaultValue: unknown;
}
export interface Group {
  id: string;
  /** The page of the settings that shows the group. */
  page: SettingsPage;
  title: string;
  settings: Setting[];
  /** Settings that few people need. */
  rare: Setting[];
}

const TITLES: Record<string, string> = localized(() => ({
  ui: strings.window,
  actions: strings.keysAndApps,
  devices: strings.midiOscGamepads,
  recording: strings.recording,
  learn: strings.midiLearn,
  voice: strings.voice,
  mcp: strings.agentsMcp,
  a2a: strings.agentsA2a,
  remote: strings.remoteAgents,
}));
interface GroupLayout {
  id: string;
  page: SettingsPage;
  /** The path of the table with the settings. */
  table: readonly string[];
  /** Names in the table, or paths of settings in others. */
  common: readonly string[];
  /** By default all settings of the table that no group names. */
  rare?: readonly string[];
}
const MCP = ["llm", "mcp"];
/** The groups in the order of their pages, with the settings that most people look for first. */
const LAYOUT: readonly GroupLayout[] = [
  {
    id: "ui",
    page: "general",
    table: ["ui"],
    common: [
      "theme",
      "language",
      "note_names",
      "start_at_login",
      "close_to_tray",
      "engine.start_mode",
    ],
  },
  {
    id: "actions",
    page: "io",
    table: ["engine"],
    common: ["cmd_key", "allow_shell", "action_timeout_s"],
  },
  {
    id: "devices",
    page: "io",
    table: ["engine"],
    common: ["virtual_controller", "gamepads", "osc_port"],
    rare: ["open_inputs", "osc_host", "virtual_input", "virtual_output"],
  },
  { id: "learn", page: "io", table: ["learn"], common: ["timeout_ms"] },
  {
    id: "recording",
    page: "io",
    table: ["engine"],
    common: ["history_minutes", "keep_recording"],
    rare: [],
  },
  {
    id: "voice",
    page: "voice",
    table: ["voice"],
    common: [
      "microphone",
      "names",
      "act_at_once",
      "transcription",
      "provider",
      "server",
      "model",
      "language",
      "send",
      "limit_s",
    ],
  },
  { id: "mcp", page: "agents", table: MCP, common: ["enabled", "approval", "read_only"] },
  {
    id: "remote",
    page: "agents",
    table: MCP,
    common: ["remote_enabled", "remote_address"],
    rare: [
      "remote_host",
      "remote_port",
      "remote_tls",
      "remote_certificate",
      "remote_certificate_key",
    ],
  },
  { id: "a2a", page: "agents", table: ["llm", "a2a"], common: ["enabled"] },
];
/** The settings that have an effect only with some values of another one. */
const NEEDS: Record<string, [path: readonly string[], values: readonly string[]]> = {
  "voice.provider": [["voice", "transcription"], ["provider"]],
  "voice.server": [["voice", "transcription"], ["server"]],
  "voice.model": [
    ["voice", "transcription"],
    ["provider", "server"],
  ],
  "voice.language": [
    ["voice", "transcription"],
    ["provider", "server"],
  ],
  "voice.send": [
    ["voice", "transcription"],
    ["provider", "server"],
  ],
};

export function allGroups(): Group[] {
  const settings = listSettings();
  return LAYOUT.map((layout) => {
    const title = TITLES[layout.id]!;
    const find = (name: string): Setting[] =>
      settings.filter(({ path }) => path.join(".") === pathIn(layout.table, name));
    const common = layout.common.flatMap(find);
    const rare =
      layout.rare?.flatMap(find) ??
      settings.filter(
        ({ path }) =>
          !NAMED.has(path.join(".")) && pathIn(layout.table, path.at(-1)!) === path.join("."),
      );
    const place = (one: Setting): Setting => ({ ...one, group: title });
    return {
      id: layout.id,
      page: layout.page,
      title,
      settings: common.map(place),
      rare: rare.map(place),
    };
  });
}

const pathIn = (table: readonly string[], name: string): string =>
  name.includes(".") ? name : [...table, name].join(".");
const NAMED: ReadonlySet<string> = new Set(
  LAYOUT.flatMap(({ table, common, rare = [] }) =>
    [...common, ...rare].map((name) => pathIn(table, name)),
  ),
);

function listSettings(): Setting[] {
  return listSettingFields().map(({ path, field, defs }) => {
    const { optional, schema } = splitNullable(field, defs);
    const shape = shapeOf(schema, defs);
    return {
      path,
      group: "",
      label: settingLabel(path),
      help: explanations.help[path.join(".")] ?? toSentence(schema.description ?? ""),
      unit: settingUnit(path),
      schema,
      shape: shape.is,
      options: shape.is === "enum" ? shape.values : [],
      optional,
      defaultValue: field.default ?? null,
    };
  });
}

/** Return whether a setting has an effect in a config. */
export function isRelevant(config: Config, { path }: Setting): boolean {
  const need = NEEDS[path.join(".")];
  if (!need) return true;
  const [other, values] = need;
  const value = valueAt(config, other);
  return values.includes(typeof value === "string" ? value : "off");
}

/** Return a description as a sentence about the setting when it is on. */
function toSentence(description: string): string {
  return description
    .replaceAll("`", "")
    .replace("Left out:", "Not set:")
    .replace(/^Whether (.)/, (_, first: string) => first.toUpperCase());
}

/** Return how well texts match a search; the first counts most. 0: a word is in none of them. */
export function scoreSearch(words: readonly string[], ...texts: readonly string[]): number {
  const lower = texts.map((text) => text.toLowerCase());
  const scores = words.map((word) => {
    const at = lower.findIndex((text) => text.includes(word));
    return at < 0 ? 0 : texts.length - at;
  });
  return scores.includes(0) ? 0 : scores.reduce((sum, one) => sum + one, 0);
}

export const splitSearch = (text: string): string[] =>
  text.toLowerCase().split(/\s+/).filter(Boolean);

/** A group with the settings that match a search, best first, and how well the best matches. */
export type FoundGroup = Group & { score: number };

/**
 * Return the groups with the settings that match a search. If the title of a group matches, all
 * settings of the group match.
 */
export function searchSettings(groups: readonly Group[], text: string): FoundGroup[] {
  const words = splitSearch(text);
  const scoreOf = (one: Setting): number => {
    const others = `${settingKeywords(one.path)} ${one.path.join(" ")} ${one.options.join(" ")}`;
    return scoreSearch(words, one.label, `${one.group} ${others}`, one.help);
  };
  return groups
    .map((group) => {
      const scores = new Map([...group.settings, ...group.rare].map((one) => [one, scoreOf(one)]));
      const found = [...scores].filter(([, score]) => score).sort(([, a], [, b]) => b - a);
      return {
        ...group,
        settings: found.map(([one]) => one),
        rare: [],
        score: found[0]?.[1] ?? 0,
      };
    })
    .filter((group) => group.settings.length);
}

/** Return the value of a setting in a config, or the default. */
export function settingValue(config: Config, { path, defaultValue }: Setting): unknown {
  const found = valueAt(config, path);
  return found === undefined ? defaultValue : found;
}

function valueAt(config: Config, path: readonly string[]): unknown {
  const start: unknown = path[0] === "llm" ? config : config.settings;
  return path.reduce<unknown>(
    (part, name) =>
      part && typeof part === "object" ? (part as Record<string, unknown>)[name] : undefined,
    start,
  );
}

export function isSameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

/** Build the patch for `UpdateSettings`, such as `{ui: {theme: "dark"}}`. Null resets a setting. */
export function toPatch(
  path: readonly string[],
  value: unknown,
): Record<string, Record<string, unknown>> {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Record<
    string,
    Record<string, unknown>
  >;
}
