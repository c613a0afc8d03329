/** What the checks of a draft found, which its list and the foot of its editor show. */
import type { ExampleResult, Overlap } from "$lib/client/types";
import { findDeadEnd } from "$lib/dead-end";
import { isSameConfig, type Draft } from "./draft.svelte";
import type { MappingsController } from "./mappings.controller.svelte";

interface Trouble {
  severity: Overlap["severity"];
  text: string;
}

export interface Findings {
  /** What the mapping uses but this computer lacks, and its last failure. */
  troubles: Trouble[];
  overlaps: Overlap[];
  /** The mode from which nothing leads back; null: none. */
  deadEnd: string | null;
  /** The saved examples that would fail. */
  broken: ExampleResult[];
  /** The worst of all. */
  severity: Overlap["severity"];
}

export function findingsOf(view: MappingsController, draft: Draft): Findings {
  const { config, problems } = view.app;
  const row = draft.index === null ? undefined : config.row(draft.scope, draft.index);
  const isSame = row && isSameConfig(row.mapping.action, draft.action);
  const failure = isSame ? problems.failureOf(row) : null;
  const toTrouble = (text: string): Trouble => ({
    severity: text === failure ? "error" : "warning",
    text,
  });
  // A draft with the same action still has the problems of its mapping.
  const troubles = (isSame ? problems.of(row) : draft.missing).map(toTrouble);
  // What must be chosen first decides about the conflicts; a dead end has a note of its own.
  const overlaps = draft.taken.isOpen
    ? []
    : view.overlapsOf(draft).filter(({ kind }) => kind !== "no_way_back");
  const deadEnd = findDeadEnd(
    draft.action,
    draft.scope,
    config.rows.filter((one) => one !== row),
  );
  const broken = draft.proof?.broken_examples ?? [];
  const found = [...troubles, ...overlaps].map(({ severity }) => severity);
  const severity =
    broken.length || found.includes("error")
      ? "error"
      : deadEnd !== null || found.includes("warning")
        ? "warning"
        : "info";
  return { troubles, overlaps, deadEnd, broken, severity };
}
