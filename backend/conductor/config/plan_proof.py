"""Proves a plan draft: the arguments of a plan that describe the effects of its change."""

from typing import Required, TypedDict

from conductor.config.draft import PlanDraft
from conductor.config.plan_ports import ChangeProver
from conductor.config.plan_rules import (
    FindMissingParts,
    find_newly_missing_parts,
    truncate_overlaps,
)
from conductor.domain.coverage import Coverage
from conductor.domain.impact import Impact
from conductor.domain.plan import Example, ExampleResult, Overlap, Replay


class ProofFields(TypedDict, total=False):
    """The arguments of a `ConfigPlan` that describe the effects of its change."""

    warnings: Required[tuple[str, ...]]
    overlaps: tuple[Overlap, ...]
    replay: Replay | None
    impact: Impact
    coverage: Coverage
    examples: tuple[ExampleResult, ...]
    broken_examples: tuple[ExampleResult, ...]


def prove_draft(
    drafted: PlanDraft,
    examples: tuple[Example, ...],
    prover: ChangeProver,
    find_missing: FindMissingParts,
) -> ProofFields:
    """Return the effects of a drafted plan, and the warnings for the user."""
    if drafted.kind != "config":
        return {"warnings": drafted.warnings}
    proof = prover.prove(drafted.old, drafted.new, examples)
    breaks = tuple(
        f"This breaks your example `{broken.example.name}`: {broken.problem}"
        for broken in proof.broken_examples
    )
    overlaps, more = truncate_overlaps(proof.overlaps)
    missing = find_newly_missing_parts(find_missing, drafted.old, drafted.new)
    return {
        "warnings": (*breaks, *drafted.warnings, *missing, *more),
        "overlaps": overlaps,
        "replay": proof.replay,
        "impact": proof.impact,
        "coverage": proof.coverage,
        "examples": proof.examples,
        "broken_examples": proof.broken_examples,
    }
