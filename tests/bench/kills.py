"""Kills the engine, a port process or the app again and again while keys are held and notes sound.

python -m tests.bench.kills [60] [--seed N] [--timeout-ms 200] [--only engine]

Nothing may be held or sound a second after a kill, and mappings must act again by then. The JACK server is
synchronous, which is the hard case: it waits for every client, dead ones too.
"""

import argparse
import os
import random
import sys
from collections.abc import Sequence

from tests.bench.rig import say
from tests.bench.rows import Row, table
from tests.support.jack import TIMEOUT_MS
from tests.support.kills import (
    CONTROLS,
    NO_LATER_THAN_S,
    VICTIMS,
    Held,
    Outcome,
    Victim,
    kill_stage,
)

TIMES = 60


def kill_at_random(
    times: int, seed: int, timeout_ms: int, victims: Sequence[Victim] = VICTIMS
) -> list[Outcome]:
    """Kill so many times, holding something else each time; each kill is shown as it is done."""
    chosen = random.Random(seed)
    outcomes: list[Outcome] = []
    with kill_stage(timeout_ms) as stage:
        for number in range(times):
            held = _choose_held(chosen)
            outcome = stage.kill(chosen.choice(victims), held)
            outcomes.append(outcome)
            say(f"{number + 1:4} {_line(outcome)}")
    return outcomes


def _choose_held(chosen: random.Random) -> list[Held]:
    """Choose what is held: a momentary mode alone, since entering it releases the rest, or any of the rest."""
    others: list[Held] = [kind for kind in CONTROLS if kind != "mode"]
    return (
        ["mode"] if chosen.random() < 0.2 else chosen.sample(others, chosen.randint(1, len(others)))
    )


def _line(outcome: Outcome) -> str:
    back = "" if outcome.back_s is None else f", back after {outcome.back_s:.2f} s"
    bad = f"  STILL: {', '.join(outcome.still_held)}" if outcome.still_held else ""
    held = "+".join(outcome.held)
    return f"{outcome.victim:6} {held:30} released after {outcome.released_s:.2f} s{back}{bad}"


def rows(outcomes: Sequence[Outcome]) -> list[Row]:
    """Return a row for each kind of process that was killed."""
    found: list[Row] = []
    for victim in VICTIMS:
        own = [outcome for outcome in outcomes if outcome.victim == victim]
        if own:
            found.append(_row(victim, own))
    return found


def _row(victim: Victim, outcomes: Sequence[Outcome]) -> Row:
    stuck = sum(bool(outcome.still_held) for outcome in outcomes)
    released = _spread([outcome.released_s for outcome in outcomes])
    back = [outcome.back_s for outcome in outcomes if outcome.back_s is not None]
    measured = f"{len(outcomes)} times: {stuck} held something, released {released}"
    measured += f", back {_spread(back)}" if back else ""
    aim = f"nothing held, back within {NO_LATER_THAN_S:.0f} s"
    met = all(outcome.is_well for outcome in outcomes)
    return Row(f"kill -9 of the {victim}", measured, aim, met, {"outcomes": len(outcomes)})


def _spread(times: Sequence[float]) -> str:
    ordered = sorted(times)
    return f"p50 {ordered[len(ordered) // 2]:.2f} max {ordered[-1]:.2f} s"


def measure(times: int) -> list[Row]:
    """Return the rows of the benchmark."""
    return rows(kill_at_random(times, seed=1, timeout_ms=TIMEOUT_MS))


def main(arguments: list[str]) -> int:
    """Kill, print, and exit with 1 when something was held or came back too late."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.kills", description=__doc__)
    parser.add_argument("times", type=int, nargs="?", default=TIMES)
    parser.add_argument("--seed", type=int, default=None, help="which kills; another each time")
    parser.add_argument("--timeout-ms", type=int, default=TIMEOUT_MS, help="jackd's -t")
    parser.add_argument("--only", choices=VICTIMS, action="append", help="may be repeated")
    args = parser.parse_args(arguments)
    seed = random.randrange(1_000_000) if args.seed is None else args.seed
    say(f"seed {seed}, jackd -S -t {args.timeout_ms}, load {os.getloadavg()[0]:.1f}")
    outcomes = kill_at_random(args.times, seed, args.timeout_ms, args.only or VICTIMS)
    say()
    say(table(rows(outcomes)))
    say(f"load {os.getloadavg()[0]:.1f}")
    return 0 if all(outcome.is_well for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
