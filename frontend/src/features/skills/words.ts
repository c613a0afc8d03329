/** What is said of a skill. Pure. */
import type { SkillView } from "$lib/client/types";

/** Gives where a skill is from, in a few words. */
export function originWords({ origin, source }: Pick<SkillView, "origin" | "source">): string {
  if (origin === "conductor") return "Comes with Conductor";
  if (!source) return "Put there by you";
  return `Installed from ${sourceWords(source)}`;
}

/** Gives a source without its kind, where the kind is plain from the rest. */
export function sourceWords(source: string): string {
  return source.replace(/^(folder|archive):/, "");
}
