"""Do two triggers of one pad or button, or a chord and its parts, act otherwise beside each other?

Every short gesture is played on both and on one alone, but for what is known: `never_differs` names the
pairs of which exhaustive play has shown that they do not (the tests play them again), and `hints` are
gestures that show most differences that chords make, where there is much to play.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from conductor.domain.conflicts.regions import velocities
from conductor.domain.events import ControlClass, InputEvent
from conductor.domain.triggers.base import TriggerBase
from conductor.domain.triggers.double_tap import DoubleTapTrigger
from conductor.domain.triggers.gamepad_button_chord import GamepadButtonChordTrigger
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.domain.triggers.note import NoteTrigger
from conductor.domain.triggers.note_chord import NoteChordTrigger
from conductor.engine.conflicts.play import NOWHERE, Difference, Stage, Verdict
from conductor.engine.gestures.contexts import SETTLED_S
from conductor.engine.gestures.space import GestureSpace, limits_of, touches_of
from conductor.engine.gestures.values import ORDINARY_VELOCITY

DEPTH, CHORD_DEPTH = 4, 5
GESTURES_AT_MOST, WITH_OPTIONS_AT_MOST = 20_000, 1_500
"""Options make pairs that nothing is known of: 1,500 gestures find as many conflicts as 4,000 did."""
SHARED, FIRST_OWN, LATER_OWN = (60, 61), 62, 63
"""The notes that stand for those of both triggers, and for those of one."""

Place = tuple[ControlClass, int | str]

_JUDGED_FIELDS = frozenset(
    (
        *("type", "device", "channel", "when", "note", "notes", "button", "buttons"),
        *("duration_ms", "timeout_ms", "velocity_min", "min_velocity", "max_velocity"),
    )
)
"""The fields that `never_differs` knows; a trigger with another one set is always played."""


def bare(trigger: TriggerBase, **changed: object) -> TriggerBase:
    """Return a trigger without its device, channel and conditions."""
    return trigger.model_copy(update={"device": None, "channel": None, "when": (), **changed})


def play_presses(
    culprit: TriggerBase, victim: TriggerBase, *, culprit_first: bool
) -> Difference | None:
    """Play every short gesture on two triggers of pads, notes or buttons."""
    triggers = (culprit, victim)
    if never_differs(culprit, victim, culprit_first=culprit_first):
        return None
    stage = Stage.of(culprit, victim, culprit_first=culprit_first)
    for gesture in hints(triggers):
        difference = stage.compare(gesture)
        if difference is not None:
            return difference
    space = GestureSpace(tuple(touches_of(triggers)), limits_of(triggers), (NOWHERE,))
    chord = "chord" in (culprit.gesture, victim.gesture)
    depth = CHORD_DEPTH if chord else DEPTH
    plain = _is_plain(culprit) and _is_plain(victim)
    return stage.find(space, depth, GESTURES_AT_MOST if plain else WITH_OPTIONS_AT_MOST)


def never_differs(culprit: TriggerBase, victim: TriggerBase, *, culprit_first: bool) -> bool:
    """Return whether no gesture can show a difference, for pairs that were played exhaustively."""
    if not (_is_plain(culprit) and _is_plain(victim)):
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


def _is_plain(trigger: TriggerBase) -> bool:
    return not _options(trigger)


def _options(trigger: TriggerBase) -> dict[str, Any]:
    """Return the fields that say how a press is decided, beside its limit."""
    fields = type(trigger).model_fields
    return {
        name: getattr(trigger, name)
        for name in sorted(trigger.model_fields_set - _JUDGED_FIELDS)
        if getattr(trigger, name) != fields[name].default
    }


def hints(triggers: Sequence[TriggerBase]) -> Iterator[tuple[InputEvent, ...]]:
    """Yield gestures that show most differences: all notes in each order, one let go or struck again."""
    chords = [trigger for trigger in triggers if isinstance(trigger, NoteChordTrigger)]
    if not chords:
        return
    notes = sorted({note for chord in chords for note in chord.notes})
    gap_s = min(limits_of(triggers)) / 1000 / (len(notes) + 3)
    for order in permutations(notes):
        yield _struck([(note, True) for note in order], gap_s)
    for order in permutations(notes):
        yield _struck([*((note, True) for note in order), (order[0], False)], gap_s)
    for first, *rest in permutations(notes):
        others = [(note, True) for note in rest]
        twice = [(first, True), (first, False), (first, True)]
        yield _struck([*twice, *others], gap_s)
        yield _struck([twice[0], others[0], *twice[1:], *others[1:]], gap_s)


def _struck(strikes: Sequence[tuple[int, bool]], gap_s: float) -> tuple[InputEvent, ...]:
    return tuple(
        InputEvent(
            "note_on" if down else "note_off",
            "virtual",
            1,
            note,
            ORDINARY_VELOCITY if down else 0,
            SETTLED_S + index * gap_s,
        )
        for index, (note, down) in enumerate(strikes)
    )


class Notes:
    """Two triggers with notes of their own numbering: one note stands for all that play the same part."""

    def __init__(self, first: TriggerBase, later: TriggerBase) -> None:
        a, b = _places(first), _places(later)
        shared = [place for place in a if place in b]
        both_chords = first.gesture == later.gesture == "chord"
        parts = _split(shared, SHARED if both_chords else SHARED[:1])
        parts[FIRST_OWN] = [place for place in a if place not in b]
        parts[LATER_OWN] = [place for place in b if place not in a]
        self._parts = {note: places for note, places in parts.items() if places}
        self.stand_for_several = any(len(places) > 1 for places in self._parts.values())
        """Whether a note stands for more than one: then what was found is played again."""
        self._velocity = _velocity(first, later)
        self.first = self._renamed(first, FIRST_OWN)
        self.later = self._renamed(later, LATER_OWN)

    def _renamed(self, trigger: TriggerBase, own: int) -> TriggerBase:
        notes = tuple(note for note in self._parts if note in (*SHARED, own))
        match trigger:
            case NoteChordTrigger() | GamepadButtonChordTrigger():
                return NoteChordTrigger(
                    notes=notes, timeout_ms=trigger.timeout_ms, **_options(trigger)
                )
            case LongPressTrigger() | DoubleTapTrigger():
                return bare(trigger, note=SHARED[0], button=None)
            case _ if trigger.gesture == "tap":
                return NoteTrigger(note=SHARED[0], **_options(trigger))
            case _:
                return bare(trigger, note=SHARED[0])

    def translated(self, gesture: Sequence[InputEvent]) -> tuple[InputEvent, ...]:
        """Return a gesture on these notes as one on those of the triggers."""
        return tuple(self._translate(gesture))

    def _translate(self, gesture: Sequence[InputEvent]) -> Iterator[InputEvent]:
        for event in gesture:
            other: list[Place] = [("note", event.number)]
            for control_class, number in self._parts.get(int(event.number), other):
                press = event.kind == "note_on"
                if control_class == "button":
                    kind = "button_down" if press else "button_up"
                    yield event._replace(kind=kind, number=number, channel=0, value=int(press))
                else:
                    value = self._velocity if press else 0
                    yield event._replace(number=number, value=value)


def _places(trigger: TriggerBase) -> tuple[Place, ...]:
    return trigger.controls()


def _split(places: Sequence[Place], notes: Sequence[int]) -> dict[int, list[Place]]:
    """Return the places dealt out to the notes that stand for them; the last one takes the rest."""
    parts: dict[int, list[Place]] = {}
    for index, place in enumerate(places):
        parts.setdefault(notes[min(index, len(notes) - 1)], []).append(place)
    return parts


def _velocity(first: TriggerBase, later: TriggerBase) -> int:
    """Return a velocity that both accept."""
    wanted = [set(v) for v in (velocities(first), velocities(later)) if v is not None]
    common = set[int].intersection(*wanted) if wanted else {ORDINARY_VELOCITY}
    return min(common, key=lambda one: abs(one - ORDINARY_VELOCITY), default=ORDINARY_VELOCITY)


def judge_taps(first: TriggerBase, later: TriggerBase) -> Verdict | None:
    """Judge two taps of one control: the first takes the strikes that both accept."""
    a, b = velocities(first), velocities(later)
    if a is not None and b is not None and not set(a) & set(b):
        return None
    control_class, number = first.controls()[0]
    if control_class == "button":
        gesture = (InputEvent("button_down", "virtual", 0, number, 1, 0.0),)
    else:
        gesture = (InputEvent("note_on", "virtual", 1, number, _velocity(first, later), 0.0),)
    dead = a is None or b is None or not set(b) - set(a)
    return Verdict(gesture, lost=True, dead=dead)
