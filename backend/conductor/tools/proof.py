"""Implements `config.plans.Proof`: replays and examples played by the engine, examples kept in storage."""

import logging
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Protocol

from conductor.domain.config import Config
from conductor.domain.plan import Example, ExampleResult, Overlap, Replay
from conductor.domain.recording import Recording
from conductor.engine.conflicts import ConflictFinder
from conductor.engine.example_pin import pin_on
from conductor.engine.example_play import Stage
from conductor.engine.examples import run_examples
from conductor.engine.replay import Comparison, compare_recording, describe_comparison
from conductor.engine.timeline import Timeline, timeline
from conductor.errors import NotAvailable
from conductor.tools.kept_examples import find_breaks

log = logging.getLogger(__name__)


class KeptExamples(Protocol):
    """Where examples are kept; `storage/examples.py` is the real one."""

    def add(self, plan_id: str, examples: tuple[Example, ...]) -> None: ...
    def all(self) -> tuple[Example, ...]: ...


class EngineProof:
    """Proves changes on what was recorded; `recording` returns that, up to now.

    `ports` says on which port each alias is plugged in.
    """

    def __init__(
        self,
        recording: Callable[[], Recording],
        examples: Callable[[], KeptExamples],
        ports: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        self._recording = recording
        self._examples = examples
        self._lock = Lock()
        self._compared: tuple[Config, Config, Recording, Comparison] | None = None
        """The last comparison: a replay and its timeline are asked for one after the other."""
        self._forgotten = 0
        """How often the recording was cleared: a comparison that was under way then is not kept."""
        self._conflicts = ConflictFinder()
        self._ports = ports

    def conflicts(self, config: Config) -> tuple[Overlap, ...]:
        return self._conflicts.find(config)

    def new_conflicts(self, old: Config, new: Config) -> tuple[Overlap, ...]:
        return self._conflicts.find_new(old, new)

    def replay(self, old: Config, new: Config) -> Replay | None:
        compared = self._compare(old, new)
        return None if compared is None else describe_comparison(old, new, compared)

    def timeline(self, old: Config, new: Config) -> Timeline | None:
        """Return the lanes of the comparison that the last replay of these configs made, or of a new one."""
        with self._lock:
            known = self._compared
        is_known = known is not None and known[:2] == (old, new)
        compared = known[3] if known is not None and is_known else self._compare(old, new)
        return None if compared is None else timeline(compared)

    def forget(self) -> None:
        """Drop what was compared, since the recording was cleared."""
        with self._lock:
            self._compared = None
            self._forgotten += 1

    def _compare(self, old: Config, new: Config) -> Comparison | None:
        with self._lock:
            forgotten = self._forgotten
        try:
            recording = self._recording()
        except NotAvailable:
            return None
        with self._lock:
            known = self._compared
            if known is not None and known[:3] == (old, new, recording):
                return known[3]
        comparison = compare_recording(old, new, recording, known[3] if known else None)
        with self._lock:
            if forgotten == self._forgotten:
                self._compared = (old, new, recording, comparison)
        return comparison

    def examples(self, config: Config, examples: tuple[Example, ...]) -> tuple[ExampleResult, ...]:
        return tuple(run_examples(config, examples)) if examples else ()

    def kept_examples(self) -> tuple[Example, ...]:
        try:
            return self._examples().all()
        except NotAvailable as error:
            log.warning("kept examples cannot be read: %s", error)
            return ()

    def broken_examples(self, old: Config, new: Config) -> tuple[ExampleResult, ...]:
        return find_breaks(old, new, self.kept_examples()).broken

    def keep_examples(self, plan_id: str, examples: tuple[Example, ...], config: Config) -> None:
        stage, ports = Stage(config), self._ports()
        pinned = tuple(pin_on(stage, one, ports) for one in examples)
        try:
            self._examples().add(plan_id, pinned)
        except NotAvailable as error:
            log.warning("examples cannot be kept: %s", error)
