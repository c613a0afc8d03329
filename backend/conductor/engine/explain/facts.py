"""What an explanation needs beside the traces: what is still open, queued or running, and what failed."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from conductor.domain.config import Config
from conductor.engine.explain.firing import Failure
from conductor.engine.state import EngineState


class Facts(NamedTuple):
    """What is known only when somebody asks."""

    now: float
    open: Collection[int] = ()
    """The presses that are not decided yet."""
    running: Collection[int] = ()
    """The gestures whose actions are still played out."""
    configs: Sequence[tuple[int, Config]] = ()
    """From which trace on each config was in force."""
    failures: Sequence[Failure] = ()
    waiting: Collection[int] = ()
    """The events that wait for the gesture before them."""

    def config_at(self, sequence: int) -> Config | None:
        """Return the config by which a trace was judged."""
        before = [config for since, config in self.configs if since <= sequence]
        return before[-1] if before else None


def facts_of(state: EngineState, now: float, failures: Sequence[Failure] = ()) -> Facts:
    """Read from a running engine what an explanation needs; from any thread."""
    undecided = [known.press for known in list(state.controls.values())]
    queues = list(state.waiting.values())
    return Facts(
        now,
        frozenset(number for press in undecided if press is not None for number in press.presses),
        frozenset(run.gesture for run in list(state.runs.values())),
        list(state.configs),
        failures,
        frozenset(sequence for queue in queues for _, sequence, _ in list(queue)),
    )
