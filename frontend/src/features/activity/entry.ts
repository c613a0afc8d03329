/** An entry of the audit log in words. Pure. */
import type { ActivityEntry } from "$lib/client/types";

const CALLERS: Record<string, string> = {
  window: "You, in the window",
  gui: "You, in the window",
  bridge: "You, in the window",
  page: "You, on a page in a browser",
  cli: "The conductor command",
  chat: "The chat",
  pad: "A control",
  bare: "A program",
  mcp: "An agent",
  http: "An agent over HTTP",
  tray: "You, in the tray",
};
const OWN = ["window", "gui", "bridge", "tray"];
const OUTCOMES: Record<string, string> = {
  ok: "Done",
  started: "Not finished",
  not_allowed: "Not allowed",
  params_invalid: "Wrong arguments",
  config_invalid: "Not valid",
  config_stale: "Changed meanwhile",
  plan_stale: "Changed meanwhile",
  tool_not_found: "Not there",
  action_failed: "Failed",
  error: "Failed",
  rate_limited: "Too often",
  not_available: "Not possible",
};
const PERMISSIONS: Record<string, string> = {
  "not needed": "not asked",
  once: "allowed once",
  conversation: "allowed in its conversation",
  always: "always allowed",
  mapping: "allowed by its mapping",
};

export function who({ client, executable, caller }: ActivityEntry): string {
  if (OWN.includes(caller)) return CALLERS[caller]!;
  if (caller === "cli") return client ?? CALLERS[caller]!; // its executable is some Python
  return client ?? executable?.split(/[\\/]/).at(-1) ?? CALLERS[caller] ?? caller;
}

/** What the page's commands do, as one would say it; those of agents have names that read well. */
const COMMANDS: Record<string, string> = {
  "abilities.folder": "Chose a folder that may be read",
  "abilities.set": "Switched a skill",
  "abilities.set_tier": "Switched a kind of skills",
  "approvals.decide": "Answered a question for approval",
  "grants.revoke": "Forgot an answer",
  "questions.answer": "Answered a server",
  "servers.accept_change": "Accepted a tool of a server",
  "servers.add": "Added a server",
  "servers.consent": "Agreed to a server",
  "servers.enable": "Switched a server",
  "servers.import": "Took servers over",
  "servers.remove": "Removed a server",
  "servers.restart": "Restarted a server",
  "servers.start": "Started a server",
  "servers.stop": "Stopped a server",
  "servers.test": "Tried a server",
  "servers.tool": "Switched a tool of a server",
  "servers.update": "Changed a server",
  "actions.test": "Tried an action",
  "config.commit": "Changed the mappings",
  "config.redo": "Redid a change",
  "config.undo": "Undid a change",
  "devices.set_enabled": "Muted or unmuted a device",
  "devices.play_start": "Let mappings rest to make a profile",
  "devices.play_end": "Ended the making of a profile",
  "engine.panic": "Let go of everything",
  "engine.pause": "Paused or resumed",
  "engine.restart": "Restarted the engine",
  "examples.forget": "Forgot an example",
  "history.restore": "Restored a version",
  "history.restore_mapping": "Restored a mapping",
  "keys.create": "Set up the key file",
  "keys.delete": "Deleted a key",
  "keys.put": "Saved a key",
  "keys.unlock": "Unlocked the keys",
  "knowledge.add_profile": "Added a device profile",
  "knowledge.remove_profile": "Removed a device profile",
  "knowledge.toggle_source": "Switched a knowledge source",
  "knowledge.update_index": "Updated the knowledge index",
  "modes.switch": "Switched the mode",
  "pages.confirm": "Confirmed a page in a browser",
  "plans.apply": "Applied a plan",
  "plans.reject": "Discarded a plan",
  "skills.fetch": "Looked at a skill",
  "skills.install": "Installed a skill",
  "skills.remove": "Removed a skill",
  "skills.toggle": "Switched a skill",
};

const DECISIONS: Record<string, string> = {
  once: "Allowed a call once",
  conversation: "Allowed a call in its conversation",
  always: "Allowed a call for always",
  deny: "Denied a call",
  never: "Denied a call for always",
};
const ANSWERS: Record<string, string> = {
  accept: "Answered a server",
  decline: "Declined a server's question",
  cancel: "Put off a server's question",
};

/**
 * Says what an entry did: a word that the arguments make sure of, else the command's, else the
 * tool's name.
 */
export function didWords({
  tool,
  arguments: given,
}: Pick<ActivityEntry, "tool" | "arguments">): string {
  if (tool === "config.commit" && typeof given["reason"] === "string" && given["reason"].trim())
    return given["reason"];
  if (tool === "engine.pause") return given["paused"] ? "Paused" : "Resumed";
  if (tool === "devices.set_enabled")
    return (
      `${given["enabled"] ? "Unmuted" : "Muted"} ` +
      `${String(given["device_id"]).replace(/^raw:/, "")}`
    );
  if (tool === "modes.switch") return `Switched to ${String(given["mode"])}`;
  if (/^(terminal\.)?approvals\./.test(tool))
    return DECISIONS[String(given["decision"])] ?? toolWords(tool);
  if (tool === "questions.answer") return ANSWERS[String(given["action"])] ?? toolWords(tool);
  return toolWords(tool);
}

/**
 * Gives a command or a tool a name for people: `conductor_set_mode` becomes “Set mode”,
 * `mcp:time:now` “now of time”.
 */
export function toolWords(tool: string): string {
  const [, server, name] = /^mcp:([^:]+):(.+)$/s.exec(tool) ?? [];
  if (server && name) return `${name} of ${server}`;
  const plain = tool.replace(/^(conductor_|terminal\.)/, "").replace(/[._]/g, " ");
  return COMMANDS[tool] ?? plain.charAt(0).toUpperCase() + plain.slice(1);
}

export function outcomeWords(outcome: string): string {
  return (
    OUTCOMES[outcome] ?? outcome.charAt(0).toUpperCase() + outcome.slice(1).replaceAll("_", " ")
  );
}

/** Says how a call of a skill came to be allowed. */
export function permissionWords(permission: string | null): string {
  return permission === null ? "" : (PERMISSIONS[permission] ?? permission);
}

export function duration(duration_ms: number | null): string {
  if (duration_ms === null) return "";
  if (duration_ms < 1_000)
    return `${duration_ms < 10 ? duration_ms.toFixed(1) : Math.round(duration_ms)} ms`;
  return `${(duration_ms / 1_000).toFixed(1)} s`;
}

/** Gives the time of today's entries, the day too of others. */
export function timeWords(at: string, now: Date): string {
  const when = new Date(at);
  return when.toDateString() === now.toDateString()
    ? when.toLocaleTimeString()
    : when.toLocaleString();
}
