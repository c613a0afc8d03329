"""Computes with the engine what a change of the config would do.

Implements `config.plan_ports.ChangeProver`.
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from threading import Lock
from typing import Protocol

from conductor.domain.change_proof import ChangeProof
from conductor.domain.config import Config
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.plan import Example, ExampleResult, Overlap
from conductor.domain.recording import Recording
from conductor.domain.renames import find_renames
from conductor.engine.conflicts.analysis import ConflictFinder
from conductor.engine.coverage import collect_touches
from conductor.engine.examples.check import run_examples
from conductor.engine.examples.pin import pin_example_with_player
from conductor.engine.examples.play import ExamplePlayer
from conductor.engine.gestures.exhaustive import ProofBudget
from conductor.engine.replay import Comparison, compare_recording, describe_comparison
from conductor.engine.timeline import ReplayTimeline, build_timeline
from conductor.engine.touches import PlayedTouches
from conductor.errors import NotAvailable
from conductor.tools.gesture_proofs import GestureProofQueue, PublishCoverage
from conductor.tools.stored_examples import find_broken_examples

log = logging.getLogger(__name__)


class ExampleRepository(Protocol):
    """The saved examples, implemented by `storage.examples.Examples`."""

    def add_examples(self, plan_id: str, examples: tuple[Example, ...]) -> None: ...
    def list_examples(self) -> tuple[Example, ...]: ...


class ReplayChangeProver:
    """Computes the proofs of changes for plans, the window and the command line.

    `recording` returns the current recording, and `ports` returns the port of each alias. If `budget` is
    None, no gestures are played in the background. `read_names` returns the control names for the texts of
    a proof.
    """

    def __init__(
        self,
        recording: Callable[[], Recording],
        examples: Callable[[], ExampleRepository],
        ports: Callable[[], Mapping[str, str]] = dict,
        budget: ProofBudget | None = ProofBudget(),  # noqa: B008 - a named tuple is immutable
        read_names: Callable[[], ControlNames] = lambda: NO_CONTROL_NAMES,
    ) -> None:
        self._read_names = read_names
        self._recording = recording
        self._examples = examples
        self._lock = Lock()
        self._compared: tuple[Config, Config, Recording, Comparison] | None = None
        """The last comparison, kept because a replay and its timeline are requested one after the other."""
        self._clear_count = 0
        """How often the recording was cleared.

        A comparison that was started before the last time is not kept.
        """
        self._conflicts = ConflictFinder()
        self._ports = ports
        self._gestures = GestureProofQueue(budget or ProofBudget())
        self._plays_gestures = budget is not None

    def prove(self, old: Config, new: Config, examples: tuple[Example, ...] = ()) -> ChangeProof:
        """Return the proof of a change.

        A saved example with the name of one of `examples` is about to be replaced, so it is not reported as
        broken.
        """
        with self.pause_gestures():
            return self._build_proof(old, new, examples)

    def _build_proof(self, old: Config, new: Config, examples: tuple[Example, ...]) -> ChangeProof:
        names = self._read_names()
        compared = self._compare_on_stored_recording(old, new)
        touches = compared and collect_touches(*compared, find_renames(old, new))
        impact, coverage = self._gestures.start_proof(old, new, touches, names)
        replaced = {example.name for example in examples}
        player = ExamplePlayer(new, compared[0].new_table if compared is not None else None)
        broken = find_broken_examples(old, player, self.list_stored_examples()).broken
        return ChangeProof(
            impact=impact,
            coverage=coverage,
            overlaps=self._conflicts.find_new_conflicts(old, new, names),
            replay=None if compared is None else describe_comparison(old, new, compared[0], names),
            examples=tuple(run_examples(player, examples)),
            broken_examples=tuple(row for row in broken if row.example.name not in replaced),
        )

    def pause_gestures(self) -> AbstractContextManager[None]:
        """Return a context manager that pauses the gestures of earlier plans, so that a new proof gets the
        CPU time.
        """
        return self._gestures.pause_playing()

    def play_gestures(
        self, plan_id: str, old: Config, new: Config, publish: PublishCoverage
    ) -> None:
        """Play gestures on both configs in the background, and pass each intermediate result to `publish`."""
        if self._plays_gestures:
            self._gestures.queue_proof(
                plan_id,
                old,
                new,
                lambda: self._find_touched_controls(old, new),
                publish,
                self._read_names(),
            )

    def find_conflicts(self, config: Config) -> tuple[Overlap, ...]:
        """Return the conflicts between the mappings of a config."""
        return self._conflicts.find_conflicts(config, names=self._read_names())

    def count_conflicts(self, config: Config) -> int:
        """Return how many conflicts in a config are errors or warnings."""
        return sum(overlap.severity != "info" for overlap in self._conflicts.find_conflicts(config))

    def build_replay_timeline(self, old: Config, new: Config) -> ReplayTimeline | None:
        """Return the timeline of the recording under both configs, or None if the recording cannot be read."""
        with self._lock:
            known = self._compared
        if known is not None and known[:2] == (old, new):
            return build_timeline(known[3], self._read_names())
        compared = self._compare_on_stored_recording(old, new)
        return None if compared is None else build_timeline(compared[0], self._read_names())

    def forget_recorded_results(self) -> None:
        """Discard everything that was computed from the recording, because the recording was cleared."""
        with self._lock:
            self._compared = None
            self._clear_count += 1
        self._gestures.forget_played_controls()

    def close(self) -> None:
        """Stop playing gestures in the background, because Conductor is shutting down."""
        self._gestures.close()

    def run_stored_examples(self, config: Config) -> tuple[ExampleResult, ...]:
        """Play every saved example on a config and return the results."""
        return tuple(run_examples(ExamplePlayer(config), self.list_stored_examples()))

    def _find_touched_controls(self, old: Config, new: Config) -> PlayedTouches | None:
        compared = self._compare_on_stored_recording(old, new)
        return compared and collect_touches(*compared, find_renames(old, new))

    def _compare_on_stored_recording(
        self, old: Config, new: Config
    ) -> tuple[Comparison, Recording] | None:
        """Compare the effects of the recording under both configs.

        Return None if the recording cannot be read.
        """
        try:
            recording = self._recording()
        except NotAvailable:
            return None
        return self._compare_on_recording(old, new, recording), recording

    def _compare_on_recording(self, old: Config, new: Config, recording: Recording) -> Comparison:
        with self._lock:
            clear_count, known = self._clear_count, self._compared
        if known is not None and known[:3] == (old, new, recording):
            return known[3]
        comparison = compare_recording(old, new, recording, known[3] if known else None)
        with self._lock:
            if clear_count == self._clear_count:
                self._compared = (old, new, recording, comparison)
        return comparison

    def list_stored_examples(self) -> tuple[Example, ...]:
        """Return the saved examples, or an empty tuple if they cannot be read."""
        try:
            return self._examples().list_examples()
        except NotAvailable as error:
            log.warning("could not read the saved examples: %s", error)
            return ()

    def store_examples(self, plan_id: str, examples: tuple[Example, ...], config: Config) -> None:
        """Save the examples of a plan, with the devices and defaults of the config on which they were
        played.
        """
        player, ports = ExamplePlayer(config), self._ports()
        pinned = tuple(pin_example_with_player(player, example, ports) for example in examples)
        try:
            self._examples().add_examples(plan_id, pinned)
        except NotAvailable as error:
            log.warning("could not save the examples of a plan: %s", error)
