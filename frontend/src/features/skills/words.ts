/** Texts of Agent Skills. */
import type { SkillView } from "$lib/client/types";
import { strings } from "./strings";

/** Describe where a skill was installed from. */
export function describeOrigin({ origin, source }: Pick<SkillView, "origin" | "source">): string {
  if (origin === "conductor") return strings.includedWithConductor;
  if (!source) return strings.addedByYou;
  return strings.installedFrom(sourceName(source));
}

/** Return a source without the prefix `folder:` or `archive:`. */
export function sourceName(source: string): string {
  return source.replace(/^(folder|archive):/, "");
}
