/** Texts of audit log entries. */
import { formatDateTime, formatFixed, formatTimeOfDay } from "$language/format";
import { localized } from "$language/language.svelte";
import type { ActivityEntry } from "$lib/client/types";
import { toolTitle } from "$lib/skills";
import { strings } from "./strings";

const CALLERS: Record<string, string> = localized(() => ({
  window: strings.youInWindow,
  gui: strings.youInWindow,
  bridge: strings.youInWindow,
  page: strings.youInBrowser,
  cli: strings.conductorsCommandLine,
  chat: strings.theAssistant,
  pad: strings.aControl,
  bare: strings.aProgram,
  mcp: strings.anAgent,
  http: strings.agentOverHttp,
  tray: strings.youInTray,
}));
const USER_CALLERS = ["window", "gui", "bridge", "tray"];
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

export function requesterName({ client, executable, caller }: ActivityEntry): string {
  if (USER_CALLERS.includes(caller)) return CALLERS[caller]!;
  if (caller === "cli") return client ?? CALLERS[caller]!; // its executable is some Python
  return client ?? executable?.split(/[\\/]/).at(-1) ?? CALLERS[caller] ?? caller;
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
  "actions.test": strings.testedAnAction,
  "config.commit": strings.changedTheConfig,
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
  "keys.put": strings.savedAKey,
  "keys.unlock": strings.unlockedTheKeys,
  "knowledge.add_profile": strings.addedDeviceProfile,
  "knowledge.remove_profile": strings.removedDeviceProfile,
  "knowledge.toggle_source": strings.switchedKnowledgeSource,
  "knowledge.update_index": strings.updatedKnowledgeIndex,
  "modes.switch": strings.switchedTheMode,
  "pages.confirm": strings.confirmedBrowserPage,
  "plans.apply": strings.appliedAPlan,
  "plans.reject": strings.discardedAPlan,
  "skills.fetch": strings.viewedASkill,
  "skills.install": strings.installedASkill,
  "skills.remove": strings.removedASkill,
  "skills.toggle": strings.switchedSkill,
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

/** Describe what an entry did, by its arguments, its command or the title of its tool. */
export function describeAction({
  tool,
  arguments: args,
}: Pick<ActivityEntry, "tool" | "arguments">): string {
  if (tool === "config.commit" && typeof args["reason"] === "string" && args["reason"].trim())
    return args["reason"];
  if (tool === "engine.pause")
    return args["paused"] ? strings.pausedMappings : strings.resumedMappings;
  if (tool === "devices.set_enabled")
    return (
      `${args["enabled"] ? strings.unmuted : strings.muted} ` +
      `${String(args["device_id"]).replace(/^raw:/, "")}`
    );
  if (tool === "modes.switch") return strings.switchedTo(String(args["mode"]));
  if (/^(terminal\.)?approvals\./.test(tool))
    return DECISIONS[String(args["decision"])] ?? toolLabel(tool);
  if (tool === "questions.answer") return ANSWERS[String(args["action"])] ?? toolLabel(tool);
  return toolLabel(tool);
}

/** Return the label of a tool, such as “Set mode” for `conductor_set_mode`. */
export function toolLabel(tool: string): string {
  const [, server, name] = /^mcp:([^:]+):(.+)$/s.exec(tool) ?? [];
  if (server && name) return strings.toolOf(name, server);
  return COMMANDS[tool] ?? toolTitle(tool.replace(/^terminal\./, ""));
}

export function outcomeLabel(outcome: string): string {
  return (
    OUTCOMES[outcome] ?? outcome.charAt(0).toUpperCase() + outcome.slice(1).replaceAll("_", " ")
  );
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

/** Format the time of an entry. Entries from before today include the date. */
export function formatTime(at: string, now: Date): string {
  const when = new Date(at);
  return when.toDateString() === now.toDateString() ? formatTimeOfDay(when) : formatDateTime(when);
}
