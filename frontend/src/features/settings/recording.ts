/** The recording of what was played, in words. Pure. */
import type { RecordingStatus } from "$lib/client/types";

export function recordingWords({
  entries,
  played_s,
  is_kept_on_disk,
  bytes_on_disk,
}: RecordingStatus): string {
  if (!entries) return "Nothing is recorded yet.";
  const place = is_kept_on_disk ? `${size(bytes_on_disk)} on disk` : "in memory only";
  return (
    `Recorded: ${duration(played_s)} of playing, ${entries.toLocaleString("en")} ` +
    `${entries === 1 ? "event" : "events"}, ${place}.`
  );
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}

function size(bytes: number): string {
  return bytes < 1_000_000
    ? `${Math.max(1, Math.round(bytes / 1_000))} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
