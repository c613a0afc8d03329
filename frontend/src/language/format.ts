/** Formats numbers, dates and lists in the current language. */
import { language } from "./language.svelte";

/** Return the locale of the current language, with the region that the user has chosen for it. */
export function currentLocale(): string {
  const own = navigator.languages.find((tag) => tag.split("-")[0] === language.current);
  return own ?? language.current;
}

/** Formats by locale and options: making one takes far longer than formatting a number. */
const numberFormats = new Map<string, Intl.NumberFormat>();

export function formatNumber(value: number, options?: Intl.NumberFormatOptions): string {
  const locale = currentLocale();
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = numberFormats.get(key);
  const format = known ?? new Intl.NumberFormat(locale, options);
  if (!known) numberFormats.set(key, format);
  return format.format(value);
}

/** Format a number with a fixed number of digits after the decimal separator. */
export function formatFixed(value: number, digits: number): string {
  return formatNumber(value, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Format a number with at most a number of digits after the decimal separator. */
export function formatAtMost(value: number, digits: number): string {
  return formatNumber(value, { maximumFractionDigits: digits });
}

/** Return a text with a capital at its beginning, unless that is a name such as `config.toml`. */
export const capitalize = (text: string): string =>
  text.replace(/^\p{Ll}(?![^\s:]*(?:\d|[./@_]\w)|\w+:\S)/u, (first) => first.toUpperCase());

export function formatDate(
  at: string | number | Date,
  options?: Intl.DateTimeFormatOptions,
): string {
  return new Date(at).toLocaleDateString(currentLocale(), options);
}

/** Format a time of day, such as “3:42 PM”. */
export function formatTimeOfDay(
  at: string | number | Date,
  options: Intl.DateTimeFormatOptions = { timeStyle: "short" },
): string {
  return new Date(at).toLocaleTimeString(currentLocale(), options);
}

/** Format a date and time, such as “Nov 30, 2026, 3:42:10 PM”: two events can share a minute. */
export function formatDateTime(
  at: string | number | Date,
  options: Intl.DateTimeFormatOptions = { dateStyle: "medium", timeStyle: "medium" },
): string {
  return new Date(at).toLocaleString(currentLocale(), options);
}

/** Join names to a list, such as `A, B and C`. */
export function formatList(
  names: readonly string[],
  type: Intl.ListFormatType = "conjunction",
): string {
  return new Intl.ListFormat(currentLocale(), { type }).format(names);
}

/** Return the form of a word for a count, by the plural rules of the current language. */
export function plural(
  count: number,
  forms: Partial<Record<Intl.LDMLPluralRule, string>> & { other: string },
): string {
  return forms[new Intl.PluralRules(currentLocale()).select(count)] ?? forms.other;
}
