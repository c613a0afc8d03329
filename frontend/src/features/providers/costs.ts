/** Daily costs for the bar chart in Settings. */
import { formatDate } from "$language/format";
import { formatDollars } from "$lib/amounts";
import type { CostLine, UsageView } from "$lib/client/types";
import { strings } from "./strings";

export interface DayBar {
  day: string;
  /** The label of the day, such as `21 Nov`. */
  label: string;
  /** The cost in US dollars; null: no request of the day has a known price. */
  usd: number | null;
  requests: number;
  unpriced: number;
  /** The cost as a share of the cost of the most expensive day, from 0 to 1. */
  share: number;
}

/** Return the cost in US dollars: 0 without requests, null when no request has a known price. */
export function totalCost(line: CostLine | undefined): number | null {
  return line?.usage.requests ? line.usage.cost_usd : 0;
}

export const unpriced = (count: number): string => strings.withoutPrice(count);

export function describeBar(bar: DayBar): string {
  return [
    `${bar.label}: ${formatDollars(bar.usd)}`,
    strings.requestCount(bar.requests),
    ...(bar.unpriced ? [unpriced(bar.unpriced)] : []),
  ].join(", ");
}

/** Return one bar for each day, including days without requests. */
export function dayBars({ costs, first_day, last_day }: UsageView): DayBar[] {
  const found = new Map(costs.days.map((line) => [line.name, line]));
  const days: string[] = [];
  for (
    let at = new Date(`${first_day}T00:00:00Z`);
    at.toISOString().slice(0, 10) <= last_day;
    at = new Date(at.getTime() + 86_400_000)
  )
    days.push(at.toISOString().slice(0, 10));
  const most = Math.max(0, ...costs.days.map((line) => line.usage.cost_usd ?? 0));
  return days.map((day) => {
    const line = found.get(day);
    const usd = totalCost(line);
    const label = formatDate(`${day}T00:00:00Z`, {
      day: "numeric",
      month: "short",
      timeZone: "UTC",
    });
    return {
      day,
      label,
      usd,
      requests: line?.usage.requests ?? 0,
      unpriced: line?.unpriced_requests ?? 0,
      share: most ? (usd ?? 0) / most : 0,
    };
  });
}
