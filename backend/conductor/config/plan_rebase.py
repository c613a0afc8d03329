"""Moves open plans to a new config, so that a change of something else does not make them stale."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from conductor.config.diff import TextDiff, compare_texts
from conductor.config.draft import PlanDraft, build_draft
from conductor.config.plan_proof import ProofFields
from conductor.config.store import ConfigStore, Snapshot
from conductor.config.window_settings import (
    differ_only_in_window_settings,
    keep_window_settings,
    replace_window_settings,
)
from conductor.domain.change_kinds import Change, ReplaceConfig
from conductor.domain.changes import apply_change, find_changed_part
from conductor.domain.config import Config
from conductor.domain.plan import ConfigPlan, Example, StoredPlan
from conductor.domain.settings import UiSettings
from conductor.errors import ConductorError

MAX_REPROVED_PLANS = 20
"""How many plans are proved again, the newest ones: a proof for a large config takes up to 400 ms."""
ProveDraft = Callable[[PlanDraft, tuple[Example, ...]], ProofFields]


class MovedPlan(NamedTuple):
    stored: StoredPlan
    drafted: PlanDraft | None = None
    """The changes for the new config if they were proved again; None if the old proof still holds."""


def rebase_plans(
    plans: Iterable[StoredPlan],
    last: Snapshot,
    now: Snapshot,
    store: ConfigStore,
    prove: ProveDraft,
) -> Iterator[MovedPlan]:
    """Yield the open plans that were proposed for the last config, moved to the running one.

    A change of the window's settings moves all of them. Other changes move only the pending plans without a
    time limit: as they are if the config does the same, for example after a change of names of controls or
    comments, otherwise with a new proof.
    """
    waiting = [
        stored
        for stored in plans
        if stored.plan.status in ("pending", "approved")
        and stored.plan.base_state_hash == last.hash
    ]
    if not waiting:
        return
    if not differ_only_in_window_settings(last.text, now.text):
        waiting = [
            stored
            for stored in waiting
            if stored.plan.status == "pending"
            and stored.plan.expires_at is None
            and stored.step is None
        ]
    does_the_same = _remove_looks(last.config) == _remove_looks(now.config)
    for stored in waiting if does_the_same else waiting[-MAX_REPROVED_PLANS:]:
        if does_the_same:
            moved = _rebase_plan(stored, now, store)
        else:
            moved = _rebase_and_prove_plan(stored, last, now, store, prove)
        if moved is not None:
            yield moved


def _remove_looks(config: Config) -> Config:
    config = replace_window_settings(config, UiSettings())
    settings = config.settings.model_copy(update={"names": {}})
    return config.model_copy(update={"settings": settings})


def _rebase_plan(stored: StoredPlan, snapshot: Snapshot, store: ConfigStore) -> MovedPlan | None:
    """Return a plan with the text and the diff that its changes make of the running config.

    What it says and proves stays: it was written for a config with the same effects. Return None if the
    plan would take back what has changed since, or would change nothing.
    """
    changes = stored.change_list
    if stored.step is not None:
        text = keep_window_settings(stored.new_text, snapshot.text)
        return MovedPlan(_move_plan(stored, snapshot, text, compare_texts(snapshot.text, text)))
    if not changes or any(isinstance(change, ReplaceConfig) for change in changes):
        return None
    try:
        drafted = build_draft(changes, snapshot, store)
    except ConductorError:
        return None
    return MovedPlan(_move_drafted_plan(stored, snapshot, drafted))


def _rebase_and_prove_plan(
    stored: StoredPlan, last: Snapshot, now: Snapshot, store: ConfigStore, prove: ProveDraft
) -> MovedPlan | None:
    """Return a plan with the proof of its changes for a config that does something else than the last one.

    Return None if the parts that it changes have changed, or if it would now need another decision: the user
    may have seen the old proof just before.
    """
    try:
        if not _changes_the_same_parts(stored.change_list, last.config, now.config):
            return None
        drafted = build_draft(stored.change_list, now, store)
        examples = tuple(result.example for result in stored.plan.examples)
        proof = prove(drafted, examples)
    except ConductorError:
        return None
    moved = _move_drafted_plan(stored, now, drafted)
    plan = moved.plan.model_copy(
        update={
            **proof,
            "privileged": stored.plan.privileged or drafted.privileged,
            "window_only": drafted.window_only,
        }
    )
    if _count_risks(plan) - _count_risks(stored.plan):
        return None
    return MovedPlan(moved.model_copy(update={"plan": plan}), drafted)


def _changes_the_same_parts(changes: tuple[Change, ...], last: Config, now: Config) -> bool:
    """Return whether each change finds what it changes as it was when it was proposed."""
    for change in changes:
        if find_changed_part(last, change) != find_changed_part(now, change):
            return False
        last, now = apply_change(last, change), apply_change(now, change)
    return bool(changes)


def _count_risks(plan: ConfigPlan) -> Counter[tuple[str, str]]:
    """Count what speaks against applying a plan."""
    return Counter(
        [("warning", text) for text in plan.warnings]
        + [("window", text) for text in plan.window_only]
        + [("example", result.example.name) for result in plan.examples if not result.passed]
        + [(one.kind, one.message) for one in plan.overlaps if one.is_new]
        + ([("privileged", "")] if plan.privileged else [])
    )


def _move_drafted_plan(stored: StoredPlan, snapshot: Snapshot, drafted: PlanDraft) -> StoredPlan:
    return _move_plan(stored, snapshot, drafted.text, TextDiff(drafted.diff, drafted.is_cut))


def _move_plan(stored: StoredPlan, snapshot: Snapshot, text: str, diff: TextDiff) -> StoredPlan:
    plan = stored.plan.model_copy(
        update={
            "base_state_hash": snapshot.hash,
            "diff_preview": diff.text,
            "diff_is_cut": diff.is_cut,
        }
    )
    return stored.model_copy(update={"plan": plan, "new_text": text})
