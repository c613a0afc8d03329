"""No effect outside the impact: random changes of thirty kinds, both configs played over random streams."""

import os
from random import Random
from statistics import median
from typing import NamedTuple

import pytest
from tests.engine.impact_oracle import Physical, compare, covered, random_stream
from tests.engine.impact_worlds import Changed, random_change, random_config
from tests.support.prove import proves

from conductor.engine.impact.analysis import compute_impact

CASES = int(os.environ.get("CONDUCTOR_PROVE_CASES", "50"))
STREAMS = 8 if CASES > 200 else 4
pytestmark = pytest.mark.timeout(0 if CASES > 200 else 60)
MANY = 1_000
"""From so many cases on the median says something."""


class Result(NamedTuple):
    changed: Changed
    violations: list[str]
    ratio: float | None


def judge(seed: int) -> Result:
    rnd = Random(seed)
    changed = random_change(rnd, random_config(rnd))
    found = compute_impact(changed.old, changed.new)
    violations: list[str] = []
    differing: set[Physical] = set()
    touched: set[Physical] = set()
    for _ in range(STREAMS):
        outcome = compare(changed, random_stream(rnd, changed, 60))
        differing |= {difference.control for difference in outcome.differences}
        touched |= outcome.touched
        violations += [
            f"{each.seen} at {each.places}"
            for each in outcome.differences
            if not any(found.covers_control(*place) for place in each.places)
        ]
        violations += [f"mode {name}" for name in outcome.modes - set(found.modes)]
        violations += [f"variable {name}" for name in outcome.variables - set(found.variables)]
    ratio = len(covered(found, changed) & touched) / len(differing) if differing else None
    return Result(changed, violations, ratio)


@proves
def test_nothing_outside_the_impact_differs():
    results = {seed: judge(seed) for seed in range(CASES)}
    wrong = {
        f"seed {seed}, {result.changed.kind}": result.violations[:3]
        for seed, result in results.items()
        if result.violations
    }
    assert wrong == {}
    assert len({result.changed.kind for result in results.values()}) >= 16
    ratios = [result.ratio for result in results.values() if result.ratio is not None]
    print(  # noqa: T201 - shown with -s: the size is a figure to watch
        f"{CASES} changes, {len(ratios)} of them differ, 0 violations;"
        f" median size {median(ratios):.2f} times what differs"
    )
    if CASES >= MANY:
        assert median(ratios) <= 3
