"""Each two mappings of a config that share a control, with what they do to each other.

What was found for two mappings at their places is kept, so that after a change of one mapping only its own
pairs are judged again.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from conductor.domain.config import Config, Mapping
from conductor.domain.conflicts.rows import (
    RIVALS,
    Bucket,
    Row,
    in_force_together,
    meet,
    reach_alike,
)
from conductor.domain.events import CONTROL_CLASS, ON_A_CHANNEL, InputEvent
from conductor.domain.plan import Overlap
from conductor.engine.conflicts.contexts import Circumstances
from conductor.engine.conflicts.play import Verdict
from conductor.engine.conflicts.presses import bare
from conductor.engine.conflicts.shapes import Shapes
from conductor.engine.conflicts.words import Effect, interference
from conductor.engine.gestures.contexts import Context
from conductor.engine.gestures.words import gesture_script

PAIRS_AT_MOST = 8_000
"""So many pairs of one config are judged: no hand-made config has more, and each may take a millisecond."""
PAIRS_KEPT = 50_000
PLAYED_AT_MOST = 1_500
"""So many shapes of pairs are played in one search: a second or two of work on a slow machine."""

Places = frozenset[str]
RowKey = tuple[str, int]
"""The place of a mapping, and a number that equal mappings share."""


class Pair:
    """Two mappings that share a control, and what they do to each other: nothing when there are no effects."""

    def __init__(self, places: Places, effects: tuple[Effect, ...]) -> None:
        self.places = places
        self.effects = effects

    @cached_property
    def overlap(self) -> Overlap:
        """The overlap that says so."""
        return interference(self.effects)


class PairMemory:
    """What is known of pairs, and of the circumstances of one config after another."""

    def __init__(self) -> None:
        self._shapes = Shapes()
        self._mappings: dict[Mapping | str, int] = {}
        self._numbers: dict[int, tuple[Mapping, int]] = {}
        """By identity, with the mapping, so that its id stays its own: most of them were there before."""
        self._pairs: dict[tuple[RowKey, RowKey], Pair] = {}
        self._buckets: dict[tuple[RowKey, ...], tuple[Pair, ...]] = {}
        """The pairs of one control, by its mappings."""
        self._frame: object = None
        self.unexamined: list[tuple[Row, int, int]] = []
        """Of the last search: a mapping of each control that is too crowded, and how many of how many pairs
        were examined."""

    def pairs(
        self, config: Config, rows: Bucket, buckets: Iterator[Bucket], around: Circumstances
    ) -> Iterator[Pair]:
        """Yield every two mappings that one event can reach."""
        frame = (
            config.start_mode(),
            tuple(mode.name for mode in config.modes),
            tuple((profile.name, profile.match, profile.enabled) for profile in config.profiles),
        )
        if frame != self._frame or len(self._pairs) > PAIRS_KEPT:
            self._pairs.clear()
            self._buckets.clear()
            self._mappings.clear()
            self._numbers.clear()
            self._frame = frame
        judge = _Judge(self._shapes, around, config.start_mode())
        before = self._numbers
        self._numbers = {
            id(row.ref.mapping): before.get(id(row.ref.mapping)) or self._number(row.ref.mapping)
            for row in rows
        }
        keys = {row.order: (row.place(), self._numbers[id(row.ref.mapping)][1]) for row in rows}
        left, played_at_most = PAIRS_AT_MOST, self._shapes.played + PLAYED_AT_MOST
        self.unexamined = []
        found_in: dict[int, tuple[Pair, ...]] = {}
        # The small ones first: one crowded control must not use up what the others need.
        for number, bucket in sorted(enumerate(buckets), key=lambda one: len(one[1])):
            if len(bucket) < 2:
                continue
            key = tuple(keys[row.order] for row in bucket)
            found = self._buckets.get(key)
            if found is None:
                several = islice(_candidates(bucket), max(0, left))
                examined: list[Pair] = []
                for two in several:
                    if self._shapes.played >= played_at_most:
                        break
                    examined.append(self._pair(judge, keys, *two))
                found = tuple(examined)
                if len(found) < left and self._shapes.played < played_at_most:
                    self._buckets[key] = found
                else:
                    every = len(bucket) * (len(bucket) - 1) // 2
                    if len(found) < every:
                        self.unexamined.append((bucket[0], len(found), every))
            left -= len(found)
            found_in[number] = found
        for number in sorted(found_in):
            yield from found_in[number]

    def _pair(self, judge: "_Judge", keys: dict[int, RowKey], first: Row, later: Row) -> Pair:
        key = one, other = keys[first.order], keys[later.order]
        known = self._pairs.get(key)
        if known is None:
            places = frozenset((one[0], other[0]))
            known = self._pairs[key] = Pair(places, judge.effects(first, later))
        return known

    def _number(self, mapping: Mapping) -> tuple[Mapping, int]:
        try:
            number = self._mappings.setdefault(mapping, len(self._mappings))
        except TypeError:  # the arguments of a plugin's tool are a dict, which has no hash
            number = self._mappings.setdefault(mapping.model_dump_json(), len(self._mappings))
        return mapping, number


def _candidates(bucket: Bucket) -> Iterator[tuple[Row, Row]]:
    """Yield each two rows that an event can reach, the one that comes first in rank first."""
    for index, first in enumerate(bucket[:-1]):
        near = (
            later
            for later in islice(bucket, index + 1, None)
            if in_force_together(first.scope, later.scope)
            and reach_alike(first, later)
            and later is not first
        )
        for later in islice(near, RIVALS):
            yield first, later


class _Judge:
    """Judges two rows of one config."""

    def __init__(self, shapes: Shapes, around: Circumstances, start_mode: str) -> None:
        self._shapes = shapes
        self._around = around
        self._start_mode = start_mode

    def effects(self, first: Row, later: Row) -> tuple[Effect, ...]:
        """Return what each of two mappings does to the other, if they are ever in force together."""
        if not meet(first, later):
            return ()
        one, other = bare(first.trigger), bare(later.trigger)
        verdicts = (
            (first, later, self._shapes.judge(one, other, culprit_first=True)),
            (later, first, self._shapes.judge(other, one, culprit_first=False)),
        )
        if all(verdict is None for _, _, verdict in verdicts):
            return ()
        context = self._around.together(first, later)
        if context is None:
            return ()
        return tuple(
            Effect(culprit, victim, verdict, self._script(culprit, victim, verdict, context))
            for culprit, victim, verdict in verdicts
            if verdict is not None
        )

    def _script(self, culprit: Row, victim: Row, verdict: Verdict, context: Context) -> str:
        a, b = culprit.trigger, victim.trigger
        device, channel = a.device or b.device, a.channel or b.channel
        events = [_placed(event, device, channel) for event in verdict.gesture]
        return gesture_script(events, context, self._start_mode)


def _placed(event: InputEvent, device: str | None, channel: int | None) -> InputEvent:
    event = event if device is None else event._replace(device=device)
    if channel is not None and CONTROL_CLASS[event.kind] in ON_A_CHANNEL:
        event = event._replace(channel=channel)
    return event
