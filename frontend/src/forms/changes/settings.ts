/** Labels of settings and of their options, and the words of changes of settings. */
import { localized } from "$language/language.svelte";
import { fieldName, unitOf } from "../names";
import { resolve, rootSchema, type Defs, type Schema } from "../schema";
import { strings } from "./strings";

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
  "llm.enabled": strings.assistant,
  "llm.default_provider": strings.defaultProvider,
  "llm.failover": strings.failover,
  "llm.max_steps": strings.maxSteps,
  "llm.budget.warn_usd_per_day": strings.warnPerDay,
  "llm.budget.stop_usd_per_day": strings.stopPerDay,
  "llm.budget.stop_usd_per_conversation": strings.stopPerConversation,
  "knowledge.enabled": strings.knowledge,
  "skills.enabled": strings.usedSkills,
  "skills.disabled": strings.disabledSkills,
  "skills.servers": strings.mcpServers,
  "skills.folders": strings.folders,
  "skills.search_url": strings.searchServer,
  "match.executable": strings.app,
  "match.bundle_id": strings.bundleId,
  "match.title_regex": strings.windowTitle,
  mode: strings.mode,
  color: strings.colour,
  description: strings.note,
  matchers: strings.recognition,
}));
const UNITS: Record<string, string> = { "engine.history_minutes": "min" };

/** A setting in the schema of the config. */
export interface SettingField {
  /** The path in `UpdateSettings`, such as `["ui", "theme"]`. */
  path: string[];
  field: Schema;
  defs: Defs;
}

/** Return all settings of the schemas. */
export function listSettingFields(): SettingField[] {
  const { schema, defs } = rootSchema("Settings");
  const fieldsOf = (table: readonly string[], section: Schema, defs: Defs): SettingField[] =>
    Object.entries(section.properties ?? {}).map(([name, field]) => ({
      path: [...table, name],
      field,
      defs,
    }));
  const [mcp, a2a] = [rootSchema("Mcp"), rootSchema("A2a")];
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([id, section]) =>
      fieldsOf([id], resolve(section, defs), defs),
    ),
    ...fieldsOf(["llm", "mcp"], mcp.schema, mcp.defs),
    ...fieldsOf(["llm", "a2a"], a2a.schema, a2a.defs),
  ];
}

/** Return the words besides its label by which a setting is found. */
export const settingKeywords = (path: readonly string[]): string =>
  [
    strings.settingKeywords[path.join(".")] ?? "",
    ...path.map((name) => name.replaceAll("_", " ")),
  ].join(" ");

/** Return the label of the setting with a path, such as `["ui", "theme"]`. */
export const settingLabel = (path: readonly string[]): string =>
  LABELS[path.join(".")] ?? fieldName(path.at(-1) ?? "");

/** Return the unit of the setting with a path, such as `s`; undefined if there is none. */
export const settingUnit = (path: readonly string[]): string | undefined =>
  UNITS[path.join(".")] ?? unitOf(path.at(-1) ?? "");

/** Return the label of an option of a setting. */
export function optionLabel({ path }: { path: readonly string[] }, option: string): string {
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

/** What the schema of the settings knows about a path; null if it is no setting of a schema. */
function schemaAt(path: readonly string[]): Schema | null {
  const [root, rest] =
    path[0] !== "llm"
      ? (["Settings", path] as const)
      : path[1] === "mcp"
        ? (["Mcp", path.slice(2)] as const)
        : path[1] === "a2a"
          ? (["A2a", path.slice(2)] as const)
          : [null, []];
  if (!root || !rest.length) return null;
  const { schema, defs } = rootSchema(root);
  let found: Schema | undefined = schema;
  for (const name of rest) found = found && resolve(found, defs).properties?.[name];
  return found ?? null;
}

/** A change of a value, as the backend writes it: `engine.allow_shell: false becomes true`. */
const EDIT = /^(?:settings\.)?([\w.:-]+): (?:.* becomes )?(.*)$/s;
const EDITS = /; (?=[\w.:-]+: )/;
const SETTING = /^(settings|llm|knowledge|skills)\.[\w.:-]+: /;
const NAME_EDIT = /^settings\.names\.(.+)\.([a-z_]+ \S+(?: ch \d+)?): (?:.* becomes )?(.*)$/s;
const OWNER = /^(Mode|Profile|Device) (.+?)(?:: ([\w.]+: .*))?$/s;
const SET = /^Set (.+ to .+)$/s;
const ASSIGNMENTS = /, (?=[\w.]+(?:\.[a-z_]+ [^,]+?)? to )/;
const ASSIGNMENT = /^([\w.]+) to (.*)$/s;
const NAME_ASSIGNMENT = /^names\.(.+)\.([a-z_]+ \S+(?: ch \d+)?) to (.*)$/s;

/**
 * Describe a change of a setting: `settings.ui.language: "en" becomes "de"` is “Language: Deutsch”.
 * Null if it is a change of anything else.
 */
export function describeSetting(change: string): string | null {
  const [, key = "", value = ""] = EDIT.exec(change) ?? [];
  return schemaAt(key.split(".")) ? describeValueAt(key, value) : null;
}

/**
 * Describe a change of anything but a mapping: a setting, a mode, a profile or a device, or the
 * changes of settings that a plan proposes. Null if the text is no such change.
 */
export function describeChange(change: string): string | null {
  const set = SET.exec(change)?.[1]?.split(ASSIGNMENTS).map(describeAssignment);
  if (set) return set.includes(null) ? null : set.join("; ");
  const name = NAME_EDIT.exec(change);
  if (name) return describeName(name[1]!, name[2]!, name[3]!);
  const [, kind, owner = "", edits] = OWNER.exec(change) ?? [];
  const ownerName = kind && strings.owners[kind]!(owner);
  if (ownerName) return edits ? `${ownerName}: ${describeEdits(edits)}` : ownerName;
  return SETTING.test(change) ? describeEdits(change) : null;
}

function describeEdits(edits: string): string {
  return edits
    .split(EDITS)
    .map((edit) => {
      const [, key = "", value = ""] = EDIT.exec(edit) ?? [];
      return key ? describeValueAt(key, value) : edit;
    })
    .join("; ");
}

function describeAssignment(text: string): string | null {
  const name = NAME_ASSIGNMENT.exec(text);
  if (name) return describeName(name[1]!, name[2]!, name[3]!.replace(/^its /, "the "));
  const [, key, value = ""] = ASSIGNMENT.exec(text) ?? [];
  if (!key) return null;
  const written = /^(True|False|None)$/.test(value)
    ? { True: "true", False: "false", None: "null" }[value]!
    : value.replace(/^its default$/, "the default");
  return describeValueAt(key, written);
}

function describeName(device: string, control: string, name: string): string {
  const plain = name === "the default" ? strings.printedName : name.replace(/^"(.*)"$/, "$1");
  const [, kind = "", number = "", channel] = /^(\S+) (\S+)(?: ch (\d+))?$/.exec(control) ?? [];
  const readable = `${strings.controlKinds[kind] ?? kind} ${number}`;
  const place = channel ? strings.onChannel(readable, channel) : readable;
  return strings.controlName(place, device, plain);
}

function describeValueAt(key: string, value: string): string {
  if (key === "enabled") return value === "false" ? strings.switchedOff : strings.switchedOn;
  const path = key.split(".");
  return `${settingLabel(path)}: ${describeValue(path, value)}`;
}

/** Return the text of a value that is written as JSON, and cut if it is long. */
function describeValue(path: readonly string[], value: string): string {
  const field = schemaAt(path);
  if (value === "the default" && field?.default === undefined) return strings.defaultValue;
  const written = value === "the default" ? JSON.stringify(field?.default) : value;
  if (/^[[{]/.test(written)) return strings.changed;
  if (written === "true" || written === "false")
    return written === "true" ? strings.onOption : strings.offOption;
  if (written === "null") return strings.notSet;
  // A colour stays in quotation marks, by which the page finds and paints it.
  const text = /^"[^"\\]*"$/.test(written) ? written.slice(1, -1) : written;
  if (/^#[\da-f]{6}$/i.test(text)) return `"${text}"`;
  if (field?.enum?.includes(text)) return optionLabel({ path }, text);
  return [text || strings.notSet, settingUnit(path)].filter(Boolean).join(" ");
}

/** Return changes in which those of anything but mappings are described. */
export const describeChanges = <Change extends { text: string }>(
  changes: readonly Change[],
): Change[] => changes.map((one) => ({ ...one, text: describeChange(one.text) ?? one.text }));
