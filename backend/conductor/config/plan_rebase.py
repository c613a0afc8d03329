"""Moves open plans to a new text of the config that does the same as the one they were proposed for."""

from collections.abc import Iterable

from conductor.config.diff import TextDiff, compare_texts
from conductor.config.draft import build_draft
from conductor.config.store import ConfigStore, Snapshot
from conductor.config.window_settings import (
    differ_only_in_window_settings,
    keep_window_settings,
    replace_window_settings,
)
from conductor.domain.change_kinds import ReplaceConfig
from conductor.domain.config import Config
from conductor.domain.plan import StoredPlan
from conductor.domain.settings import UiSettings
from conductor.errors import ConductorError


def rebase_plans(
    plans: Iterable[StoredPlan], last: Snapshot, now: Snapshot, store: ConfigStore
) -> list[StoredPlan]:
    """Return the open plans that were proposed for the last config, moved to the running one.

    A change of the window's settings moves all of them. Other changes without an effect, of names of controls
    and comments, move only the pending plans without a time limit.
    """
    waiting = [
        stored
        for stored in plans
        if stored.plan.status in ("pending", "approved")
        and stored.plan.base_state_hash == last.hash
    ]
    if not waiting or _remove_looks(last.config) != _remove_looks(now.config):
        return []
    if not differ_only_in_window_settings(last.text, now.text):
        waiting = [
            stored
            for stored in waiting
            if stored.plan.status == "pending"
            and stored.plan.expires_at is None
            and stored.step is None
        ]
    moved = (_rebase_plan(stored, now, store) for stored in waiting)
    return [stored for stored in moved if stored is not None]


def _remove_looks(config: Config) -> Config:
    config = replace_window_settings(config, UiSettings())
    settings = config.settings.model_copy(update={"names": {}})
    return config.model_copy(update={"settings": settings})


def _rebase_plan(stored: StoredPlan, snapshot: Snapshot, store: ConfigStore) -> StoredPlan | None:
    """Return a plan with the text and the diff that its changes make of the running config.

    What it says and proves stays: it was written for a config with the same effects. Return None if the
    plan would take back what has changed since, or would change nothing.
    """
    changes = stored.change_list
    if stored.step is not None:
        text = keep_window_settings(stored.new_text, snapshot.text)
        return _move_plan(stored, snapshot, text, compare_texts(snapshot.text, text))
    if not changes or any(isinstance(change, ReplaceConfig) for change in changes):
        return None
    try:
        drafted = build_draft(changes, snapshot, store)
    except ConductorError:
        return None
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
