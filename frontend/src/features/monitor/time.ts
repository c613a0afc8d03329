/** Times of events, and the intervals between them. */

/** Format seconds since 1970 as a time of day with milliseconds. */
export function formatClock(seconds: number): string {
  const at = new Date(seconds * 1000);
  if (Number.isNaN(at.getTime())) return "";
  const milliseconds = String(at.getMilliseconds()).padStart(3, "0");
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${milliseconds}`;
}

/** Format the time since the previous event in a suitable unit. */
export function formatGap(seconds: number): string {
  const ms = seconds * 1000;
  if (ms < 0) return "";
  if (ms < 10) return `+${ms.toFixed(1)} ms`;
  if (ms < 1000) return `+${Math.round(ms)} ms`;
  if (seconds < 60) return `+${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `+${Math.floor(seconds / 60)} min`;
  return `+${Math.floor(seconds / 3600)} h`;
}

const two = (number: number): string => String(number).padStart(2, "0");

/** Split a sentence into its numbers and the text between them. */
export function splitAtNumbers(text: string): { text: string; number: boolean }[] {
  return text
    .split(/((?<![\w.])-?\d+(?:\.\d+)?(?:\s?(?:ms|s)\b)?)/)
    .map((part, index) => ({ text: part, number: index % 2 === 1 }))
    .filter((part) => part.text !== "");
}
