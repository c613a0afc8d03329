/** Costs by day, for the bars. Pure. */
import { dollars } from "$lib/amounts";
import type { CostLine, UsageView } from "$lib/client/types";
import { strings } from "./strings";

export interface DayBar {
  day: string;
  /** As shown, such as `21 Nov`. */
  label: string;
  /** Null: the price of no request of the day is known. */
  usd: number | null;
  requests: number;
  unpriced: number;
  /** Of the dearest day. */
  share: number;
}

/** Gives what requests cost: nothing when there were none, null when the price of none is known. */
export function sumOf(line: CostLine | undefined): number | null {
  return line?.usage.requests ? line.usage.cost_usd : 0;
}

export const unpriced = (count: number): string => strings.withoutPrice(count);

export function barWords(bar: DayBar): string {
  return [
    `${bar.label}: ${dollars(bar.usd)}`,
    `${bar.requests} ${bar.requests === 1 ? "request" : "requests"}`,
    ...(bar.unpriced ? [unpriced(bar.unpriced)] : []),
  ].join(", ");
}

/** Gives a bar for every day, also for those without any request. */
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
    const usd = sumOf(line);
    const label = new Date(`${day}T00:00:00Z`).toLocaleDateString(undefined, {
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
