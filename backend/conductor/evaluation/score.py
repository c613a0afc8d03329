"""Summarizes the results of a benchmark: the success rate with its confidence interval, and the cost."""

from collections.abc import Iterable, Sequence
from math import sqrt

from conductor.domain.chat.messages import ChatFailure, Usage
from conductor.domain.value import Value

Z_SCORE_95_PERCENT = 1.959964


class Result(Value):
    """The result of one run of one case."""

    case: str
    family: str
    run: int
    passed: bool
    reasons: tuple[str, ...] = ()
    """The reasons why the case failed; empty if it passed."""
    valid_first_try: bool | None = None
    """Whether the first call that changes something matched its schema; None if there was no such call."""
    tools: tuple[str, ...] = ()
    usage: Usage = Usage()
    latency_s: float = 0.0
    """Seconds from each message to the end of its answer, summed over all turns."""
    answer: str = ""
    failure: ChatFailure | None = None
    """The error because of which the model gave no answer; None if it answered."""


class Interval(Value):
    low: float
    high: float


class Summary(Value):
    """A summary of all results of a benchmark run."""

    cases: int
    runs: int
    passed: int
    pass_rate: float
    interval: Interval
    """Wilson's 95 % confidence interval of the rate."""
    pass_all_runs: float
    """The share of cases that pass in all of their runs, also called pass^k."""
    valid_first_try: float | None
    families: dict[str, float]
    usage: Usage
    requests_per_case: float
    latency_s: float
    """The median of the seconds per run."""


def compute_wilson_interval(passed: int, total: int) -> Interval:
    """Return the Wilson score interval, at 95 % confidence, of a success rate."""
    if total == 0:
        return Interval(low=0.0, high=1.0)
    rate, square = passed / total, Z_SCORE_95_PERCENT * Z_SCORE_95_PERCENT
    middle = rate + square / (2 * total)
    spread = Z_SCORE_95_PERCENT * sqrt(rate * (1 - rate) / total + square / (4 * total * total))
    scale = 1 + square / total
    low, high = (middle - spread) / scale, (middle + spread) / scale
    return Interval(low=max(0.0, round(low, 4)), high=min(1.0, round(high, 4)))


def summarize_results(results: Sequence[Result]) -> Summary:
    """Return a summary of the results of a benchmark run."""
    passed = sum(one.passed for one in results)
    by_case = _group_results((one.case, one.passed) for one in results)
    tried = [one.valid_first_try for one in results if one.valid_first_try is not None]
    usage = Usage()
    for one in results:
        usage = usage.add(one.usage)
    latencies = sorted(one.latency_s for one in results)
    return Summary(
        cases=len(by_case),
        runs=len(results),
        passed=passed,
        pass_rate=_compute_share(passed, len(results)),
        interval=compute_wilson_interval(passed, len(results)),
        pass_all_runs=_compute_share(sum(all(runs) for runs in by_case.values()), len(by_case)),
        valid_first_try=_compute_share(sum(tried), len(tried)) if tried else None,
        families={
            family: _compute_share(sum(runs), len(runs))
            for family, runs in sorted(
                _group_results((one.family, one.passed) for one in results).items()
            )
        },
        usage=usage,
        requests_per_case=round(usage.requests / max(1, len(results)), 2),
        latency_s=round(latencies[len(latencies) // 2], 3) if latencies else 0.0,
    )


def _group_results(pairs: Iterable[tuple[str, bool]]) -> dict[str, list[bool]]:
    groups: dict[str, list[bool]] = {}
    for name, passed in pairs:
        groups.setdefault(name, []).append(passed)
    return groups


def _compute_share(part: int, total: int) -> float:
    return round(part / total, 4) if total else 0.0
