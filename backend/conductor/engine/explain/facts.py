"""Collects what an explanation needs besides traces: pending presses, queued events, runs and failures."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from conductor.domain.config import Config
from conductor.domain.wire_rows import FailureRow
from conductor.engine.state import EngineState


class EngineFacts(NamedTuple):
    """What was true in the engine when the explanation was requested."""

    now: float
    open: Collection[int] = ()
    """The sequence numbers of presses that are not decided yet."""
    running: Collection[int] = ()
    """The sequence numbers of gestures whose actions have not finished."""
    configs: Sequence[tuple[int, Config]] = ()
    """The loaded configs, each with the sequence number of the first trace under it."""
    failures: Sequence[FailureRow] = ()
    waiting: Collection[int] = ()
    """The sequence numbers of events that are queued until another gesture is decided."""

    def get_config_at(self, sequence: int) -> Config | None:
        """Return the config under which a trace was recorded, or None if that config is no longer known."""
        before = [config for since, config in self.configs if since <= sequence]
        return before[-1] if before else None


def collect_facts(
    state: EngineState, now: float, failures: Sequence[FailureRow] = ()
) -> EngineFacts:
    """Return the facts about a running engine. May be called in any thread."""
    # The engine thread may change these collections at any time, so each is copied once and then read.
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
