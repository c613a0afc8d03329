"""Implements `config.plans.Proof`: replays and examples played by the engine, examples kept in storage."""

import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.plan import Example, ExampleResult, Replay
from conductor.engine.examples import run_examples
from conductor.engine.local_time import wall_clock
from conductor.engine.replay import replay
from conductor.errors import NotAvailable

log = logging.getLogger(__name__)

EVENTS_REPLAYED = 2_000


class KeptExamples(Protocol):
    """Where examples are kept; `storage/examples.py` is the real one."""

    def add(self, plan_id: str, examples: tuple[Example, ...]) -> None: ...
    def all(self) -> tuple[Example, ...]: ...


class EngineProof:
    """`recent_events` gives what was played lately, and `mode` the mode that is active now."""

    def __init__(
        self,
        recent_events: Callable[[int], Sequence[InputEvent]],
        mode: Callable[[], str],
        examples: Callable[[], KeptExamples],
    ) -> None:
        self._recent_events = recent_events
        self._mode = mode
        self._examples = examples

    def replay(self, old: Config, new: Config) -> Replay | None:
        try:
            events = self._recent_events(EVENTS_REPLAYED)
        except NotAvailable:
            return None
        mode = self._mode()
        start = mode if old.mode(mode) and new.mode(mode) else None
        return replay(old, new, events, start, wall_clock)

    def examples(self, config: Config, examples: tuple[Example, ...]) -> tuple[ExampleResult, ...]:
        return tuple(run_examples(config, examples)) if examples else ()

    def kept_examples(self) -> tuple[Example, ...]:
        try:
            return self._examples().all()
        except NotAvailable as error:
            log.warning("kept examples cannot be read: %s", error)
            return ()

    def keep_examples(self, plan_id: str, examples: tuple[Example, ...]) -> None:
        try:
            self._examples().add(plan_id, examples)
        except NotAvailable as error:
            log.warning("examples cannot be kept: %s", error)
