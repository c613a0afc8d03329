/** What the checks of a draft found, which its list and the foot of its editor show. */
import type { ExampleResult, Overlap } from "$lib/client/types";
import { findDeadEnd } from "$lib/dead-end";
import { isSameConfig, type Draft } from "./draft.svelte";
import type { MappingsController } from "./mappings.controller.svelte";

export interface Findings {
  /** What the mapping uses but this computer lacks, and its last failure. */
  troubles: string[];
  overlaps: Overlap[];
  /** The mode from which nothing leads back; null: none. */
  deadEnd: string | null;
  /** The saved examples that would fail. */
  broken: ExampleResult[];
}

export function findingsOf(view: MappingsController, draft: Draft): Findings {
  const { config, problems } = view.app;
  const row = draft.index === null ? undefined : config.row(draft.scope, draft.index);
  return {
    // A draft with the same action still has the problems of its mapping.
    troubles:
      row && isSameConfig(row.mapping.action, draft.action) ? problems.of(row) : draft.missing,
    // A dead end has a note of its own, with a way to avoid it.
    // What must be chosen first decides about its conflicts.
    overlaps: draft.taken.isOpen
      ? []
      : view.overlapsOf(draft).filter(({ kind }) => kind !== "no_way_back"),
    deadEnd: findDeadEnd(
      draft.action,
      draft.scope,
      config.rows.filter((one) => one !== row),
      config.modes.map((mode) => mode.name),
    ),
    broken: draft.proof?.broken_examples ?? [],
  };
}
