/** Describes the coverage of a plan by generated gestures. Pure. */
import type { Coverage } from "$lib/client/types";
import { strings } from "./strings";

export interface CoverageSummary {
  title: string;
  /** Which gestures were tried, or why the tests ended early. */
  scope: string;
  running: boolean;
}

/** Describe the coverage of a plan; null if no gesture was tried and none will be. */
export function describeCoverage(coverage: Coverage, isOpen: boolean): CoverageSummary | null {
  const { gestures_played: played, finished } = coverage;
  const running = !finished && isOpen;
  if (running)
    return {
      title: played ? describeTried(coverage, strings.triedSoFar) : strings.tryingGestures,
      scope: "",
      running,
    };
  if (!played) return null;
  const scope = !finished
    ? strings.stoppedAtDecision
    : coverage.cut_short
      ? strings.stoppedAtLimit
      : strings.triedEveryGesture(coverage.depth);
  return { title: describeTried(coverage, strings.triedGestures), scope, running };
}

function describeTried(
  { gestures_played: played, differing }: Coverage,
  tried: (count: number) => string,
): string {
  const gestures = tried(played);
  if (!differing) return strings.noneDiffers(gestures);
  return strings.someDiffer(gestures, differing);
}

/** Return the changed mappings that do not occur in the recording, without duplicates. */
export function unplayedMappings({ changed }: Coverage): string[] {
  const played = new Set(
    changed.filter((one) => one.played).map((one) => `${one.scope}#${one.index}`),
  );
  const names = changed
    .filter((one) => one.played === false && !played.has(`${one.scope}#${one.index}`))
    .map((one) => one.words);
  return [...new Set(names)];
}
