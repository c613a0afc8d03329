"""Judges each pair of mappings that share a control: whether one affects the other.

Results are cached by mapping and position, so that a changed mapping requires only its own
pairs to be judged again.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from conductor.domain.config import Config, Mapping
from conductor.domain.conflicts.rows import (
    MAX_COMPARED_MAPPINGS,
    MappingRow,
    RowBucket,
    can_be_active_together,
    can_match_together,
    can_share_input,
)
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.events import CONTROL_CLASS, CONTROL_CLASSES_WITH_CHANNEL, InputEvent
from conductor.domain.plan import Overlap
from conductor.engine.conflicts.contexts import ContextCache
from conductor.engine.conflicts.messages import Interference, build_interference
from conductor.engine.conflicts.play import PairVerdict
from conductor.engine.conflicts.presses import strip_scope_fields
from conductor.engine.conflicts.verdicts import VerdictCache
from conductor.engine.gestures.contexts import GestureContext
from conductor.engine.gestures.format import format_gesture_script

MAX_EXAMINED_PAIRS = 8_000
"""The maximum number of pairs that are judged in one config. A pair may take a millisecond, and no
handwritten config has more."""
MAX_CACHED_PAIRS = 50_000
MAX_PLAYED_PAIRS = 1_500
"""The maximum number of different pairs of triggers that are played in one search, which takes one or two
seconds on a slow machine."""

MappingPlaces = frozenset[str]
RowKey = tuple[str, int]
"""The position of a mapping in the config, and a number that is the same for equal mappings."""


class MappingPair:
    """Two mappings that share a control, and the effects they have on each other.

    Independent mappings have no effects.
    """

    def __init__(self, places: MappingPlaces, effects: tuple[Interference, ...]) -> None:
        self.places = places
        self.effects = effects

    @cached_property
    def overlap(self) -> Overlap:
        """The conflict that describes the effects of the two mappings on each other."""
        return build_interference(self.effects)


class PairCache:
    """Keeps judged pairs of mappings, so that the next config needs only its new pairs to be judged."""

    def __init__(self) -> None:
        self._shapes = VerdictCache()
        self._mappings: dict[Mapping | str, int] = {}
        self._numbers: dict[int, tuple[Mapping, int]] = {}
        """The number of each mapping, by `id(mapping)`.

        Most mappings are the same objects as in the previous config, and hashing a mapping is slow. The
        mapping is referenced, so that its id is not reused.
        """
        self._pairs: dict[tuple[RowKey, RowKey], MappingPair] = {}
        self._buckets: dict[tuple[RowKey, ...], tuple[MappingPair, ...]] = {}
        """The judged pairs of each control, keyed by the positions and numbers of the
        mappings on the control."""
        self._frame: object = None
        self.unexamined: list[tuple[MappingRow, int, int]] = []
        """The controls that the last search did not complete: a mapping of the control, the number of
        examined pairs, and the number of all pairs."""

    def find_pairs(
        self,
        config: Config,
        rows: RowBucket,
        buckets: Iterator[RowBucket],
        contexts: ContextCache,
        names: ControlNames = NO_CONTROL_NAMES,
    ) -> Iterator[MappingPair]:
        """Yield the pairs of mappings that the same event can reach, each with its
        effects, up to the limits.
        """
        frame = (
            config.get_start_mode(),
            tuple(mode.name for mode in config.modes),
            tuple((profile.name, profile.match, profile.enabled) for profile in config.profiles),
            names,  # cached pairs contain rows with these names, which appear in messages
        )
        if frame != self._frame or len(self._pairs) > MAX_CACHED_PAIRS:
            self._pairs.clear()
            self._buckets.clear()
            self._mappings.clear()
            self._numbers.clear()
            self._frame = frame
        judge = _PairJudge(self._shapes, contexts, config.get_start_mode())
        before = self._numbers
        self._numbers = {
            id(row.ref.mapping): before.get(id(row.ref.mapping))
            or self._get_mapping_number(row.ref.mapping)
            for row in rows
        }
        keys = {
            row.order: (row.describe_position(), self._numbers[id(row.ref.mapping)][1])
            for row in rows
        }
        left, played_at_most = MAX_EXAMINED_PAIRS, self._shapes.played + MAX_PLAYED_PAIRS
        self.unexamined = []
        found_in: dict[int, tuple[MappingPair, ...]] = {}
        # Controls with few mappings first, so that one crowded control does not use up
        # the limits of the others.
        for number, bucket in sorted(enumerate(buckets), key=lambda item: len(item[1])):
            if len(bucket) < 2:
                continue
            key = tuple(keys[row.order] for row in bucket)
            found = self._buckets.get(key)
            if found is None:
                candidates = islice(_iterate_candidate_pairs(bucket), max(0, left))
                examined: list[MappingPair] = []
                for rows_of_pair in candidates:
                    if self._shapes.played >= played_at_most:
                        break
                    examined.append(self._build_pair(judge, keys, *rows_of_pair))
                found = tuple(examined)
                if len(found) < left and self._shapes.played < played_at_most:
                    self._buckets[key] = found
                else:
                    total = len(bucket) * (len(bucket) - 1) // 2
                    if len(found) < total:
                        self.unexamined.append((bucket[0], len(found), total))
            left -= len(found)
            found_in[number] = found
        for number in sorted(found_in):
            yield from found_in[number]

    def _build_pair(
        self, judge: "_PairJudge", keys: dict[int, RowKey], first: MappingRow, later: MappingRow
    ) -> MappingPair:
        key = first_key, later_key = keys[first.order], keys[later.order]
        pair = self._pairs.get(key)
        if pair is None:
            places = frozenset((first_key[0], later_key[0]))
            pair = self._pairs[key] = MappingPair(places, judge.judge_effects(first, later))
        return pair

    def _get_mapping_number(self, mapping: Mapping) -> tuple[Mapping, int]:
        try:
            number = self._mappings.setdefault(mapping, len(self._mappings))
        except TypeError:  # not hashable, because the arguments of a plugin tool are a dict
            number = self._mappings.setdefault(mapping.model_dump_json(), len(self._mappings))
        return mapping, number


def _iterate_candidate_pairs(bucket: RowBucket) -> Iterator[tuple[MappingRow, MappingRow]]:
    """Yield each pair of mappings that the same event can reach; the first of a pair has precedence."""
    for index, first in enumerate(bucket[:-1]):
        near = (
            later
            for later in islice(bucket, index + 1, None)
            if can_be_active_together(first.scope, later.scope)
            and can_share_input(first, later)
            and later is not first
        )
        for later in islice(near, MAX_COMPARED_MAPPINGS):
            yield first, later


class _PairJudge:
    """Judges the pairs of mappings in one config, by playing gestures if no verdict is cached."""

    def __init__(self, shapes: VerdictCache, contexts: ContextCache, start_mode: str) -> None:
        self._shapes = shapes
        self._contexts = contexts
        self._start_mode = start_mode

    def judge_effects(self, first: MappingRow, later: MappingRow) -> tuple[Interference, ...]:
        """Return how two mappings affect each other; the result is empty if they are never active together."""
        if not can_match_together(first, later):
            return ()
        first_trigger, later_trigger = (
            strip_scope_fields(first.trigger),
            strip_scope_fields(later.trigger),
        )
        verdicts = (
            (
                first,
                later,
                self._shapes.judge_pair(first_trigger, later_trigger, culprit_first=True),
            ),
            (
                later,
                first,
                self._shapes.judge_pair(later_trigger, first_trigger, culprit_first=False),
            ),
        )
        if all(verdict is None for _, _, verdict in verdicts):
            return ()
        context = self._contexts.find_common_context(first, later)
        if context is None:
            return ()
        return tuple(
            Interference(
                culprit, victim, verdict, self._build_script(culprit, victim, verdict, context)
            )
            for culprit, victim, verdict in verdicts
            if verdict is not None
        )

    def _build_script(
        self, culprit: MappingRow, victim: MappingRow, verdict: PairVerdict, context: GestureContext
    ) -> str:
        a, b = culprit.trigger, victim.trigger
        device, channel = a.device or b.device, a.channel or b.channel
        events = [_change_event_device(event, device, channel) for event in verdict.gesture]
        return format_gesture_script(events, context, self._start_mode)


def _change_event_device(event: InputEvent, device: str | None, channel: int | None) -> InputEvent:
    event = event if device is None else event._replace(device=device)
    if channel is not None and CONTROL_CLASS[event.kind] in CONTROL_CLASSES_WITH_CHANNEL:
        event = event._replace(channel=channel)
    return event
