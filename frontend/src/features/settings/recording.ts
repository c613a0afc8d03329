/** Texts of the recording of input. */
import { formatFixed } from "$language/format";
import type { RecordingStatus } from "$lib/client/types";
import { strings } from "./strings";

export function describeRecording({
  entries,
  played_s,
  is_kept_on_disk,
  bytes_on_disk,
}: RecordingStatus): string {
  if (!entries) return strings.nothingRecordedYet;
  const place = is_kept_on_disk ? strings.onDisk(size(bytes_on_disk)) : strings.inMemoryOnly;
  return strings.recorded(duration(played_s), entries, place);
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  return seconds < 5_400
    ? `${Math.round(seconds / 60)} min`
    : `${formatFixed(seconds / 3_600, 1)} h`;
}

function size(bytes: number): string {
  return bytes < 1_000_000
    ? `${Math.max(1, Math.round(bytes / 1_000))} kB`
    : `${formatFixed(bytes / 1_000_000, 1)} MB`;
}
