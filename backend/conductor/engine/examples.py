"""Examples: gestures with the actions that they should cause, played in the simulator."""

from collections.abc import Iterable
from typing import NamedTuple

from conductor.domain.config import Config
from conductor.domain.phrases import action_words
from conductor.domain.plan import Example, ExampleResult, ExpectedAction
from conductor.domain.trace import MappingRef, Trace
from conductor.domain.validate import did_you_mean
from conductor.engine.assume import assume
from conductor.engine.examples_match import Expected, read_expected
from conductor.engine.examples_why import why_not
from conductor.engine.script import ModeChoice, ScriptItem, parse_script
from conductor.engine.simulate import Simulation
from conductor.errors import BadScript

TOLERANCE_MS = 20
LONGEST_S = 600.0
SETTLE_S = 61.0
"""A long press takes 60 s at most."""
EVENTS_ALLOWED = 1000


class Fired(NamedTuple):
    """An action that fired, and when."""

    time_ms: float
    ref: MappingRef

    def words(self) -> str:
        name = self.ref.mapping.description or f"{self.ref.scope} #{self.ref.index}"
        return (
            f"{action_words(self.ref.mapping.action.to_plain())} at {self.time_ms:g} ms (`{name}`)"
        )


def run_examples(config: Config, examples: Iterable[Example]) -> list[ExampleResult]:
    """Play every example, each from a fresh start."""
    return [run_example(config, example) for example in examples]


def run_example(config: Config, example: Example) -> ExampleResult:
    """Play one example: does what fires equal what it expects?"""
    try:
        traces = _play(config, example)
    except BadScript as error:
        return ExampleResult(example=example, passed=False, problem=f"the gesture: {error}")
    fired = [
        Fired(round(trace.event.time * 1000, 3), ref) for trace in traces for ref in trace.fired
    ]
    problem = _problem(config, example, traces, fired)
    words = tuple(one.words() for one in fired)
    return ExampleResult(example=example, passed=problem is None, fired=words, problem=problem)


def _play(config: Config, example: Example) -> list[Trace]:
    items = list(assume(_script(example.gesture), _with_mode_first(config, example.mode)))
    if example.mode is not None:
        items.insert(0, ModeChoice(example.mode, 0.0))
    return Simulation(config).play(items, settle_s=SETTLE_S)


def _script(gesture: str) -> list[ScriptItem]:
    items = parse_script(gesture, device="", channel=0)
    if not items:
        raise BadScript("it has no events; write such as `tap 36` or `down 36; wait 600; up 36`")
    if len(items) > EVENTS_ALLOWED:
        raise BadScript(f"it has {len(items):,} events; {EVENTS_ALLOWED:,} are allowed")
    if not all(0 <= item.time <= LONGEST_S for item in items):
        raise BadScript(f"its times must lie between 0 and {LONGEST_S:g} s")
    return items


def _with_mode_first(config: Config, name: str | None) -> Config:
    """Put the mode that is played first, so that its devices are the ones assumed."""
    wanted = config.start_mode() if name is None else name
    if config.mode(wanted) is None:
        hint = did_you_mean(wanted, [mode.name for mode in config.modes])
        raise BadScript(f"Invalid mode: '{wanted}' does not exist{hint}")
    modes = sorted(config.modes, key=lambda mode: mode.name != wanted)
    return config.model_copy(update={"modes": tuple(modes)})


def _problem(
    config: Config, example: Example, traces: list[Trace], fired: list[Fired]
) -> str | None:
    """Say where what fired first differs from what is expected, or None."""
    expected = [read_expected(one) for one in example.expect]
    bad = next((one.problem for one in expected if one.problem), None)
    if bad is not None:
        return bad
    for index, wanted in enumerate(expected):
        if index >= len(fired):
            return _missing(config, traces, wanted, after=bool(fired))
        if not wanted.fits(fired[index].ref.mapping.action):
            return _another(config, traces, expected[index:], fired[index:])
        late = _wrong_time(example.expect[index], fired[index])
        if late is not None:
            return late
    if len(fired) > len(expected):
        what = "nothing more" if expected else "nothing"
        return f"{what} should fire, but {fired[len(expected)].words()} did"
    return None


def _missing(config: Config, traces: list[Trace], wanted: Expected, *, after: bool) -> str:
    nothing = "nothing more fired" if after else "nothing fired"
    return f"expected {wanted.words()}, {nothing}: {why_not(config, traces, wanted)}"


def _another(
    config: Config, traces: list[Trace], expected: list[Expected], fired: list[Fired]
) -> str:
    """Tell an action too many from one too few and from one in place of another."""
    wanted, found = expected[0], fired[0]
    if any(wanted.fits(one.ref.mapping.action) for one in fired[1:]):
        return f"{found.words()} fired before the expected {wanted.words()}"
    why = why_not(config, traces, wanted)
    if any(one.fits(found.ref.mapping.action) for one in expected[1:]):
        return f"expected {wanted.words()}, it did not fire: {why}"
    return f"expected {wanted.words()}, but {found.words()} fired: {why}"


def _wrong_time(expected: ExpectedAction, fired: Fired) -> str | None:
    at_ms = expected.at_ms
    if at_ms is None or abs(fired.time_ms - at_ms) <= TOLERANCE_MS:
        return None
    return f"expected {expected.type} at {at_ms:g} ms, give or take {TOLERANCE_MS}: {fired.words()}"
