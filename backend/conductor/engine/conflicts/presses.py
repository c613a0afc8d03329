"""Decides whether two triggers of one pad or button, or a chord and its parts, affect each other.

All short gestures are played with both triggers and with each trigger alone.

Two shortcuts save most of the time: `is_known_independent` recognises pairs that exhaustive play has
shown to be independent (verified by tests), and `generate_likely_gestures` yields the gestures that
show most effects of chords.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations

from conductor.base.json_types import JsonObject
from conductor.domain.conflicts.regions import list_velocities
from conductor.domain.events import ControlClass, InputEvent
from conductor.domain.triggers.base import TriggerBase
from conductor.domain.triggers.double_tap import DoubleTapTrigger
from conductor.domain.triggers.gamepad_button_chord import GamepadButtonChordTrigger
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.domain.triggers.note import NoteTrigger
from conductor.domain.triggers.note_chord import NoteChordTrigger
from conductor.engine.conflicts.play import (
    DEFAULT_CONTEXT,
    BehaviourDifference,
    PairComparison,
    PairVerdict,
)
from conductor.engine.gestures.contexts import GESTURE_START_S
from conductor.engine.gestures.space import GestureSpace, generate_touches, list_time_limits_ms
from conductor.engine.gestures.values import DEFAULT_VELOCITY

GESTURE_DEPTH, CHORD_GESTURE_DEPTH = 4, 5
MAX_GESTURES, MAX_GESTURES_WITH_OPTIONS = 20_000, 1_500
"""The maximum number of gestures for a pair, and for a pair with options, to which `is_known_independent`
does not apply. With options, 1,500 gestures found as many conflicts as 4,000."""
SHARED_NOTES, FIRST_OWN_NOTE, LATER_OWN_NOTE = (60, 61), 62, 63
"""Notes that stand for the controls of both triggers, of the first only, and of the later only."""

ControlKey = tuple[ControlClass, int | str]

_FIELDS_WITHOUT_OPTIONS = frozenset(
    (
        *("type", "device", "channel", "when", "note", "notes", "button", "buttons"),
        *("duration_ms", "timeout_ms", "velocity_min", "min_velocity", "max_velocity"),
    )
)
"""The trigger fields that `is_known_independent` understands; a trigger with any other field set is played."""


def strip_scope_fields(trigger: TriggerBase, **changed: object) -> TriggerBase:
    """Return a copy of a trigger for any device and channel, and without conditions."""
    return trigger.model_copy(update={"device": None, "channel": None, "when": (), **changed})


def find_press_difference(
    culprit: TriggerBase, victim: TriggerBase, *, culprit_first: bool
) -> BehaviourDifference | None:
    """Return the first short gesture on which a trigger of a pad or button behaves differently beside another.

    Returns None if no such gesture was found.
    """
    triggers = (culprit, victim)
    if is_known_independent(culprit, victim, culprit_first=culprit_first):
        return None
    stage = PairComparison.build(culprit, victim, culprit_first=culprit_first)
    for gesture in generate_likely_gestures(triggers):
        difference = stage.compare_gesture(gesture)
        if difference is not None:
            return difference
    space = GestureSpace(
        tuple(generate_touches(triggers)), list_time_limits_ms(triggers), (DEFAULT_CONTEXT,)
    )
    chord = "chord" in (culprit.gesture, victim.gesture)
    depth = CHORD_GESTURE_DEPTH if chord else GESTURE_DEPTH
    plain = _has_no_options(culprit) and _has_no_options(victim)
    return stage.find_difference(space, depth, MAX_GESTURES if plain else MAX_GESTURES_WITH_OPTIONS)


def is_known_independent(culprit: TriggerBase, victim: TriggerBase, *, culprit_first: bool) -> bool:
    """Return whether playing all gestures for this kind of pair has shown that no
    gesture makes a difference.
    """
    if not (_has_no_options(culprit) and _has_no_options(victim)):
        return False
    match culprit, victim:
        case (LongPressTrigger() | DoubleTapTrigger(), _) if victim.gesture == "release":
            return True
        case LongPressTrigger(), LongPressTrigger():
            shorter = culprit.duration_ms < victim.duration_ms
            return shorter or (culprit.duration_ms == victim.duration_ms and not culprit_first)
        case LongPressTrigger(), DoubleTapTrigger():
            return culprit.duration_ms >= victim.timeout_ms
        case LongPressTrigger(), NoteChordTrigger():
            return culprit.duration_ms > victim.timeout_ms
        case DoubleTapTrigger(), DoubleTapTrigger():
            return not culprit_first
        case NoteChordTrigger(), NoteChordTrigger():
            same = set(culprit.notes) == set(victim.notes)
            return same and not culprit_first and culprit.timeout_ms <= victim.timeout_ms
        case _:
            return False


def _has_no_options(trigger: TriggerBase) -> bool:
    return not _list_decision_options(trigger)


def _list_decision_options(trigger: TriggerBase) -> JsonObject:
    """Return the fields of a trigger, other than time limits, that influence how a press is decided."""
    fields = type(trigger).model_fields
    return {
        name: getattr(trigger, name)
        for name in sorted(trigger.model_fields_set - _FIELDS_WITHOUT_OPTIONS)
        if getattr(trigger, name) != fields[name].default
    }


def generate_likely_gestures(triggers: Sequence[TriggerBase]) -> Iterator[tuple[InputEvent, ...]]:
    """Yield the gestures that reveal most differences of chords: all notes in every order, also with one of
    the notes released or repeated.
    """
    chords = [trigger for trigger in triggers if isinstance(trigger, NoteChordTrigger)]
    if not chords:
        return
    notes = sorted({note for chord in chords for note in chord.notes})
    gap_s = min(list_time_limits_ms(triggers)) / 1000 / (len(notes) + 3)
    for order in permutations(notes):
        yield _build_gesture([(note, True) for note in order], gap_s)
    for order in permutations(notes):
        yield _build_gesture([*((note, True) for note in order), (order[0], False)], gap_s)
    for first, *rest in permutations(notes):
        others = [(note, True) for note in rest]
        twice = [(first, True), (first, False), (first, True)]
        yield _build_gesture([*twice, *others], gap_s)
        yield _build_gesture([twice[0], others[0], *twice[1:], *others[1:]], gap_s)


def _build_gesture(strikes: Sequence[tuple[int, bool]], gap_s: float) -> tuple[InputEvent, ...]:
    return tuple(
        InputEvent(
            "note_on" if down else "note_off",
            "virtual",
            1,
            note,
            DEFAULT_VELOCITY if down else 0,
            GESTURE_START_S + index * gap_s,
        )
        for index, (note, down) in enumerate(strikes)
    )


class NoteTranslation:
    """Replaces the controls of two triggers by standard notes, so that pairs that differ only in their
    numbers are played once.

    One note stands for all controls with the same role.
    """

    def __init__(self, first: TriggerBase, later: TriggerBase) -> None:
        a, b = _list_control_keys(first), _list_control_keys(later)
        shared = [place for place in a if place in b]
        both_chords = first.gesture == later.gesture == "chord"
        parts = _assign_notes(shared, SHARED_NOTES if both_chords else SHARED_NOTES[:1])
        parts[FIRST_OWN_NOTE] = [place for place in a if place not in b]
        parts[LATER_OWN_NOTE] = [place for place in b if place not in a]
        self._parts = {note: places for note, places in parts.items() if places}
        self.has_merged_notes = any(len(places) > 1 for places in self._parts.values())
        """Whether one note stands for several controls; the result is then checked with the real triggers."""
        self._common_velocity = _choose_common_velocity(first, later)
        self.first = self._to_standard_trigger(first, FIRST_OWN_NOTE)
        self.later = self._to_standard_trigger(later, LATER_OWN_NOTE)

    def _to_standard_trigger(self, trigger: TriggerBase, own: int) -> TriggerBase:
        notes = tuple(note for note in self._parts if note in (*SHARED_NOTES, own))
        match trigger:
            case NoteChordTrigger() | GamepadButtonChordTrigger():
                return NoteChordTrigger(
                    notes=notes, timeout_ms=trigger.timeout_ms, **_list_decision_options(trigger)
                )
            case LongPressTrigger() | DoubleTapTrigger():
                return strip_scope_fields(trigger, note=SHARED_NOTES[0], button=None)
            case _ if trigger.gesture == "tap":
                return NoteTrigger(note=SHARED_NOTES[0], **_list_decision_options(trigger))
            case _:
                return strip_scope_fields(trigger, note=SHARED_NOTES[0])

    def translate_gesture(self, gesture: Sequence[InputEvent]) -> tuple[InputEvent, ...]:
        """Return a gesture on the standard notes as a gesture on the real controls of the triggers."""
        return tuple(self._translate_events(gesture))

    def _translate_events(self, gesture: Sequence[InputEvent]) -> Iterator[InputEvent]:
        for event in gesture:
            other: list[ControlKey] = [("note", event.number)]
            for control_class, number in self._parts.get(int(event.number), other):
                press = event.kind == "note_on"
                if control_class == "button":
                    kind = "button_down" if press else "button_up"
                    yield event._replace(kind=kind, number=number, channel=0, value=int(press))
                else:
                    value = self._common_velocity if press else 0
                    yield event._replace(number=number, value=value)


def _list_control_keys(trigger: TriggerBase) -> tuple[ControlKey, ...]:
    return trigger.list_controls()


def _assign_notes(
    places: Sequence[ControlKey], notes: Sequence[int]
) -> dict[int, list[ControlKey]]:
    """Return the controls that each note stands for; the last note stands for all remaining controls."""
    parts: dict[int, list[ControlKey]] = {}
    for index, place in enumerate(places):
        parts.setdefault(notes[min(index, len(notes) - 1)], []).append(place)
    return parts


def _choose_common_velocity(first: TriggerBase, later: TriggerBase) -> int:
    """Return a velocity at which both triggers can fire."""
    accepted = [set(v) for v in (list_velocities(first), list_velocities(later)) if v is not None]
    common = set[int].intersection(*accepted) if accepted else {DEFAULT_VELOCITY}
    return min(
        common, key=lambda velocity: abs(velocity - DEFAULT_VELOCITY), default=DEFAULT_VELOCITY
    )


def judge_taps(first: TriggerBase, later: TriggerBase) -> PairVerdict | None:
    """Return how the first of two tap triggers affects the later one: it uses up the presses that both accept.

    The result is None if no press fits both.
    """
    a, b = list_velocities(first), list_velocities(later)
    if a is not None and b is not None and not set(a) & set(b):
        return None
    control_class, number = first.list_controls()[0]
    if control_class == "button":
        gesture = (InputEvent("button_down", "virtual", 0, number, 1, 0.0),)
    else:
        gesture = (
            InputEvent("note_on", "virtual", 1, number, _choose_common_velocity(first, later), 0.0),
        )
    is_dead = a is None or b is None or not set(b) - set(a)
    return PairVerdict(gesture, is_lost=True, is_dead=is_dead)
