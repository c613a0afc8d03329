/** Filters of the activity list. */
import { localized } from "$language/language.svelte";
import type { ActivityParams } from "$lib/client/types";
import type { Option } from "$ui";
import { strings } from "./strings";

export interface ActivityFilters {
  caller: string;
  tier: string;
  outcome: string;
  since: string;
  tool: string;
  search: string;
}
export const ALL = "all";
export const NO_FILTERS: ActivityFilters = {
  caller: ALL,
  tier: ALL,
  outcome: ALL,
  since: ALL,
  tool: "",
  search: "",
};

export const CALLERS: readonly Option[] = localized(() => [
  { value: ALL, label: strings.everyone },
  { value: "window", label: strings.youInWindow },
  { value: "page", label: strings.youInBrowser },
  { value: "cli", label: strings.conductorsCommandLine },
  { value: "chat", label: strings.theAssistant },
  { value: "mcp", label: strings.agents },
  { value: "http", label: strings.agentsOverHttp },
  { value: "bare", label: strings.programs },
  { value: "pad", label: strings.controls },
]);
export const TIERS: readonly Option[] = localized(() => [
  { value: ALL, label: strings.anyKind },
  { value: "skill", label: strings.skills },
  { value: "read_only", label: strings.read },
  { value: "stateful", label: strings.changeState },
  { value: "config_change", label: strings.changeTheConfig },
  { value: "privileged", label: strings.usePermissions },
  { value: "hardware_io", label: strings.useDevices },
  { value: "request", label: strings.requests },
]);
export const OUTCOMES: readonly Option[] = localized(() => [
  { value: ALL, label: strings.anyOutcome },
  { value: "ok", label: strings.done },
  { value: "failed", label: strings.failedOrRefused },
  { value: "not_allowed", label: strings.notAllowed },
  { value: "started", label: strings.notFinished },
]);
export const TIMES: readonly Option[] = localized(() => [
  { value: ALL, label: strings.anyTime },
  { value: "1", label: strings.lastHour },
  { value: "24", label: strings.lastDay },
  { value: "168", label: strings.lastWeek },
]);

export const hasFilters = (chosen: ActivityFilters): boolean =>
  JSON.stringify(chosen) !== JSON.stringify(NO_FILTERS);

/** Return the parameters of the activity commands for the given filters. */
export function toParams(
  { caller, tier, outcome, since, tool, search }: ActivityFilters,
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
