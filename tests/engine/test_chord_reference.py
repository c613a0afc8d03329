"""Double taps and chords with every option: the engine against an independent implementation of the guide.

A model looks at each moment at which something can change; it knows nothing of deadlines, pools or queues.
`make prove` plays every gesture of each scope: 131,220 double taps, 174,960 chords, 262,440 chords beside a longer one.
"""

import random
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from math import prod
from typing import Any, NamedTuple

from tests.support.prove import proves, scaled
from tests.support.simulate import config

from conductor.domain.events import InputEvent
from conductor.domain.trace import Trace
from conductor.engine.state import EngineState
from conductor.engine.step import feed_event, run_due_deadlines
from conductor.engine.table import MappingTable, compile_table

Done = tuple[int, str]
"""When something fired, in ms, and what."""
IDLE = 50


class Touch(NamedTuple):
    at: int
    note: int
    is_down: bool
    velocity: int


def orders(presses: dict[int, int]) -> list[tuple[int, ...]]:
    """Return every order in which notes can be touched, each twice a press."""
    notes = [note for note, times in presses.items() for _ in range(2 * times)]
    return sorted(set(permutations(notes)))


def played(
    order: Sequence[int], gaps: Sequence[int], velocities: Sequence[int] = ()
) -> list[Touch]:
    """Return the touches of an order; the presses of note 1 have these velocities in turn."""
    at, down, touches, struck = 1000, set[int](), list[Touch](), list(velocities)
    for note, gap in zip(order, (0, *gaps), strict=True):
        at += gap
        down ^= {note}
        velocity = struck.pop(0) if struck and note == 1 and note in down else 100
        touches.append(Touch(at, note, note in down, velocity))
    return touches


def some(scope: Sequence[Sequence[Any]], cases: int) -> Iterator[tuple[Any, ...]]:
    """Yield every combination of a scope if there are no more than that, else so many by chance."""
    if cases >= prod(len(each) for each in scope):
        yield from product(*scope)
        return
    chance = random.Random(5)
    for _ in range(cases):
        yield tuple(chance.choice(each) for each in scope)


def happens(compiled: MappingTable, touches: list[Touch]) -> list[Done]:
    """Return what the engine does."""
    state, traces = EngineState(compiled), list[Trace]()
    for touch in touches:
        kind = "note_on" if touch.is_down else "note_off"
        event = InputEvent(kind, "pads", 1, touch.note, touch.velocity, touch.at / 1000)
        traces += feed_event(state, event)
    traces += run_due_deadlines(state, touches[-1].at / 1000 + 10)
    assert state.undecided == {}
    assert state.waiting == {}
    return [
        (round(trace.event.time * 1000), ref.mapping.action.to_plain()["keys"][0])
        for trace in traces
        for ref in trace.fired
    ]


class Held(NamedTuple):
    """A stretch in which what other controls send waits."""

    first: int
    """The number of the touch that began it."""
    last: float
    """Touches from this number on do not wait: one of them decided it."""
    until: int


def others_in_order(
    touches: list[Touch], note: int, key: str, held: list[Held], *, order: bool
) -> Iterator[tuple[int, int, str]]:
    """Yield when each press of a control without gestures fires."""
    for number, touch in enumerate(touches):
        if touch.note == note and touch.is_down:
            ends = [
                each.until
                for each in held
                if each.first < number < each.last and touch.at < each.until
            ]
            yield max(ends) if order and ends else touch.at, number, key


def is_busy(touches: list[Touch], number: int, own: set[int], idle_ms: int) -> bool:
    """Return whether a control that is not part of the gesture was pressed less than so long before."""
    others = [one.at for one in touches[:number] if one.is_down and one.note not in own]
    return bool(others) and touches[number].at - others[-1] < idle_ms


# Note 1 is a double tap with two layers of taps under it, note 2 another control.
DOUBLE, DOUBLE_GAPS = 50, (1, 49, 50)
VELOCITIES = (63, 64, 70)
"""The end of the soft layer, a gap of one between the layers, and the hard layer."""


class DoubleOptions(NamedTuple):
    idle_ms: int
    order: bool


def layer(velocity: int) -> list[str]:
    return ["s"] if velocity <= 63 else ["h"] if velocity >= 65 else []


def expect_double(options: DoubleOptions, touches: list[Touch]) -> list[Done]:
    """Return what fires when: d is the double tap, s and h the taps, o the other control."""
    done: list[tuple[int, int, str]] = []
    held: list[Held] = []
    presses = [n for n, touch in enumerate(touches) if touch.note == 1 and touch.is_down]
    while presses:
        number = presses.pop(0)
        touch = touches[number]
        taps = layer(touch.velocity)
        if is_busy(touches, number, {1}, options.idle_ms):
            done += [(touch.at, number, key) for key in taps]
            continue
        second = presses[0] if presses else None
        if second is not None and touches[second].at - touch.at < DOUBLE:
            presses.pop(0)
            done.append((touches[second].at, -1, "d"))
            held.append(Held(number, second, touches[second].at))
        else:
            done += [(touch.at + DOUBLE, -1, key) for key in taps]
            held.append(Held(number, len(touches), touch.at + DOUBLE))
    done += others_in_order(touches, 2, "o", held, order=options.order)
    return [(at, key) for at, _, key in sorted(done, key=lambda one: one[:2])]


def double_table(options: DoubleOptions) -> MappingTable:
    flags = f"require_prior_idle_ms={options.idle_ms} keep_order={str(options.order).lower()}"
    return compile_table(
        config(
            "VelocityRange note=1 max_velocity=63 -> s\nVelocityRange note=1 min_velocity=65 -> h\n"
            f"DoubleTap note=1 timeout_ms={DOUBLE} {flags} -> d\nNote note=2 -> o"
        )
    )


DOUBLES = [DoubleOptions(*each) for each in product((0, IDLE), (False, True))]


@proves
def test_double_taps_over_layers_are_decided_as_the_guide_says():
    tables = {options: double_table(options) for options in DOUBLES}
    gaps_of_five = list(product(DOUBLE_GAPS, repeat=5))
    strengths = list(product(VELOCITIES, repeat=2))
    scope = (DOUBLES, orders({1: 2, 2: 1}), gaps_of_five, strengths)
    for options, order, gaps, velocities in some(scope, scaled(2_800)):
        touches = played(order, gaps, velocities)
        expected = expect_double(options, touches)
        assert happens(tables[options], touches) == expected, (options, touches)


# Notes 1 and 2 are a chord, note 3 is another control or the third note of a longer chord.
WINDOW, CHORD_IDLE, CHORD_GAPS, LONGER_GAPS = 20, 40, (1, 19, 20), (1, 9, 10)
ALONE = {1: "w", 2: "x", 3: "y"}
"""What each note fires by itself."""
TAPS = [f"Note note={note} -> {key}" for note, key in ALONE.items()]


class Chord(NamedTuple):
    notes: frozenset[int]
    window: int
    early: bool
    key: str


class Pending(NamedTuple):
    number: int
    touch: Touch
    chords: tuple[Chord, ...]
    """Those it may become, the longest first."""

    @property
    def until(self) -> int:
        return self.touch.at + max(chord.window for chord in self.chords)


class ChordModel:
    """The guide's rules for chords, evaluated at each moment when something can change."""

    def __init__(self, chords: Sequence[Chord], idle_ms: int, touches: list[Touch]) -> None:
        self.chords = sorted(chords, key=lambda chord: -len(chord.notes))
        self.idle_ms = idle_ms
        self.touches = touches
        self.pending: dict[int, Pending] = {}
        self.done: list[tuple[int, int, str]] = []
        self.held: list[Held] = []

    def play(self) -> "ChordModel":
        windows = {chord.window for chord in self.chords}
        ends = {touch.at + window for touch in self.touches for window in windows}
        by_time = {touch.at: number for number, touch in enumerate(self.touches)}
        for at in sorted(ends | set(by_time)):
            for one in sorted(self.pending.values()):
                if one.until == at and one.touch.note in self.pending:
                    self._decide(one, at, len(self.touches))
            self._fire_complete(at, len(self.touches))
            if at in by_time:
                self._touch(by_time[at])
        return self

    def _touch(self, number: int) -> None:
        touch = self.touches[number]
        if not touch.is_down:
            if touch.note in self.pending:
                self._decide(self.pending[touch.note], touch.at, number)
            return
        mine = [chord for chord in self.chords if touch.note in chord.notes]
        possible = tuple(
            chord
            for chord in mine
            if not is_busy(self.touches, number, set(chord.notes), self.idle_ms)
        )
        if possible:
            self.pending[touch.note] = Pending(number, touch, possible)
            self._fire_complete(touch.at, number)
        elif mine:
            self.done.append((touch.at, number, ALONE[touch.note]))

    def _notes_of(self, chord: Chord) -> list[Pending]:
        return [one for one in self.pending.values() if chord in one.chords]

    def _is_complete(self, chord: Chord) -> bool:
        times = [one.touch.at for one in self._notes_of(chord)]
        return len(times) == len(chord.notes) and max(times) - min(times) < chord.window

    def _may_come(self, chord: Chord, at: int) -> bool:
        times = [one.touch.at for one in self._notes_of(chord)]
        return 0 < len(times) < len(chord.notes) and at - min(times) < chord.window

    def _decide(self, one: Pending, at: int, by: int) -> None:
        chord = next((each for each in one.chords if self._is_complete(each)), None)
        if chord is not None:
            self._fire(chord, at, by)
        else:
            self._end(one, at, by)
            self.done.append((at, -1, ALONE[one.touch.note]))

    def _fire_complete(self, at: int, by: int) -> None:
        for chord in self.chords:
            if self._is_complete(chord):
                longer = [each for each in self.chords if len(each.notes) > len(chord.notes)]
                if chord.early and not any(self._may_come(each, at) for each in longer):
                    self._fire(chord, at, by)
                return

    def _fire(self, chord: Chord, at: int, by: int) -> None:
        for one in self._notes_of(chord):
            self._end(one, at, by)
        self.done.append((at, -1, chord.key))

    def _end(self, one: Pending, at: int, by: int) -> None:
        del self.pending[one.touch.note]
        self.held.append(Held(one.number, by, at))


class ChordOptions(NamedTuple):
    early: bool
    idle_ms: int
    order: bool


def expect_chord(options: ChordOptions, touches: list[Touch]) -> list[Done]:
    """Return what fires when: c is the chord, w and x its notes alone, y the other control."""
    chord = Chord(frozenset({1, 2}), WINDOW, options.early, "c")
    model = ChordModel([chord], options.idle_ms, touches).play()
    others = others_in_order(touches, 3, ALONE[3], model.held, order=options.order)
    done = sorted([*model.done, *others], key=lambda one: one[:2])
    return [(at, key) for at, _, key in done]


def chord_row(notes: str, window: int, key: str, *, early: bool, more: str = "") -> str:
    flag = str(early).lower()
    return (
        f"NoteChord notes=[{notes}] timeout_ms={window} fire_when_complete={flag} {more} -> {key}"
    )


CHORDS = [ChordOptions(*each) for each in product((False, True), (0, CHORD_IDLE), (False, True))]
THREE = {1: 1, 2: 1, 3: 1}


def chord_table(options: ChordOptions) -> MappingTable:
    more = f"require_prior_idle_ms={options.idle_ms} keep_order={str(options.order).lower()}"
    return compile_table(
        config([*TAPS, chord_row("1,2", WINDOW, "c", early=options.early, more=more)])
    )


@proves
def test_a_chord_beside_another_control_is_decided_as_the_guide_says():
    tables = {options: chord_table(options) for options in CHORDS}
    scope = (CHORDS, orders(THREE), list(product(CHORD_GAPS, repeat=5)))
    for options, order, gaps in some(scope, scaled(3_600)):
        touches = played(order, gaps)
        expected = expect_chord(options, touches)
        assert happens(tables[options], touches) == expected, (options, touches)


LONGER = list(product((False, True), (False, True), (10, 20, 30)))
"""Whether the chord and the longer one fire when complete, and the window of the longer one."""


@proves
def test_a_chord_within_a_longer_one_is_decided_as_the_guide_says():
    tables = {
        (early, longer_early, window): compile_table(
            config(
                [
                    *TAPS,
                    chord_row("1,2", WINDOW, "c", early=early),
                    chord_row("1,2,3", window, "d", early=longer_early),
                ]
            )
        )
        for early, longer_early, window in LONGER
    }
    scope = (LONGER, orders(THREE), list(product(LONGER_GAPS, repeat=5)))
    for options, order, gaps in some(scope, scaled(5_600)):
        early, longer_early, window = options
        chords = [
            Chord(frozenset({1, 2}), WINDOW, early, "c"),
            Chord(frozenset({1, 2, 3}), window, longer_early, "d"),
        ]
        touches = played(order, gaps)
        model = ChordModel(chords, 0, touches).play()
        # two presses of one chord may end in the same moment: the guide says nothing of their order
        expected = sorted((at, key) for at, _, key in model.done)
        assert sorted(happens(tables[options], touches)) == expected, (options, touches)
