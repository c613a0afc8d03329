"""Plays random configs over JACK, changes them, plays the same hands again: did the replay say what would come?

python -m tests.bench.live_replays [60] [--seed N] [--kind KIND]

Everything is real: a Conductor in a home of its own, devices in other processes, plans proposed over the
socket and approved at a terminal. What the replay said would vanish is taken from what arrived the first
time, what it said would appear is added, and this must be what arrives the second time.
"""

import argparse
import ast
import itertools
import os
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from tests.bench.live_changes import CHANGES, RandomChange, change_at_random
from tests.bench.live_configs import MODES, Plain, random_config
from tests.bench.live_hands import HANDS_BEGIN_MS, Hands, Strike, is_steady, simulated
from tests.bench.live_stage import Arrival, Played, Stage, listeners_of, live_stage
from tests.bench.rig import say

from conductor.config.parse import parse_config
from conductor.config.render import render_config
from conductor.domain.config import Config
from conductor.domain.plan import Replay
from conductor.domain.renames import find_renames
from conductor.engine.firings import PlayedFiring
from conductor.engine.replay import Comparison, compare_recording, describe_comparison
from conductor.errors import NotRunning

TIMES = 60
TOLERANCE_MS = 60.0
IN_ORDER_MS = 60.0
"""What was predicted so far apart must not arrive the other way round."""
AT_LEAST = 6
"""So many effects come of the hands under the old config."""
ENDS_WITHIN_MS = 1500
"""After the last strike, everything that the hands began has ended."""
TRIES = 400
ACCEPTED_WITHOUT_EFFECT = 0.1
"""So many of the changes that the hands do not show are checked; some kinds have no others."""

Verdict = Literal["ok", "WRONG", "cannot tell", "disturbed"]


class Case(NamedTuple):
    """A config, hands that play it, and a change."""

    old: Config
    hands: list[Strike]
    change: RandomChange


class Outcome(NamedTuple):
    """What came of a case."""

    kind: str
    verdict: Verdict
    reason: str
    predicted: str
    seen: str
    planned: bool = False
    """A plan was made over the socket, and approved; otherwise the file was edited."""


def make_case(seed: int, kind: str, osc_port: int) -> Case:
    """Return the case of a seed: hands of which no event lies near a limit of either config."""
    rng = random.Random(seed)
    while True:
        plain = random_config(rng, osc_port)
        old = parse_config(render_config(Config.model_validate(plain)))
        for _ in range(TRIES):
            case = _case(rng, plain, old, kind, osc_port)
            if case is not None:
                return case


def _case(rng: random.Random, plain: Plain, old: Config, kind: str, port: int) -> Case | None:
    hands, mode = Hands(rng).play(), old.modes[0].name
    done = simulated(old, hands, mode)
    end_ms = max(one.at_ms for one in hands) + HANDS_BEGIN_MS + ENDS_WITHIN_MS
    if len(done) < AT_LEAST or done[-1]["time_ms"] > end_ms:
        return None
    played = {(one["scope"], one["index"]) for one in done}
    change = change_at_random(plain, rng, kind, played, port)
    if change is None or not is_steady(old, hands, mode, rng):
        return None
    new_mode = find_renames(old, change.new).get_new_mode(mode)
    does_same = _done(done) == _done(simulated(change.new, hands, new_mode))
    if does_same and rng.random() > ACCEPTED_WITHOUT_EFFECT:
        return None
    return Case(old, hands, change) if is_steady(change.new, hands, new_mode, rng) else None


def _done(effects: Iterable[Plain]) -> list[tuple[float, str]]:
    """Return the actions with their times, without the position of the mapping."""
    return [(one["time_ms"], repr(one["resolved"])) for one in effects]


def check(stage: Stage, case: Case) -> Outcome:
    """Play a case under both configs, and compare what arrived with what the replay said."""
    old, new = case.old, case.change.new
    stage.start(old)
    first = stage.play(old, case.hands)
    found = compare_recording(old, new, first.recording)
    stage.start(old)
    plan = stage.plan(case.change)
    whole = (
        None
        if plan is None
        else describe_comparison(old, new, compare_recording(old, new, stage.recording()))
    )
    stage.apply(case.change, plan)
    stage.switch_mode(find_renames(old, new).get_new_mode(MODES[0]))
    second = stage.play(new, case.hands)
    told = None if plan is None else Replay.model_validate(plan["replay"])
    outcome = judge(case, found, first, second)
    if told != whole and outcome.verdict in ("ok", "WRONG"):
        return outcome._replace(verdict="WRONG", reason=f"the plan says: {told}", planned=True)
    return outcome._replace(planned=plan is not None)


def judge(case: Case, found: Comparison, first: Played, second: Played) -> Outcome:
    """Return whether the replay was right."""
    vanish, appear, moved = _changed(found)
    predicted = f"-{len(vanish)} +{len(appear)} ~{len(moved)}"
    expected, unknown = _expected(case, found, first)
    seen = f"{len(first.arrivals)} then {len(second.arrivals)}"

    def outcome(verdict: Verdict, reason: str) -> Outcome:
        return Outcome(case.change.kind, verdict, reason, predicted, seen)

    for played in (first, second):
        if played.disturbed:
            return outcome("disturbed", played.disturbed)
    problems = [chain.cannot_tell for chain in found.chains if chain.cannot_tell]
    if problems:
        return outcome("cannot tell", problems[0])
    if unknown:
        return outcome("WRONG", f"predicted to vanish, but never arrived: {unknown}")
    wrong = difference(expected, second.arrivals)
    if wrong and max(first.late_ms, second.late_ms) > TOLERANCE_MS / 3:
        late_ms = max(first.late_ms, second.late_ms)
        return outcome("disturbed", f"an event was read {late_ms:.0f} ms late; {wrong}")
    return outcome("WRONG", wrong) if wrong else outcome("ok", "")


def _changed(
    found: Comparison,
) -> tuple[list[PlayedFiring], list[PlayedFiring], list[tuple[PlayedFiring, PlayedFiring]]]:
    outcomes = [chain.outcome for chain in found.chains]
    return (
        [one for each in outcomes for one in each.vanish],  # pyright: ignore[reportReturnType]
        [one for each in outcomes for one in each.appear],
        [pair for each in outcomes for pair in each.moved],
    )


def _expected(case: Case, found: Comparison, first: Played) -> tuple[list[Arrival], list[Arrival]]:
    """Return what should arrive, and what should vanish of it but was never there."""
    vanish, appear, moved = _changed(found)
    gone = _arrivals([*vanish, *(one for one, _ in moved)], case.old, first.start_s)
    come = _arrivals([*appear, *(one for _, one in moved)], case.change.new, first.start_s)
    left, unknown = list(first.arrivals), list[Arrival]()
    for one in gone:
        same = _nearest(one, left)
        if same is None:
            unknown.append(one)
        else:
            left.remove(same)
    return sorted([*left, *come]), unknown


def _arrivals(fired: Iterable[PlayedFiring], config: Config, start_s: float) -> Iterator[Arrival]:
    """Yield what firings bring to the listeners."""
    for one in fired:
        for after_ms, calls in one.effects:
            if calls.startswith(("mode ", "variable ")):
                continue
            at_ms = (one.time - start_s) * 1000 + after_ms
            for call in ast.literal_eval(calls):
                match call:
                    case ["midi.send", target, message]:
                        place = listeners_of(target, config)
                        if place is not None:
                            yield Arrival(at_ms, place, message.lower())
                    case ["osc.send", _, _, address, args]:
                        yield Arrival(at_ms, "OSC", f"{address} {args}")
                    case ["keyboard.press", keys]:
                        yield from (Arrival(at_ms, "keyboard", key) for key in keys)
                    case _:
                        pass


def _nearest(wanted: Arrival, among: Sequence[Arrival]) -> Arrival | None:
    """Return the same thing at nearly the same time."""
    fitting = [
        one
        for one in among
        if one[1:] == wanted[1:] and abs(one.at_ms - wanted.at_ms) <= TOLERANCE_MS
    ]
    return min(fitting, key=lambda one: abs(one.at_ms - wanted.at_ms), default=None)


def difference(expected: Sequence[Arrival], seen: Sequence[Arrival]) -> str:
    """Return how what arrived is not what was expected; empty when it is."""
    left, missing, pairs = list(seen), list[Arrival](), list[tuple[Arrival, Arrival]]()
    for one in expected:
        same = _nearest(one, left)
        if same is None:
            missing.append(one)
        else:
            left.remove(same)
            pairs.append((one, same))
    words = [f"missing {_words(one)}" for one in missing]
    words += [f"unexpected {_words(one)}" for one in left]
    for (one, seen_one), (other, seen_other) in itertools.combinations(pairs, 2):
        if other.at_ms - one.at_ms > IN_ORDER_MS and seen_other.at_ms < seen_one.at_ms:
            words.append(f"{_words(seen_other)} came before {_words(seen_one)}")
    return "; ".join(words)


def _words(one: Arrival) -> str:
    return f"{one.what} at {one.place} at {one.at_ms:.0f} ms"


def check_cases(times: int, seed: int, kinds: Sequence[str]) -> list[Outcome]:
    """Check so many cases that were not disturbed, of every kind in turn; each is shown when it is done."""
    outcomes: list[Outcome] = []
    with live_stage() as stage:
        while sum(one.verdict != "disturbed" for one in outcomes) < times:
            number = len(outcomes)
            kind = kinds[number % len(kinds)]
            case = make_case(seed * 100_000 + number, kind, stage.osc_port)
            try:
                outcome = check(stage, case)
            except (
                NotRunning,
                TimeoutError,
            ) as error:  # a busy machine: the next case starts afresh
                outcome = Outcome(kind, "disturbed", f"no answer: {str(error)[:200]}", "", "")
            outcomes.append(outcome)
            say(f"{number:4} {_line(outcome)}")
    return outcomes


def _line(outcome: Outcome) -> str:
    way = "plan" if outcome.planned else "file"
    reason = f"  {outcome.reason}" if outcome.reason else ""
    counts = f"{outcome.predicted:12} {outcome.seen:12}"
    return f"{outcome.kind:16} {way} {counts} {outcome.verdict}{reason}"


def summary(outcomes: Sequence[Outcome]) -> str:
    """Return the counts of a run in one line."""
    verdicts = Counter(one.verdict for one in outcomes)
    judged = [one for one in outcomes if one.verdict != "disturbed"]
    kinds, differ = {one.kind for one in judged}, sum(one.predicted != "-0 +0 ~0" for one in judged)
    return (
        f"{verdicts['WRONG']} wrong of {len(judged)} ({len(kinds)} kinds, {differ} with a predicted"
        f" change, {sum(one.planned for one in judged)} by plan), {verdicts['cannot tell']} cannot"
        f" tell, {verdicts['disturbed']} disturbed and not counted"
    )


def main(arguments: list[str]) -> int:
    """Check, print, and exit with 1 when the replay was wrong once."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.live_replays", description=__doc__)
    parser.add_argument("times", type=int, nargs="?", default=TIMES)
    parser.add_argument("--seed", type=int, default=None, help="which cases; others each time")
    parser.add_argument("--kind", choices=sorted(CHANGES), action="append", help="may be repeated")
    args = parser.parse_args(arguments)
    seed = random.randrange(1_000_000) if args.seed is None else args.seed
    say(f"seed {seed}, load {os.getloadavg()[0]:.1f}")
    outcomes = check_cases(args.times, seed, args.kind or list(CHANGES))
    say(summary(outcomes))
    say(f"load {os.getloadavg()[0]:.1f}")
    return 1 if any(one.verdict == "WRONG" for one in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
