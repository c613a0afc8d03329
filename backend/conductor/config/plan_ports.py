"""What plans need of others: where they are kept, and what is proven of a change."""

from collections.abc import Callable
from typing import Protocol

from conductor.domain.config import Config
from conductor.domain.coverage import Coverage
from conductor.domain.impact import Impact
from conductor.domain.plan import Example, ExampleResult, Overlap, Replay, StoredPlan


class Shelf(Protocol):
    """Where plans are kept; `storage/plans.py` is the real one."""

    def save(self, stored: StoredPlan) -> None: ...
    def load(self) -> list[StoredPlan]: ...


class Proof(Protocol):
    """What is known of a change before it is made, and what comes of it."""

    def replay(self, old: Config, new: Config) -> Replay | None:
        """Play what was played lately under both; None when that is not known."""
        ...

    def new_conflicts(self, old: Config, new: Config) -> tuple[Overlap, ...]:
        """Return the conflicts of a new config, those that the old one has already marked as not new."""
        ...

    def examples(
        self, config: Config, examples: tuple[Example, ...]
    ) -> tuple[ExampleResult, ...]: ...
    def broken_examples(self, old: Config, new: Config) -> tuple[ExampleResult, ...]:
        """Return the kept examples that hold now and would not afterwards."""
        ...

    def keep_examples(self, plan_id: str, examples: tuple[Example, ...], config: Config) -> None:
        """Keep examples with all that they were played with under a config."""
        ...


class Impacts(Protocol):
    """What a change can affect, and what gestures show of that."""

    def begin(self, old: Config, new: Config) -> tuple[Impact, Coverage]:
        """Compute what a change can affect, and which of its mappings were played lately."""
        ...

    def play(
        self, plan_id: str, old: Config, new: Config, publish: Callable[[str, Coverage], bool]
    ) -> None:
        """Play gestures in the background; `publish` takes what was found so far, and False ends it."""
        ...
