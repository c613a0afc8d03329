"""What plans need of others: where they are kept, and what is proven of a change."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from conductor.domain.change_proof import ChangeProof
from conductor.domain.config import Config
from conductor.domain.coverage import Coverage
from conductor.domain.plan import Example, StoredPlan


class PlanStore(Protocol):
    """Where plans are kept; `storage/plans.py` is the real one."""

    def save(self, stored: StoredPlan) -> None: ...
    def load(self) -> list[StoredPlan]: ...


class ChangeProver(Protocol):
    """Proves a change before it is made; `tools/change_prover.py` is the real one."""

    def prove(self, old: Config, new: Config, examples: tuple[Example, ...] = ()) -> ChangeProof:
        """Return what is known of a change at once."""
        ...

    def pause_gestures(self) -> AbstractContextManager[object]:
        """Return what keeps the gestures of earlier plans waiting while it is entered."""
        ...

    def play_gestures(
        self, plan_id: str, old: Config, new: Config, publish: Callable[[str, Coverage], bool]
    ) -> None:
        """Play gestures in the background; `publish` takes what was found so far, and False ends it."""
        ...

    def keep_examples(self, plan_id: str, examples: tuple[Example, ...], config: Config) -> None:
        """Keep examples with all that they were played with under a config."""
        ...
