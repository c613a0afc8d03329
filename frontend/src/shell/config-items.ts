/** The entries of the command palette for mappings, profiles and pending plans. */
import { planTitle } from "$proof/words";
import { scopeName } from "$lib/scopes";
import type { State } from "$lib/state/state";
import type { PaletteItem } from "$lib/state/ui.svelte";
import { strings } from "./strings";

export function buildConfigItems(state: State): PaletteItem[] {
  return [...mappingItems(state), ...profileItems(state), ...planItems(state)];
}

function mappingItems({ config, ui }: State): PaletteItem[] {
  return config.rows.map(({ scope, index, mapping, words }) => ({
    id: `mapping:${scope}#${index}`,
    group: strings.mappings,
    isOnlySearched: true,
    title: mapping.description || `${words.trigger} → ${words.action}`,
    hint: mapping.description
      ? `${words.trigger} → ${words.action} · ${scopeName(scope)}`
      : scopeName(scope),
    keywords: words.printed,
    run: () => ui.navigate("mappings", { kind: "row", scope, index }),
  }));
}

function profileItems({ config, ui }: State): PaletteItem[] {
  return config.profiles.map(({ name, mappings }) => ({
    id: `profile:${name}`,
    group: strings.profiles,
    isOnlySearched: true,
    title: name,
    hint: strings.mappingCount(mappings?.length ?? 0),
    run: () => ui.navigate("profiles", { kind: "profile", name }),
  }));
}

function planItems({ plans, ui }: State): PaletteItem[] {
  return plans.pending.map((plan) => ({
    id: `plan:${plan.plan_id}`,
    group: strings.pendingPlans,
    isOnlySearched: true,
    title: planTitle(plan),
    run: () => ui.navigate("plans", { kind: "plan", plan_id: plan.plan_id }),
  }));
}
