/** Texts and groups of the assistant's capabilities in Settings. */
import { localized } from "$language/language.svelte";
import type { AbilityView, GrantView } from "$lib/client/types";
import { descriptionWithoutOrigin, toolTitle, skillTitle, titleWithoutServer } from "$lib/skills";
import { strings } from "./strings";

export const usesNetwork = (tier: string): boolean => tier === "network" || tier === "integration";

/** A capability that the user switches on or off as a whole, with its tools. */
export interface Skill {
  skill_id: string;
  title: string;
  tier: AbilityView["tier"];
  origin: string | null;
  enabled: boolean;
  because: AbilityView["because"];
  tools: readonly AbilityView[];
}

export function groupSkills(views: readonly AbilityView[]): Skill[] {
  const ids = [...new Set(views.map((one) => one.skill_id))];
  return ids.map((skill_id) => {
    const tools = views.filter((one) => one.skill_id === skill_id);
    const { title, tool, tier, origin, enabled, because } = tools[0]!;
    return {
      skill_id,
      title: skillTitle(skill_id, titleWithoutServer(title, tool)),
      tier,
      origin,
      enabled,
      because,
      tools,
    };
  });
}

/** User-facing descriptions of Conductor's tools, whose own descriptions are written for models. */
const OWN_DESCRIPTIONS: Record<string, string> = localized(() => ({
  calculator: strings.aboutCalculator,
  discover: strings.aboutDiscover,
  recall: strings.aboutRecall,
  code: strings.aboutCode,
  files: strings.aboutFiles,
  web_search: strings.aboutWebSearch,
  web_fetch: strings.aboutWebFetch,
}));

/** Describe a skill in one line. */
export function describeSkill({ skill_id, tools }: Pick<Skill, "skill_id" | "tools">): string {
  const own = OWN_DESCRIPTIONS[skill_id.replace(/^conductor_/, "")];
  if (own) return own;
  return tools.length === 1
    ? descriptionWithoutOrigin(tools[0]!.description, tools[0]!.origin)
    : tools.map((one) => toolTitle(one.tool)).join(", ");
}

/** Describe whether all or some tools of a skill need approval. Empty when none of them does. */
export function describeApproval({ tools }: Pick<Skill, "tools">): string {
  const asking = tools.filter((one) => one.requires_approval).length;
  return asking === 0 ? "" : asking === tools.length ? strings.asksFirst : strings.someAskFirst;
}

/** Return the skills that match every word of a search text. */
export function filterSkills(skills: readonly Skill[], text: string): Skill[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return skills.filter((one) => {
    const tools = one.tools
      .map(({ tool, description, category }) => `${tool} ${description} ${category ?? ""}`)
      .join(" ");
    const all =
      `${one.title} ${one.skill_id} ${one.origin ?? ""} ${one.tier} ${tools}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

export interface SkillGroup {
  /** The MCP server that the skills come from; null: Conductor. */
  origin: string | null;
  skills: Skill[];
}

/** Group skills by their MCP server. Conductor's own skills come first. */
export function groupByOrigin(skills: readonly Skill[]): SkillGroup[] {
  const of = (one: Skill): string | null => (one.skill_id.startsWith("mcp:") ? one.origin : null);
  const origins = [...new Set(skills.map(of))].sort((a, b) =>
    a === null ? -1 : b === null ? 1 : a.localeCompare(b),
  );
  return origins.map((origin) => ({ origin, skills: skills.filter((one) => of(one) === origin) }));
}

/** Describe which calls a remembered approval covers, and in which conversations. */
export function describeGrant({ scope, shape }: Pick<GrantView, "scope" | "shape">): string {
  return scope === "conversation" ? strings.inOneConversation(shape) : shape;
}

export function describeUses(uses: number): string {
  return uses === 0 ? strings.notUsed : uses === 1 ? strings.usedOnce : strings.usedTimes(uses);
}
