/** The wording of Agent Skills. Pure. */
import type { SkillView } from "$lib/client/types";
import { strings } from "./strings";

/** Describe where a skill was installed from. */
export function originWords({ origin, source }: Pick<SkillView, "origin" | "source">): string {
  if (origin === "conductor") return strings.includedWithConductor;
  if (!source) return strings.addedByYou;
  return strings.installedFrom(sourceWords(source));
}

/** Return a source without its kind prefix, where the rest makes the kind obvious. */
export function sourceWords(source: string): string {
  return source.replace(/^(folder|archive):/, "");
}
