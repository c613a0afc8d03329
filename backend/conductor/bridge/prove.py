"""Computes the proof of a proposed change: its diff, rows, conflicts, replay, timeline and examples."""

from collections.abc import Sequence

from conductor.bridge.before_after import list_row_changes
from conductor.bridge.models import Proof, Timeline
from conductor.bridge.services import Services
from conductor.bridge.timeline import build_timeline_view
from conductor.config.draft import build_draft
from conductor.config.plan_rules import find_newly_missing_parts
from conductor.domain.change_kinds import Change
from conductor.domain.config import Config


def prove_changes(
    changes: Sequence[Change], services: Services, *, finds_missing: bool = False
) -> Proof:
    """Compute the proof of proposed changes by applying them to a copy of the running config.

    Raises:
        ConfigError: The changes are invalid or change nothing. The message says what to do.
    """
    names, store = services.names.get_names(), services.config.store
    drafted = build_draft(tuple(changes), store.snapshot, store, names)
    old, new = drafted.old, drafted.new
    proof = services.config.prover.prove(old, new)
    find = services.config.find_missing
    missing = find_newly_missing_parts(find, old, new) if finds_missing else ()
    return Proof(
        diff=drafted.diff,
        before_after=list_row_changes(old, new, names),
        overlaps=proof.overlaps,
        warnings=(*drafted.warnings, *missing),
        impact=proof.impact,
        replay=proof.replay,
        timeline=build_recorded_timeline(services, old, new),
        broken_examples=proof.broken_examples,
    )


def build_recorded_timeline(services: Services, old: Config, new: Config) -> Timeline | None:
    """Play the recorded input under both configs and return the timeline.

    Return None if nothing was recorded or the engine does not answer.
    """
    played = services.config.prover.build_replay_timeline(old, new)
    return None if played is None else build_timeline_view(played)
