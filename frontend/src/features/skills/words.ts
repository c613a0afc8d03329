/** What is said of a skill. Pure. */
import type { SkillView } from "$lib/client/types";
import { strings } from "./strings";

/** Gives where a skill is from, in a few words. */
export function originWords({ origin, source }: Pick<SkillView, "origin" | "source">): string {
  if (origin === "conductor") return strings.includedWithConductor;
  if (!source) return strings.addedByYou;
  return strings.installedFrom(sourceWords(source));
}

/** Gives a source without its kind, where the kind is plain from the rest. */
export function sourceWords(source: string): string {
  return source.replace(/^(folder|archive):/, "");
}
