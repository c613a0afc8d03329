/** What Settings > Skills says. Pure. */
import type { AbilityView, GrantView } from "$lib/client/types";

export const usesNetwork = (tier: string): boolean => tier === "network" || tier === "integration";

/** Gives the skills that hold every word. */
export function matching(skills: readonly AbilityView[], text: string): AbilityView[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  return skills.filter((one) => {
    const all = `${one.title} ${one.description} ${one.tool} ${one.skill_id} ${one.origin ?? ""} ${one.category ?? ""} ${one.tier}`.toLowerCase();
    return wanted.every((word) => all.includes(word));
  });
}

export interface Part {
  /** Whose they are; null: Conductor's own. */
  origin: string | null;
  skills: AbilityView[];
}

/** Gives skills by whose they are, Conductor's own first. */
export function byOrigin(skills: readonly AbilityView[]): Part[] {
  const origins = [...new Set(skills.map((one) => one.origin ?? null))].sort((a, b) => (a === null ? -1 : b === null ? 1 : a.localeCompare(b)));
  return origins.map((origin) => ({ origin, skills: skills.filter((one) => (one.origin ?? null) === origin) }));
}

/** Says what a remembered answer covers and for how long. */
export function grantWords({ scope, shape }: Pick<GrantView, "scope" | "shape">): string {
  return scope === "conversation" ? `${shape}, in one conversation` : shape;
}

export function usesWords(uses: number): string {
  return uses === 0 ? "not used yet" : uses === 1 ? "used once" : `used ${uses} times`;
}
