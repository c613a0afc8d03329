"""Conflicts against an oracle: exactly what random streams through the engine show is reported.

`CONDUCTOR_PROVE_CASES` sets how many pairs are played; 5,000 take some two minutes. The figures are logged:
`--log-cli-level=info` shows them.
"""

import logging
import os
from collections.abc import Iterator
from itertools import product
from random import Random

import pytest
from tests.engine.conflict_cases import Pair, random_pair
from tests.engine.conflict_oracle import RARE_APPS, interfere
from tests.support.prove import proves

from conductor.domain.triggers.base import TriggerBase
from conductor.domain.triggers.double_tap import DoubleTapTrigger
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.domain.triggers.note import NoteTrigger
from conductor.domain.triggers.note_chord import NoteChordTrigger
from conductor.domain.triggers.note_release import NoteReleaseTrigger
from conductor.engine.conflicts.analysis import ConflictFinder
from conductor.engine.conflicts.play import DEFAULT_CONTEXT, PairComparison
from conductor.engine.conflicts.presses import is_known_independent
from conductor.engine.gestures.space import GestureSpace, generate_touches, list_time_limits_ms

log = logging.getLogger(__name__)

PAIRS = int(os.environ.get("CONDUCTOR_PROVE_CASES", "60"))
SEED = int(os.environ.get("CONDUCTOR_PROVE_SEED", "11"))
CHUNK = 500
"""So many pairs in one test, which has a minute."""
BURSTS = 40
GENEROUS = 20
"""What was told and not seen at once is looked for so many times longer."""


def is_told(finder: ConflictFinder, pair: Pair) -> bool:
    places = {f"{scope} #{index}" for scope, index in pair.places}
    return any(places <= set(one.places) for one in finder.find_conflicts(pair.config))


@proves
@pytest.mark.parametrize("start", range(0, PAIRS, CHUNK))
def test_pairs_that_interfere_are_reported_and_others_are_not(start: int) -> None:
    finder = ConflictFinder()
    pairs = min(CHUNK, PAIRS - start)
    interfering, missed, false = 0, list[str](), list[str]()
    for number in range(start, start + pairs):
        case = SEED * 1_000_003 + number
        pair = random_pair(Random(case))
        seen, told = interfere(pair, Random(case), BURSTS), is_told(finder, pair)
        if told and not seen:
            seen = interfere(pair, Random(-case), BURSTS * GENEROUS, RARE_APPS)
            if not seen:
                false.append(pair.words())
        if seen and not told:
            missed.append(pair.words())
        interfering += seen
    found, apart = interfering - len(missed), pairs - interfering
    figures = (
        f"{pairs} pairs: {interfering} interfere, {found} of them told ({found / interfering:.2%}); "
        f"{len(false)} of {apart} others told ({len(false) / apart:.2%})"
    )
    log.info(figures)
    assert found / interfering >= 0.99, (figures, missed)
    assert len(false) / apart <= 0.01, (figures, false)


def presses(random: Random) -> Iterator[tuple[TriggerBase, TriggerBase]]:
    """Yield pairs of triggers of pads with random limits, near each other and far apart."""
    one, other = random.choice([(50, 90), (300, 301), (300, 300), (200, 650)])
    for a, b in product((one, other), repeat=2):
        firsts = [
            LongPressTrigger(note=60, duration_ms=a),
            DoubleTapTrigger(note=60, timeout_ms=a),
            NoteTrigger(note=60),
            NoteReleaseTrigger(note=60),
        ]
        laters = [
            LongPressTrigger(note=60, duration_ms=b),
            DoubleTapTrigger(note=60, timeout_ms=b),
            NoteTrigger(note=60),
            NoteReleaseTrigger(note=60),
        ]
        yield from product(firsts, laters)
        yield (
            LongPressTrigger(note=60, duration_ms=a),
            NoteChordTrigger(notes=(60, 62), timeout_ms=b),
        )
        yield NoteChordTrigger(notes=(60, 62), timeout_ms=a), NoteChordTrigger(notes=(60, 62), timeout_ms=b)  # fmt: skip


@proves
@pytest.mark.parametrize("seed", range(1 if PAIRS <= 150 else 4))
def test_pairs_that_are_not_played_would_show_no_difference(seed: int) -> None:
    played = 0
    for culprit, victim in presses(Random(seed)):
        for culprit_first in (True, False):
            chords = "chord" in (culprit.gesture, victim.gesture)
            if not _is_skipped(culprit, victim, culprit_first=culprit_first):
                continue
            triggers = (culprit, victim)
            space = GestureSpace(
                tuple(generate_touches(triggers)), list_time_limits_ms(triggers), (DEFAULT_CONTEXT,)
            )
            depth = 3 if chords else 4
            depth += PAIRS > 150
            stage = PairComparison.build(culprit, victim, culprit_first=culprit_first)
            assert stage.find_difference(space, depth, 100_000) is None, (
                culprit,
                victim,
                culprit_first,
            )
            played += 1
    assert played > 20


def _is_skipped(culprit: TriggerBase, victim: TriggerBase, *, culprit_first: bool) -> bool:
    if culprit.gesture in ("tap", "release"):
        return not (culprit_first and culprit.gesture == victim.gesture)
    return is_known_independent(culprit, victim, culprit_first=culprit_first)
