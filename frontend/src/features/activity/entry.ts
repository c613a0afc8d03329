/** Texts of audit log entries. */
import { capitalize, formatFixed } from "$language/format";
import { localized } from "$language/language.svelte";
import { clientName } from "$lib/agent-clients";
import type { ActivityEntry } from "$lib/client/types";
import { describeEdit, describeReason } from "$lib/reasons";
import { isTypedInChat } from "$lib/requesters";
import { toolTitle } from "$lib/skills";
import { deviceLabel } from "$ui/notes.svelte";
import { strings } from "./strings";

const OUTCOMES: Record<string, string> = localized(() => ({
  ok: strings.done,
  started: strings.notFinished,
  not_allowed: strings.notAllowed,
  params_invalid: strings.wrongArguments,
  config_invalid: strings.invalid,
  config_stale: strings.changedInMeantime,
  plan_stale: strings.changedInMeantime,
  tool_not_found: strings.notFound,
  action_failed: strings.failed,
  nothing_to_undo: strings.failed,
  error: strings.failed,
  rate_limited: strings.rateLimited,
  not_available: strings.notAvailable,
}));
const PERMISSIONS: Record<string, string> = localized(() => ({
  "not needed": strings.notAsked,
  once: strings.allowedOnce,
  conversation: strings.allowedInThisConversation,
  always: strings.alwaysAllowed,
  mapping: strings.allowedByMapping,
}));

/** Who made a request. */
export type Actor = "you" | "assistant" | "agent" | "control";
export interface Requester {
  actor: Actor;
  name: string;
  /** Where the requester was, such as “in a browser”; empty if that says nothing. */
  place: string;
}

export function describeRequester({
  client,
  executable,
  caller,
  tool,
}: RequesterFields): Requester {
  switch (caller) {
    case "window":
    case "gui":
    case "bridge":
      return { actor: "you", name: strings.you, place: strings.inTheWindow };
    case "tray":
      return { actor: "you", name: strings.you, place: strings.inTheTray };
    case "page":
      return { actor: "you", name: strings.you, place: strings.inABrowser };
    case "cli":
      return client
        ? { actor: "you", name: strings.you, place: strings.inATerminal }
        : { actor: "you", name: strings.commandLine, place: "" }; // its executable is some Python
    case "chat":
      if (isTypedInChat({ caller, client }))
        return { actor: "you", name: strings.you, place: strings.inTheChat };
      return { actor: "assistant", name: strings.theAssistant, place: client ?? "" };
    case "file":
      return { actor: "you", name: strings.inTheFile, place: "" };
    case "pad":
      return {
        actor: "control",
        name: strings.aControl,
        place: tool === "mapping.failed" ? splitMapping(client ?? "").place : (client ?? ""),
      };
    default: {
      const program = executable?.split(/[\\/]/).at(-1);
      return {
        actor: "agent",
        name:
          clientName(client ?? "") ||
          program ||
          (caller === "bare" ? strings.aProgram : strings.anAgent),
        place: "",
      };
    }
  }
}
type RequesterFields = Pick<ActivityEntry, "client" | "executable" | "caller"> &
  Partial<Pick<ActivityEntry, "tool">>;

/**
 * Split the name of a mapping, such as “Mute, mapping 5 of mode Live”, into name and place. The
 * number is left out, because another mapping can have it after a later edit.
 */
function splitMapping(mapping: string): { name: string; place: string } {
  const [, name, place] = /^(.+), mapping \d+ of (.+)$/s.exec(mapping) ?? [];
  return { name: name ?? mapping, place: place ?? "" };
}

/** Return who made a request as one text, such as “You, in the window”. */
export function requesterName(entry: RequesterFields): string {
  const { name, place } = describeRequester(entry);
  return [name, place].filter(Boolean).join(", ");
}

/** Texts for the commands of the page. Tools of agents are shown by their own titles. */
const COMMANDS: Record<string, string> = localized(() => ({
  "abilities.folder": strings.changedReadableFolders,
  "abilities.set": strings.switchedSkill,
  "abilities.set_tier": strings.switchedSkillGroup,
  "approvals.decide": strings.answeredAnApproval,
  "grants.revoke": strings.deletedRememberedAnswer,
  "questions.answer": strings.answeredMcpServerQuestion,
  "servers.accept_change": strings.acceptedMcpServerTool,
  "servers.add": strings.addedMcpServer,
  "servers.consent": strings.allowedMcpServer,
  "servers.enable": strings.switchedMcpServer,
  "servers.import": strings.importedMcpServers,
  "servers.remove": strings.removedMcpServer,
  "servers.restart": strings.restartedMcpServer,
  "servers.start": strings.startedMcpServer,
  "servers.stop": strings.stoppedMcpServer,
  "servers.test": strings.testedMcpServer,
  "servers.tool": strings.switchedMcpServerTool,
  "servers.update": strings.changedMcpServer,
  "mapping.failed": strings.mappingFailed,
  "actions.test": strings.testedAnAction,
  "backup.restore": strings.restoredABackup,
  "config.commit": strings.changedTheConfig,
  "config.file": strings.editedTheFile,
  "config.redo": strings.redidAChange,
  "config.undo": strings.undidAChange,
  "devices.set_enabled": strings.mutedOrUnmutedDevice,
  "devices.play_start": strings.startedDeviceProfile,
  "devices.play_end": strings.stoppedDeviceProfile,
  "engine.panic": strings.releasedAllKeysAndNotes,
  "engine.pause": strings.pausedOrResumedMappings,
  "engine.restart": strings.restartedTheEngine,
  "examples.forget": strings.deletedAnExample,
  "history.restore": strings.restoredAVersion,
  "history.restore_mapping": strings.restoredAMapping,
  "keys.create": strings.setUpKeyFile,
  "keys.delete": strings.deletedAKey,
  "learn.end": strings.endedMidiLearn,
  "providers.update_prices": strings.updatedPrices,
  "keys.put": strings.savedAKey,
  "keys.unlock": strings.unlockedTheKeys,
  "devices.keep_profile": strings.savedDeviceProfile,
  "recording.clear": strings.clearedRecording,
  "servers.sign_in": strings.signedIn,
  "servers.cancel_sign_in": strings.cancelledSignIn,
  "servers.sign_out": strings.signedOut,
  approve: strings.appliedAPlan,
  reject: strings.discardedAPlan,
  "knowledge.add_profile": strings.addedDeviceProfile,
  "knowledge.remove_profile": strings.removedDeviceProfile,
  "knowledge.toggle_source": strings.switchedKnowledgeSource,
  "knowledge.update_index": strings.updatedKnowledgeIndex,
  "modes.switch": strings.switchedTheMode,
  "pages.confirm": strings.confirmedBrowserPage,
  "remote.allow": strings.allowedRemoteAgent,
  "remote.deny": strings.deniedRemoteAgent,
  "remote.revoke": strings.revokedRemoteAgent,
  "plans.apply": strings.appliedAPlan,
  "plans.apply_part": strings.appliedAPlan,
  "plans.mark_edited": strings.appliedAnEditedPlan,
  "plans.reject": strings.discardedAPlan,
  "skills.fetch": strings.viewedASkill,
  "skills.install": strings.installedASkill,
  "skills.remove": strings.removedASkill,
  "skills.toggle": strings.switchedAgentSkill,
}));

const DECISIONS: Record<string, string> = localized(() => ({
  once: strings.allowedCallOnce,
  conversation: strings.allowedCallInConversation,
  always: strings.alwaysAllowedCall,
  deny: strings.deniedACall,
  never: strings.blockedATool,
}));
const ANSWERS: Record<string, string> = localized(() => ({
  accept: strings.answeredMcpServerQuestion,
  decline: strings.declinedMcpServerQuestion,
  cancel: strings.postponedMcpServerQuestion,
}));

/** Texts for the tools of agents, in the past tense. */
const TOOLS: Record<string, string> = localized(() => strings.tools);

/** Return the id of the plan that an entry proposed or decided; null for other entries. */
export function planOf({ detail, arguments: args }: PlanFields): string | null {
  if (typeof args["plan_id"] === "string") return args["plan_id"];
  return /^plan (\S+)/.exec(detail ?? "")?.[1] ?? null;
}
type PlanFields = Pick<ActivityEntry, "detail" | "arguments">;
type Described = Pick<ActivityEntry, "tool" | "arguments"> & Partial<ActivityEntry>;

/** Return whether a request was refused or failed. */
export const isFailed = ({ outcome }: Pick<ActivityEntry, "outcome">): boolean =>
  outcome !== "ok" && outcome !== "started";

/**
 * Describe what an entry did, by its plan, its arguments, its command or its tool.
 * @param planTitle returns the title of a plan by its id; null: the plan is unknown
 */
export function describeAction(
  entry: Described,
  planTitle: (plan_id: string) => string | null = () => null,
): string {
  const text = describeIntent(entry, planTitle);
  if (entry.outcome === undefined || !isFailed({ outcome: entry.outcome })) return text;
  if (entry.tool === "actions.test") return strings.testFailed;
  // The name of a mapping or of a tool of a server may begin like a text in the past tense.
  const isName = entry.tool === "mapping.failed" || entry.tool.startsWith("mcp:");
  return isName ? text : strings.notDone(text);
}

function describeIntent(entry: Described, planTitle: (plan_id: string) => string | null): string {
  const { tool, arguments: args } = entry;
  const name = tool.replace(/^terminal\./, "");
  const plan = planOf({ detail: entry.detail ?? null, arguments: args });
  const title = plan && planTitle(plan);
  if (title) {
    if (["plans.apply", "plans.apply_part", "approve"].includes(name))
      return strings.applied(title);
    if (name === "plans.mark_edited") return strings.appliedEdited(title);
    if (name === "plans.reject" || name === "reject") return strings.discarded(title);
    if (entry.tier !== "read_only") return strings.proposed(title);
  }
  if (tool === "config.commit" && typeof args["reason"] === "string" && args["reason"].trim())
    return describeEdit(args["reason"]);
  if (tool === "mapping.failed")
    return entry.client
      ? describeReason(splitMapping(entry.client).name)
      : strings.actionOf(strings.aControl);
  const change = describeStep(entry);
  if (change) return change;
  if (tool === "engine.pause")
    return args["paused"] ? strings.pausedMappings : strings.resumedMappings;
  if (tool === "devices.set_enabled")
    return (
      `${args["enabled"] ? strings.unmuted : strings.muted} ` +
      deviceLabel(String(args["device_id"]))
    );
  if (tool === "modes.switch" || (tool === "conductor_switch_mode" && args["mode"]))
    return strings.switchedTo(String(args["mode"]));
  if (name.startsWith("approvals.")) return DECISIONS[String(args["decision"])] ?? toolLabel(tool);
  if (tool === "questions.answer") return ANSWERS[String(args["action"])] ?? toolLabel(tool);
  return toolLabel(tool);
}

/** Describe what an entry undid, redid or restored; null for other entries. */
function describeStep({ tool, detail, outcome }: Described): string | null {
  if (!detail || outcome !== "ok") return null;
  if (tool === "config.undo") return strings.undid(describeEdit(detail));
  if (tool === "config.redo") return strings.redid(describeEdit(detail));
  return tool.startsWith("history.restore") ? describeReason(detail) : null;
}

/** Return by what History finds the version that an entry made, undid or redid; null: none. */
export function versionOf(entry: ActivityEntry): { at: string; reason: string | null } | null {
  if (entry.outcome !== "ok" || entry.tier !== "config_change") return null;
  const { reason } = entry.arguments;
  return { at: entry.at, reason: entry.detail ?? (typeof reason === "string" ? reason : null) };
}

/** Return what an entry says besides its title, such as why it failed; empty if that is nothing. */
export const describeDetail = (entry: ActivityEntry): string =>
  describeStep(entry) ? "" : describeReason((entry.detail ?? "").replace(/^plan \S+ \w+$/, ""));

/**
 * Describe the settings that an entry changed, such as “Theme: Dark”; null if it changed anything
 * else.
 * @param describeSetting describes a change such as `ui.theme: "dark"`
 */
export function describeSettings(
  tool: string,
  args: ActivityEntry["arguments"],
  describeSetting: (change: string) => string | null,
): string | null {
  const changes = args["changes"];
  if (tool !== "config.commit" || !Array.isArray(changes) || !changes.length) return null;
  const lines = (changes as Record<string, unknown>[]).flatMap((change) =>
    change["change_type"] === "UpdateSettings" ? listLeaves(change["settings"]) : [null],
  );
  const described = lines.map((line) => line && describeSetting(line));
  return described.every((text) => text !== null) ? described.join("; ") : null;
}

/** List the values of nested settings, such as `ui.theme: "dark"`. */
function listLeaves(value: unknown, path: readonly string[] = []): string[] {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([key, one]) => listLeaves(one, [...path, key]))
    : [`${path.join(".")}: ${JSON.stringify(value)}`];
}

/** Return what a tool or command did, such as “Switched the mode” for `conductor_switch_mode`. */
export function toolLabel(tool: string): string {
  const [, server, name] = /^mcp:([^:]+):(.+)$/s.exec(tool) ?? [];
  if (server && name) return strings.toolOf(name, server);
  const plain = tool.replace(/^terminal\./, "");
  return COMMANDS[plain] ?? TOOLS[plain] ?? toolTitle(plain);
}

export function outcomeLabel(outcome: string): string {
  if (outcome.endsWith("_not_found")) return strings.notFound;
  return OUTCOMES[outcome] ?? capitalize(outcome.replaceAll("_", " "));
}

/** Return the reason why a tool call was allowed, such as “allowed once”. */
export function permissionLabel(permission: string | null): string {
  return permission === null ? "" : (PERMISSIONS[permission] ?? permission);
}

export function formatDuration(duration_ms: number | null): string {
  if (duration_ms === null) return "";
  if (duration_ms < 1_000)
    return `${duration_ms < 10 ? formatFixed(duration_ms, 1) : Math.round(duration_ms)} ms`;
  return `${formatFixed(duration_ms / 1_000, 1)} s`;
}
