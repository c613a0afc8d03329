/** Costs by day, for the bars. Pure. */
import type { UsageView } from "$lib/client/types";

export interface DayBar {
  day: string;
  /** As shown, such as `21 Nov`. */
  label: string;
  usd: number;
  requests: number;
  /** Of the dearest day. */
  share: number;
}

/** Gives a bar for every day, also for those without any request. */
export function dayBars({ costs, first_day, last_day }: UsageView): DayBar[] {
  const found = new Map(costs.days.map((line) => [line.name, line.usage]));
  const days: string[] = [];
  for (let at = new Date(`${first_day}T00:00:00Z`); at.toISOString().slice(0, 10) <= last_day; at = new Date(at.getTime() + 86_400_000)) days.push(at.toISOString().slice(0, 10));
  const most = Math.max(0, ...costs.days.map((line) => line.usage.cost_usd ?? 0));
  return days.map((day) => {
    const usd = found.get(day)?.cost_usd ?? 0;
    const label = new Date(`${day}T00:00:00Z`).toLocaleDateString(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
    return { day, label, usd, requests: found.get(day)?.requests ?? 0, share: most ? usd / most : 0 };
  });
}
