"""In which circumstances mappings are in force together, and in which one of them is without the others."""

from collections.abc import Sequence

from conductor.domain.conditions import parts_of as condition_parts
from conductor.domain.config import Config
from conductor.domain.conflicts.rows import Row, in_force_together
from conductor.engine.gestures.contexts import NO_APP, Context, Facts, build_contexts

SETS_KEPT = 4_096


class Circumstances:
    """The circumstances that a config's modes, profiles and conditions make."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._contexts: dict[frozenset[object], tuple[Context, ...]] = {}
        self._enabled = [profile for profile in config.profiles if profile.enabled]

    def together(self, one: Row, other: Row) -> Context | None:
        """Return circumstances in which both are in force, or None when there are none."""
        if not in_force_together(one.scope, other.scope):
            return None
        for context in self._of((one, other)):
            if self._in_force(one, context) and self._in_force(other, context):
                return context
        return None

    def always_beside(self, victim: Row, takers: Sequence[Row]) -> bool:
        """Return whether in all circumstances in which a mapping is in force, one of the others is."""
        if any(taker.scope == victim.scope and not taker.when for taker in takers):
            return True
        return not any(
            self._in_force(victim, context)
            and not any(self._in_force(taker, context) for taker in takers)
            for context in self._of((victim, *takers))
        )

    def _of(self, rows: Sequence[Row]) -> tuple[Context, ...]:
        key = frozenset((row.scope, row.when) for row in rows)
        known = self._contexts.get(key)
        if known is None:
            conditions = [
                part
                for when in dict.fromkeys(row.when for row in rows)
                for condition in sorted(when, key=repr)
                for part in condition_parts(condition)
            ]
            scopes = dict.fromkeys(row.scope for row in rows)
            known, _ = build_contexts([self._config], scopes, list(dict.fromkeys(conditions)))
            if len(self._contexts) < SETS_KEPT:
                self._contexts[key] = known
        return known

    def _in_force(self, row: Row, context: Context) -> bool:
        kind, _, owner = row.scope.partition(":")
        if kind == "mode" and context.mode != owner:
            return False
        if kind == "profile" and self._profile(context) != owner:
            return False
        facts = Facts(context)
        return all(condition.holds(facts) for condition in row.when)

    def _profile(self, context: Context) -> str | None:
        if context.app == NO_APP:
            return None
        return next((p.name for p in self._enabled if p.match.fits(context.app)), None)
