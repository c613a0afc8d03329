/** Formatting of money and token counts. Pure. */
import { strings } from "./strings";

/** Format an amount in US dollars. Null, an unknown price, becomes "unknown". */
export function formatDollars(usd: number | null): string {
  if (usd === null) return strings.unknown;
  if (usd === 0) return "$0.00";
  return usd < 0.001 ? strings.belowMinimumPrice : `$${usd.toFixed(usd < 0.1 ? 3 : 2)}`;
}

/** Format a token count, such as `840`, `1.2 k` or `3 M`. */
export function formatTokens(count: number): string {
  if (count < 1_000) return String(count);
  return count < 1_000_000
    ? `${Number((count / 1_000).toFixed(count < 10_000 ? 1 : 0))} k`
    : `${Number((count / 1_000_000).toFixed(1))} M`;
}
