"""The facts besides traces that an explanation needs: pending presses, queued events, runs and failures."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from conductor.domain.config import Config
from conductor.domain.wire_rows import FailureRow
from conductor.engine.state import EngineState


class EngineFacts(NamedTuple):
    """The state of the engine at the time of the explanation."""

    now: float
    open: Collection[int] = ()
    """The sequence numbers of pending presses."""
    running: Collection[int] = ()
    """The sequence numbers of gestures whose actions are still running."""
    configs: Sequence[tuple[int, Config]] = ()
    """The configs, each with the sequence number at which it was loaded."""
    failures: Sequence[FailureRow] = ()
    waiting: Collection[int] = ()
    """The sequence numbers of events that are queued behind a gesture."""

    def get_config_at(self, sequence: int) -> Config | None:
        """Return the config that was active at a trace, or None if it is no longer known."""
        before = [config for since, config in self.configs if since <= sequence]
        return before[-1] if before else None


def collect_facts(
    state: EngineState, now: float, failures: Sequence[FailureRow] = ()
) -> EngineFacts:
    """Collect the facts from a running engine. May be called from any thread."""
    # The engine thread may change the collections at any time, so each collection is copied once.
    presses = [control_state.press for control_state in list(state.controls.values())]
    queues = list(state.waiting.values())
    return EngineFacts(
        now,
        frozenset(number for press in presses if press is not None for number in press.presses),
        frozenset(run.gesture for run in list(state.runs.values())),
        list(state.configs),
        failures,
        frozenset(sequence for queue in queues for _, sequence, _ in list(queue)),
    )
