/** The settings from the JSON schemas, with paths, types and defaults. */
import { localized } from "$language/language.svelte";
import { fieldName, unitOf } from "$forms/names";
import {
  splitNullable,
  resolve,
  rootSchema,
  shapeOf,
  type Schema,
  type Shape,
} from "$forms/schema";
import type { Config } from "$lib/client/types";
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
  title: string;
  settings: Setting[];
}

const TITLES: Record<string, string> = localized(() => ({
  ui: strings.window,
  engine: strings.engine,
  learn: strings.learn,
  voice: strings.voice,
  mcp: strings.agentsMcp,
  a2a: strings.agentsA2a,
  remote: strings.remoteAgents,
}));
const LABELS: Record<string, string> = localized(() => ({
  "ui.note_names": strings.nameMiddleC,
  "ui.close_to_tray": strings.closeToTray,
  "engine.osc_port": strings.oscPort,
  "engine.osc_host": strings.oscAddress,
  "engine.cmd_key": strings.cmdKey,
  "engine.virtual_input": strings.virtualMidiInput,
  "engine.virtual_output": strings.virtualMidiOutput,
  "engine.allow_shell": strings.allowShellCommands,
  "engine.history_minutes": strings.minutesOfInputToKeep,
  "engine.keep_recording": strings.keepRecordingOnDisk,
  "engine.action_timeout_s": strings.maximumActionTime,
  "llm.mcp.http_enabled": strings.serveOverHttp,
  "llm.mcp.http_port": strings.httpPort,
  "llm.mcp.enabled": strings.serveAgents,
  "llm.mcp.remote_enabled": strings.serveRemoteAgents,
  "llm.mcp.remote_address": strings.remoteAddress,
  "llm.mcp.remote_host": strings.remoteHost,
  "llm.mcp.remote_port": strings.remotePort,
  "llm.mcp.remote_tls": strings.remoteTls,
  "llm.mcp.remote_certificate": strings.remoteCertificate,
  "llm.mcp.remote_certificate_key": strings.remoteCertificateKey,
  "llm.mcp.auth_token_env": strings.httpTokenVariable,
  "llm.a2a.enabled": strings.serveOverA2a,
  "llm.a2a.http_port": strings.httpPort,
  "llm.a2a.agent_name": strings.agentName,
  "engine.open_inputs": strings.openMidiInputs,
  "voice.names": strings.recognizeNames,
  "voice.act_at_once": strings.actAtOnce,
  "voice.transcription": strings.transcription,
  "voice.provider": strings.transcriptionProvider,
  "voice.server": strings.transcriptionServer,
  "voice.model": strings.transcriptionModel,
  "voice.language": strings.spokenLanguage,
  "voice.send": strings.sendAtOnce,
  "voice.microphone": strings.microphone,
  "voice.limit_s": strings.longestRecording,
}));
/**
 * The settings at the top of their groups, by name or path. Other settings follow in the order of
 * the schema.
 */
const FIRST_SETTINGS = [
  "theme",
  "ui.language",
  "note_names",
  "close_to_tray",
  "start_at_login",
  "start_mode",
  "cmd_key",
  "allow_shell",
  "enabled",
  "approval",
  "read_only",
  "remote_enabled",
  "remote_address",
  "voice.names",
  "voice.act_at_once",
  "voice.transcription",
  "voice.provider",
  "voice.server",
  "voice.model",
  "voice.language",
  "voice.send",
  "voice.microphone",
];
const UNITS: Record<string, string> = { "engine.history_minutes": "min" };

export function allGroups(): Group[] {
  const { schema, defs } = rootSchema("Settings");
  const sections = Object.entries(schema.properties ?? {})
    .map(([id, section]) => buildGroup(id, [id], resolve(section, defs), defs))
    // The names of controls are given where the controls are.
    .filter((group) => group.settings.length);
  const mcp = rootSchema("Mcp");
  const a2a = rootSchema("A2a");
  const order = ["ui", "engine", "learn", "voice"];
  sections.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  const agents = buildGroup("mcp", ["llm", "mcp"], mcp.schema, mcp.defs);
  return [
    ...sections,
    ...splitRemote(agents),
    buildGroup("a2a", ["llm", "a2a"], a2a.schema, a2a.defs),
  ];
}

/** Return the settings of agents in two groups: on this computer, and on others. */
function splitRemote(agents: Group): Group[] {
  const title = TITLES["remote"]!;
  const isRemote = ({ path }: Setting): boolean => path.at(-1)!.startsWith("remote_");
  const others = agents.settings.filter(isRemote).map((one) => ({ ...one, group: title }));
  return [
    { ...agents, settings: agents.settings.filter((one) => !isRemote(one)) },
    { id: "remote", title, settings: others },
  ];
}

function buildGroup(
  id: string,
  path: string[],
  section: Schema,
  defs: Record<string, Schema>,
): Group {
  const title = TITLES[id] ?? fieldName(id);
  const settings = Object.entries(section.properties ?? {}).map(([name, field]): Setting => {
    const { optional, schema } = splitNullable(field, defs);
    const shape = shapeOf(schema, defs);
    const key = [...path, name].join(".");
    return {
      path: [...path, name],
      group: title,
      label: settingLabel([...path, name]),
      help: explanations.help[key] ?? toSentence(schema.description ?? ""),
      unit: UNITS[key] ?? unitOf(name),
      schema,
      shape: shape.is,
      options: shape.is === "enum" ? shape.values : [],
      optional,
      defaultValue: field.default ?? null,
    };
  });
  const rank = ({ path }: Setting): number => {
    const names = [path.join("."), path.at(-1)];
    const at = FIRST_SETTINGS.findIndex((first) => names.includes(first));
    return at < 0 ? FIRST_SETTINGS.length : at;
  };
  return { id, title, settings: settings.sort((a, b) => rank(a) - rank(b)) };
}

/** Return a description as a sentence about the setting when it is on. */
function toSentence(description: string): string {
  return description
    .replaceAll("`", "")
    .replace(/^Whether (.)/, (_, first: string) => first.toUpperCase());
}

/**
 * Return the groups with the settings that match a search. If the title of a group matches, all
 * settings of the group match.
 */
export function searchSettings(groups: readonly Group[], text: string): Group[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (one: Setting): boolean => {
    const all = [one.group, one.label, one.help, ...one.path, ...one.options]
      .join(" ")
      .toLowerCase();
    return words.every((word) => all.includes(word));
  };
  return groups
    .map((group) => ({ ...group, settings: group.settings.filter(fits) }))
    .filter((group) => group.settings.length);
}

/** Return the value of a setting in a config, or the default. */
export function settingValue(config: Config, { path, defaultValue }: Setting): unknown {
  const start: unknown = path[0] === "llm" ? config : config.settings;
  const found = path.reduce<unknown>(
    (part, name) =>
      part && typeof part === "object" ? (part as Record<string, unknown>)[name] : undefined,
    start,
  );
  return found === undefined ? defaultValue : found;
}

export function isSameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

/** Return the label of the setting with a path, such as `["ui", "theme"]`. */
export const settingLabel = (path: readonly string[]): string =>
  LABELS[path.join(".")] ?? fieldName(path.at(-1) ?? "");

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

/** Return the label of an option of a setting. */
export function optionLabel({ path }: Setting, option: string): string {
  const common: Record<string, string> = {
    auto: strings.automatic,
    on: strings.onOption,
    off: strings.offOption,
  };
  const special: Record<string, Record<string, string>> = {
    theme: { system: strings.asSystem, dark: strings.dark, light: strings.light },
    // Each language is named in itself, so that everybody finds their own.
    language: { system: strings.asSystem, en: "English", de: "Deutsch" },
    note_names: { C3: strings.c3YamahaAbleton, C4: strings.c4Scientific },
    approval: {
      elicit_or_gui: strings.alsoAsForm,
      gui: strings.onlyInWindowOrTerminal,
    },
    transcription: {
      provider: strings.byModelProvider,
      server: strings.byOwnServer,
    },
    open_inputs: { all: strings.all, configured: strings.onlyNamedDevices },
  };
  const words =
    special[path.at(-1) ?? ""]?.[option] ?? common[option] ?? option.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const CHANGE = /^(?:settings\.)?([\w.]+): (?:.* becomes )?(.*)$/s;

/**
 * Describe a change of a setting as the history has it: `settings.ui.language: "en" becomes "de"`
 * is “Language: Deutsch”. Null if it is a change of anything else.
 */
export function describeSetting(change: string): string | null {
  const [, key, value = ""] = CHANGE.exec(change) ?? [];
  const setting = allGroups()
    .flatMap((group) => group.settings)
    .find((one) => one.path.join(".") === key);
  if (!setting) return null;
  const written = value === "the default" ? JSON.stringify(setting.defaultValue) : value;
  return `${setting.label}: ${describeValue(setting, written)}`;
}

/** Return the text of a value that is written as JSON, and cut if it is long. */
function describeValue(setting: Setting, written: string): string {
  if (/^"[^"\\]*"$/.test(written)) {
    const text = written.slice(1, -1);
    return setting.options.includes(text) ? optionLabel(setting, text) : text;
  }
  if (written === "true" || written === "false")
    return written === "true" ? strings.onOption : strings.offOption;
  if (written === "null") return strings.notSet;
  return [written, setting.unit].filter(Boolean).join(" ");
}
