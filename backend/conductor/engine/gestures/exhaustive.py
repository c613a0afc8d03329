"""Proves a change by simulating all short gestures on the controls that it can affect.

The result is complete up to its depth: each gesture is played on both configs, on both sides of every time
limit and threshold, in every mode and under every relevant condition. The work is done in slices, so that other
work can run in between:

    for progress in ExhaustiveProof(old, new, Budget()).run(step_ms=20):
        publish(progress)
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conductor.base.clock import now
from conductor.domain.config import Config
from conductor.domain.control_labels import LabelledControl, label_controls
from conductor.domain.control_names import NO_CONTROL_NAMES, VIRTUAL_DEVICE, ControlNames
from conductor.domain.coverage import Counterexample, Coverage, MappingCoverage
from conductor.domain.events import CONTROL_CLASS, Control, InputEvent
from conductor.domain.impact import Impact, ImpactedControl
from conductor.domain.mapping_names import format_mapping_name
from conductor.domain.trace import MappingRef
from conductor.engine.coverage import (
    describe_row,
    summarize_coverage,
    was_row_played,
)
from conductor.engine.gestures.exhaustive_play import GestureOutcome, GesturePlayer
from conductor.engine.gestures.exhaustive_subjects import ProofSubject, build_proof_subjects
from conductor.engine.gestures.format import format_gesture_script
from conductor.engine.gestures.space import GestureContext, generate_gestures
from conductor.engine.impact.analysis import analyze_change
from conductor.engine.impact.summary import describe_impacted_control
from conductor.engine.touches import PlayedTouches

MAX_GESTURES_PER_TURN = 100
"""The number of gestures that are played for a subject before the next subject gets its turn, so that the
short gestures of all subjects are played first."""
_DEFAULT_DEVICES = ("virtual", "osc")
"""The devices of events for mappings that accept any device."""
MAX_LISTED_MAPPINGS = 200
MAX_COUNTEREXAMPLES = 50


class ProofBudget(NamedTuple):
    """The limits of a proof: working time, number of gestures, and events in a gesture."""

    gestures: int = 50_000
    seconds: float = 20.0
    """Seconds of work; the time between two slices of work does not count."""


class ExhaustiveProof:
    """Plays generated gestures on an old and a new config; `coverage` is the result so far."""

    def __init__(
        self,
        old: Config,
        new: Config,
        budget: ProofBudget = ProofBudget(),  # noqa: B008 - a named tuple never changes
        touches: PlayedTouches | None = None,
        names: ControlNames = NO_CONTROL_NAMES,
    ) -> None:
        """Prepare a proof, which `run` performs.

        `touches` are the uses of controls in the recording, or None without a recording. `names` are the
        control names for its texts.
        """
        self._analysis = analyze_change(old, new, names)
        self._names = names
        self._touches = touches
        self._budget = budget
        self._configs = (self._analysis.old, new)
        self._virtual_controls = frozenset(
            place
            for _, row in (*self._analysis.changed, *self._analysis.reached)
            if row.device == VIRTUAL_DEVICE
            for place in row.places
        )
        """The controls that a mapping assigns to the virtual controller by name."""
        self._subjects: list[ProofSubject] = []
        self._missing: dict[str, None] = {}
        self._fired: dict[tuple[int, str, int], int] = {}
        self._found: dict[Control | str, Counterexample] = {}
        self._played = 0
        self._differing_controls = 0
        self._finished = False
        self._cut_short = False
        self._worked_s = 0.0

    @property
    def impact(self) -> Impact:
        """An upper bound of what the change can affect, computed without playing gestures."""
        return self._analysis.impact

    def run(self, step_ms: float = 20.0) -> Iterator[Coverage]:
        """Play gestures, and yield the coverage after each slice of about `step_ms` milliseconds of work.

        The last coverage has `finished` set. To cancel, stop iterating.
        """
        started = now()
        for _ in self._play_all_subjects():
            if (now() - started) * 1000 >= step_ms:
                self._worked_s += now() - started
                yield self.coverage
                started = now()
            if (
                self._played >= self._budget.gestures
                or self._measure_seconds(started) > self._budget.seconds
            ):
                self._cut_short = True
                break
        self._finished = True
        yield self.coverage

    def forget_recorded_touches(self) -> None:
        """Forget which controls were used in the recording, because the recording was cleared."""
        self._touches = None

    @property
    def coverage(self) -> Coverage:
        """The results of all gestures played so far."""
        total = sum(subject.total for subject in self._subjects)
        found = Coverage(
            changed=tuple(self._find_changed_rows()),
            gestures_played=self._played,
            differing=self._differing_controls,
            counterexamples=tuple(self._found.values()),
            depth=min((subject.depth for subject in self._subjects), default=0),
            finished=self._finished,
            cut_short=self._cut_short,
            missing=tuple(self._missing),
            progress=1.0 if self._finished else min(0.99, self._played / max(1, total)),
        )
        return found.model_copy(update={"summary": summarize_coverage(found)})

    def _measure_seconds(self, started: float) -> float:
        return self._worked_s + now() - started

    def _play_all_subjects(self) -> Iterator[None]:
        """Play all gestures, and yield after each, so that the work can be interrupted."""
        self._subjects, missing = build_proof_subjects(self._analysis)
        self._missing.update(dict.fromkeys(missing))
        old, new = (GesturePlayer(config) for config in self._configs)
        yield
        running: list[Iterator[None]] = []
        for subject in self._subjects:
            self._missing.update(dict.fromkeys(subject.build_gesture_space(self._configs).missing))
            running.append(self._play_subject(subject, old, new))
            yield
        while running:
            for player in list(running):
                for _ in range(MAX_GESTURES_PER_TURN):
                    try:
                        yield next(player)
                    except StopIteration:
                        running.remove(player)
                        break

    def _play_subject(
        self, subject: ProofSubject, old: GesturePlayer, new: GesturePlayer
    ) -> Iterator[None]:
        space = subject.space
        if space is None:
            return
        contexts = [context for context in space.contexts if self._is_mode_in_both(context.mode)]
        for gesture in generate_gestures(space, subject.depth):
            sides = [_set_device_ids(gesture, subject, side) for side in (0, 1)]
            for context in contexts:
                outcomes = old.play_gesture(sides[0], context), new.play_gesture(sides[1], context)
                self._played += 1
                self._count_outcomes(outcomes)
                if not outcomes[0].is_equivalent(outcomes[1]):
                    self._differing_controls += 1
                    self._record_counterexample(sides, context, outcomes, (old, new))
                yield None

    def _is_mode_in_both(self, mode: str) -> bool:
        """Return whether both configs have a mode; gestures in a mode of only one of
        them cannot be compared.
        """
        if all(config.find_mode(mode) is not None for config in self._configs):
            return True
        self._missing[f"mode {mode}, which only one of the configs has"] = None
        return False

    def _count_outcomes(self, outcomes: tuple[GestureOutcome, GestureOutcome]) -> None:
        for side, outcome in enumerate(outcomes):
            for ref in set(_list_fired_places(outcome.fired)):
                key = (side, *ref)
                self._fired[key] = self._fired.get(key, 0) + 1

    def _record_counterexample(
        self,
        sides: Sequence[tuple[InputEvent, ...]],
        context: GestureContext,
        outcomes: tuple[GestureOutcome, GestureOutcome],
        players: tuple[GesturePlayer, GesturePlayer],
    ) -> None:
        """Record a differing gesture for each control that has none yet; the first
        one found is the shortest.
        """
        controls = [
            control
            for control in _list_differing_controls(outcomes, sides[1], self._names)
            if control not in self._found
        ]
        if not controls or len(self._found) >= MAX_COUNTEREXAMPLES:
            return
        words = [
            player.describe_effects(control)
            for player, control in zip(players, outcomes, strict=True)
        ]
        for side, other in ((0, 1), (1, 0)):
            if outcomes[side].mode != outcomes[other].mode:
                words[side] = (*words[side], f"ends in mode {outcomes[side].mode}")
        for control in controls:
            self._found[control] = Counterexample(
                control=self._format_control(control),
                gesture=format_gesture_script(
                    sides[1],
                    context,
                    self._configs[1].get_start_mode(),
                    held_ms=_find_hold_time_ms(sides[1], outcomes),
                ),
                circumstances=_describe_context(context),
                control_names=label_controls(
                    (self._get_labelled_control(event) for event in sides[1]), self._names
                ),
                before=words[0],
                after=words[1],
            )

    def _get_labelled_control(self, event: InputEvent) -> LabelledControl:
        control_class = CONTROL_CLASS.get(event.kind, event.kind)
        device = self._find_named_device(event.device, control_class, event.number)
        channel = event.channel if event.channel > 1 else None
        return LabelledControl(device, control_class, event.number, channel)

    def _format_control(self, control: Control | str) -> str:
        if isinstance(control, str):
            return control
        device, channel, control_class, number = control
        channel = channel if channel > 1 else None
        named_device = self._find_named_device(device, control_class, number)
        return describe_impacted_control(
            ImpactedControl(
                channel=channel,
                device=None if device in _DEFAULT_DEVICES else device,
                control_class=control_class,
                number=number,
                name=self._names.find_control_name(named_device, control_class, number, channel),
                why="",
            )
        )

    def _find_named_device(self, device: str, control_class: str, number: int | str) -> str | None:
        """Return the device that a mapping names for a control, or None if the default device can be used."""
        is_any = (
            device in _DEFAULT_DEVICES and (control_class, number) not in self._virtual_controls
        )
        return None if is_any else device

    def _find_changed_rows(self) -> Iterator[MappingCoverage]:
        touches = self._touches  # read only once, because another thread may reset this attribute
        for side, row in self._analysis.changed[:MAX_LISTED_MAPPINGS]:
            yield MappingCoverage(
                scope=row.scope,
                index=row.index,
                side=("old", "new")[side],
                words=describe_row(row, self._names),
                played=None if touches is None else was_row_played(side, row, touches),
                gestures=self._fired.get((side, row.scope, row.index), 0),
            )


def _list_fired_places(fired: Sequence[MappingRef]) -> Iterator[tuple[str, int]]:
    for ref in fired:
        yield ref.scope, ref.index


def _set_device_ids(
    gesture: tuple[InputEvent, ...], subject: ProofSubject, side: int
) -> tuple[InputEvent, ...]:
    """Return a gesture with the device ids that its controls have under the old or the new config."""
    if not subject.devices:
        return gesture
    return tuple(
        event._replace(device=subject.devices[event.device][side])
        if event.device in subject.devices
        else event
        for event in gesture
    )


def _list_differing_controls(
    outcomes: tuple[GestureOutcome, GestureOutcome],
    gesture: tuple[InputEvent, ...],
    names: ControlNames,
) -> list[Control | str]:
    """Return the controls whose effects only one of two outcomes has; an effect without a control
    is named by its mapping.
    """
    found: dict[Control | str, None] = {}
    for outcome, other in (outcomes, outcomes[::-1]):
        left = list(other.done)
        for done, effect, control in outcome.effects:
            if done in left:
                left.remove(done)
            else:
                ref = effect.ref
                name = format_mapping_name(ref.scope, ref.index, ref.mapping, names)
                found[control or name] = None
    if not found:
        last = gesture[-1]
        found[Control(last.device, last.channel, CONTROL_CLASS[last.kind], last.number)] = None
    return list(found)


def _describe_context(context: GestureContext) -> str:
    parts = [f"{name} is {value}" for name, value in context.variables]
    day, minute = context.clock
    if context.clock != GestureContext("").clock:
        parts.append(f"it is {minute // 60:02}:{minute % 60:02} on day {day} of the week")
    return ", ".join(parts)


def _find_hold_time_ms(
    gesture: Sequence[InputEvent], outcomes: tuple[GestureOutcome, GestureOutcome]
) -> float:
    """Return how long the last control must be held until both configs have shown what they do.

    Without this time, a gesture that ends with a press reads like a tap, which does not do the same.
    """
    if gesture[-1].kind not in ("note_on", "button_down"):
        return 0
    end_ms = round((gesture[-1].time - gesture[0].time) * 1000, 3)
    first_late = (
        next((done.time_ms for done in outcome.done if done.time_ms > end_ms), end_ms)
        for outcome in outcomes
    )
    return round(max(first_late) - end_ms, 3)
