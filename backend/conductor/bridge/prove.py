"""Proves a change before it is made: text, rows, overlaps, replay, timeline and examples."""

from collections.abc import Sequence

from conductor.bridge.before_after import before_after
from conductor.bridge.desk import Desk
from conductor.bridge.shapes import Proof, Timeline
from conductor.bridge.timeline import timeline_view
from conductor.config.draft import draft
from conductor.config.plans import broken_examples
from conductor.domain.change_kinds import Change
from conductor.domain.config import Config
from conductor.domain.overlaps import new_overlaps
from conductor.errors import NotAvailable


def prove(changes: Sequence[Change], desk: Desk) -> Proof:
    """Work changes out on the running config, and say what would come of them.

    Raises:
        ConfigError: they cannot be made, or change nothing; the message says what to do.
    """
    drafted = draft(tuple(changes), desk.store.snapshot, desk.store)
    old, new = drafted.old, drafted.new
    return Proof(
        diff=drafted.diff,
        before_after=before_after(old, new),
        overlaps=tuple(new_overlaps(old, new)),
        warnings=drafted.warnings,
        replay=desk.proof.replay(old, new),
        timeline=lately(desk, old, new),
        broken_examples=broken_examples(desk.proof, old, new),
    )


def lately(desk: Desk, old: Config, new: Config) -> Timeline | None:
    """Give what was played lately as lanes; None when nothing was, or the engine does not say."""
    try:
        events = desk.recent_events()
    except NotAvailable:
        return None
    mode = desk.runtime.active_mode()
    return timeline_view(events, old, new, mode if old.mode(mode) and new.mode(mode) else None)
