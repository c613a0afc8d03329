"""Protocols of the services that plans depend on: a store for plans, and a prover of changes."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from conductor.domain.change_proof import ChangeProof
from conductor.domain.config import Config
from conductor.domain.coverage import Coverage
from conductor.domain.plan import Example, StoredPlan


class PlanStore(Protocol):
    """Stores plans persistently. Implemented in `storage/plans.py`."""

    def save(self, stored: StoredPlan) -> None: ...
    def load(self) -> list[StoredPlan]: ...


class ChangeProver(Protocol):
    """Computes what a change would do before it is applied. Implemented in `tools/change_prover.py`."""

    def prove(self, old: Config, new: Config, examples: tuple[Example, ...] = ()) -> ChangeProof:
        """Return the proof of a change, except the coverage, which is computed later by playing gestures."""
        ...

    def pause_gestures(self) -> AbstractContextManager[object]:
        """Return a context manager during which the gestures for earlier plans, played in the background,
        are paused.
        """
        ...

    def play_gestures(
        self, plan_id: str, old: Config, new: Config, publish: Callable[[str, Coverage], bool]
    ) -> None:
        """Play gestures on both configs in the background, to compare what they do.

        `publish` is called with each new coverage; return False from it to stop.
        """
        ...

    def store_examples(self, plan_id: str, examples: tuple[Example, ...], config: Config) -> None:
        """Store the examples of an applied plan, with the config under which they passed."""
        ...
