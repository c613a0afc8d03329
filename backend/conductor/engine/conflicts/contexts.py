"""Finds contexts (mode, app, variables, held controls) in which several mappings are
active at the same time.
"""

from collections.abc import Sequence

from conductor.domain.conditions import walk_conditions as condition_parts
from conductor.domain.config import Config
from conductor.domain.conflicts.rows import MappingRow, can_be_active_together
from conductor.domain.scopes import parse_scope
from conductor.engine.gestures.contexts import (
    NO_APP,
    ContextSituation,
    GestureContext,
    build_contexts,
)

MAX_CACHED_RESULTS = 4_096


class ContextCache:
    """Finds contexts in which mappings are active, and caches the possible contexts
    of each set of conditions.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._contexts: dict[frozenset[object], tuple[GestureContext, ...]] = {}
        self._enabled = [profile for profile in config.profiles if profile.enabled]

    def find_common_context(self, first: MappingRow, second: MappingRow) -> GestureContext | None:
        """Return a context in which both mappings are active, or None if they are never active together."""
        if not can_be_active_together(first.scope, second.scope):
            return None
        for context in self._list_contexts((first, second)):
            if self._is_active_in(first, context) and self._is_active_in(second, context):
                return context
        return None

    def is_always_covered(self, victim: MappingRow, takers: Sequence[MappingRow]) -> bool:
        """Return whether, in every context in which the mapping `victim` is active, one
        of `takers` is active too.
        """
        if any(taker.scope == victim.scope and not taker.when for taker in takers):
            return True
        return not any(
            self._is_active_in(victim, context)
            and not any(self._is_active_in(taker, context) for taker in takers)
            for context in self._list_contexts((victim, *takers))
        )

    def _list_contexts(self, rows: Sequence[MappingRow]) -> tuple[GestureContext, ...]:
        key = frozenset((row.scope, row.when) for row in rows)
        contexts = self._contexts.get(key)
        if contexts is None:
            conditions = [
                part
                for when in dict.fromkeys(row.when for row in rows)
                for condition in sorted(when, key=repr)
                for part in condition_parts(condition)
            ]
            scopes = dict.fromkeys(row.scope for row in rows)
            contexts, _ = build_contexts([self._config], scopes, list(dict.fromkeys(conditions)))
            if len(self._contexts) < MAX_CACHED_RESULTS:
                self._contexts[key] = contexts
        return contexts

    def _is_active_in(self, row: MappingRow, context: GestureContext) -> bool:
        kind, owner = parse_scope(row.scope)
        if kind == "mode" and context.mode != owner:
            return False
        if kind == "profile" and self._find_matching_profile(context) != owner:
            return False
        facts = ContextSituation(context)
        return all(condition.is_met(facts) for condition in row.when)

    def _find_matching_profile(self, context: GestureContext) -> str | None:
        if context.app == NO_APP:
            return None
        return next((p.name for p in self._enabled if p.match.matches_app(context.app)), None)
