/** Texts of Agent Skills. */
import type { SkillView } from "$lib/client/types";
import { strings } from "./strings";

/** Return the title and description of a skill, which are translated if Conductor includes it. */
export function describeSkill(
  skill: Pick<SkillView, "name" | "description" | "origin">,
): readonly [title: string, about: string] {
  const known = skill.origin === "conductor" ? strings.included[skill.name] : undefined;
  return known ?? [skill.name, skill.description];
}

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
