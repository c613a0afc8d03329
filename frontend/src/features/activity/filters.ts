/** What Activity is narrowed to. Pure. */
import type { ActivityParams } from "$lib/client/types";
import type { Option } from "$ui";

export interface Chosen {
  caller: string;
  tier: string;
  outcome: string;
  since: string;
  tool: string;
  search: string;
}
export const ALL = "all";
export const NOTHING_CHOSEN: Chosen = {
  caller: ALL,
  tier: ALL,
  outcome: ALL,
  since: ALL,
  tool: "",
  search: "",
};

export const CALLERS: readonly Option[] = [
  { value: ALL, label: "Everybody" },
  { value: "window", label: "You, in the window" },
  { value: "page", label: "You, on a page in a browser" },
  { value: "cli", label: "The conductor command" },
  { value: "chat", label: "The chat" },
  { value: "mcp", label: "Agents" },
  { value: "http", label: "Agents over HTTP" },
  { value: "bare", label: "Programs" },
  { value: "pad", label: "Controls" },
];
export const TIERS: readonly Option[] = [
  { value: ALL, label: "Every kind" },
  { value: "skill", label: "Skills" },
  { value: "read_only", label: "Reads" },
  { value: "stateful", label: "Changes of state" },
  { value: "config_change", label: "Changes of the config" },
  { value: "privileged", label: "With your rights" },
  { value: "hardware_io", label: "To devices" },
  { value: "request", label: "Requests" },
];
export const OUTCOMES: readonly Option[] = [
  { value: ALL, label: "However it went" },
  { value: "ok", label: "Done" },
  { value: "failed", label: "Failed or refused" },
  { value: "not_allowed", label: "Not allowed" },
  { value: "started", label: "Not finished" },
];
export const TIMES: readonly Option[] = [
  { value: ALL, label: "Any time" },
  { value: "1", label: "Last hour" },
  { value: "24", label: "Last day" },
  { value: "168", label: "Last week" },
];

export const isNarrowed = (chosen: Chosen): boolean =>
  JSON.stringify(chosen) !== JSON.stringify(NOTHING_CHOSEN);

/** Gives what the commands take. */
export function asked(
  { caller, tier, outcome, since, tool, search }: Chosen,
  now: number,
): Omit<ActivityParams, "limit" | "before_id"> {
  const one = (value: string): string | null =>
    value === ALL || value.trim() === "" ? null : value.trim();
  const from = since === ALL ? null : new Date(now - Number(since) * 3_600_000).toISOString();
  return {
    caller: one(caller),
    tier: one(tier),
    outcome: one(outcome),
    since: from,
    tool: one(tool),
    search: one(search),
  };
}
