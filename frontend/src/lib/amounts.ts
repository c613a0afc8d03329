/** Formatting of money and token counts. Pure. */
import { formatAtMost, formatNumber } from "$language/format";
import { strings } from "./strings";

/** Format an amount in US dollars. Null, an unknown price, becomes "unknown". */
export function formatDollars(usd: number | null): string {
  if (usd === null) return strings.unknown;
  if (usd !== 0 && usd < 0.001) return strings.belowMinimumPrice;
  const digits = usd === 0 || usd >= 0.1 ? 2 : 3;
  return formatNumber(usd, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** Format a token count, such as `840`, `1.2 k` or `3 M`. */
export function formatTokens(count: number): string {
  if (count < 1_000) return String(count);
  return count < 1_000_000
    ? `${formatAtMost(count / 1_000, count < 10_000 ? 1 : 0)} k`
    : `${formatAtMost(count / 1_000_000, 1)} M`;
}
