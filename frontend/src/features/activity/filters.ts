/** Filters of the activity list. */
import { localized } from "$language/language.svelte";
import type { ActivityParams } from "$lib/client/types";
import type { Option } from "$ui";
import { strings } from "./strings";

export type Shown = "everything" | "changes" | "problems";
export interface ActivityFilters {
  show: Shown;
  caller: string;
  since: string;
  search: string;
}
const ALL = "all";
export const NO_FILTERS: ActivityFilters = {
  show: "everything",
  caller: ALL,
  since: ALL,
  search: "",
};

export const SHOWN: readonly Option<Shown>[] = localized(() => [
  { value: "everything", label: strings.everything },
  { value: "changes", label: strings.changes },
  { value: "problems", label: strings.problems },
]);
export const CALLERS: readonly Option[] = localized(() => [
  { value: ALL, label: strings.everyone },
  { value: "you", label: strings.you },
  { value: "chat", label: strings.theAssistant },
  { value: "agents", label: strings.agents },
  { value: "pad", label: strings.controls },
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
  { show, caller, since, search }: ActivityFilters,
  now: number,
): Omit<ActivityParams, "limit" | "before_id"> {
  return {
    caller: caller === ALL ? null : caller,
    tier: show === "changes" ? "changes" : null,
    outcome: show === "problems" ? "failed" : null,
    since: since === ALL ? null : new Date(now - Number(since) * 3_600_000).toISOString(),
    tool: null,
    search: search.trim() || null,
  };
}
