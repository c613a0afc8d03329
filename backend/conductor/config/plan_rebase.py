"""Moves pending plans to a new text of the config that does the same as the one they were proposed for."""

from collections.abc import Iterable

from conductor.config.draft import build_draft
from conductor.config.store import ConfigStore, Snapshot
from conductor.domain.change_kinds import ReplaceConfig
from conductor.domain.config import Config
from conductor.domain.plan import StoredPlan
from conductor.domain.settings import UiSettings
from conductor.errors import ConductorError


def rebase_plans(
    plans: Iterable[StoredPlan], last: Snapshot, now: Snapshot, store: ConfigStore
) -> list[StoredPlan]:
    """Return the pending plans without a time limit that were proposed for the last config, moved to the
    running one. Return none if the two configs differ in more than the look of the window and the names of
    controls.
    """
    waiting = [
        stored
        for stored in plans
        if stored.plan.status == "pending"
        and stored.plan.expires_at is None
        and stored.plan.base_state_hash == last.hash
    ]
    if not waiting or _without_look(last.config) != _without_look(now.config):
        return []
    moved = (_rebase_plan(stored, now, store) for stored in waiting)
    return [stored for stored in moved if stored is not None]


def _without_look(config: Config) -> Config:
    settings = config.settings.model_copy(update={"ui": UiSettings(), "names": {}})
    return config.model_copy(update={"settings": settings})


def _rebase_plan(stored: StoredPlan, snapshot: Snapshot, store: ConfigStore) -> StoredPlan | None:
    """Return a plan with the text and the diff that its changes make of the running config.

    What it says and proves stays: it was written for a config with the same effects. Return None if the
    plan would take back what has changed since, or would change nothing.
    """
    changes = stored.change_list
    if not changes or any(isinstance(change, ReplaceConfig) for change in changes):
        return None
    try:
        drafted = build_draft(changes, snapshot, store)
    except ConductorError:
        return None
    plan = stored.plan.model_copy(
        update={
            "base_state_hash": snapshot.hash,
            "diff_preview": drafted.diff,
            "diff_is_cut": drafted.is_cut,
        }
    )
    return stored.model_copy(update={"plan": plan, "new_text": drafted.text})
