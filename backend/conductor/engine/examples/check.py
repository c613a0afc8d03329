"""Examples: gestures with the actions that they should cause, played in the simulator.

An example that is proposed is played once, with the device and channel that the config's own mappings ask
for. One that is kept is pinned, and played in every situation in which it held then.
"""

from collections.abc import Iterable, Mapping

from conductor.domain.config import Config
from conductor.domain.examples import TOLERANCE_MS, Example, ExampleResult, ExpectedAction
from conductor.engine.examples.devices import names_now
from conductor.engine.examples.match import Expected, read_expected
from conductor.engine.examples.outcome import done_otherwise
from conductor.engine.examples.play import Happened, Played, Stage
from conductor.engine.examples.reasons import why_not
from conductor.engine.examples.situations import Situation, situations
from conductor.errors import BadScript


def run_examples(config: Config, examples: Iterable[Example]) -> list[ExampleResult]:
    """Play every example, each from a fresh start."""
    stage = Stage(config)
    return [run_on(stage, example) for example in examples]


def run_example(config: Config, example: Example) -> ExampleResult:
    """Play one example: does what fires equal what it expects?"""
    return run_on(Stage(config), example)


def run_on(stage: Stage, example: Example) -> ExampleResult:
    """Play one example on a config that is compiled already."""
    fired: tuple[str, ...] = ()
    try:
        for situation, played in stage.play(example, lambda known: situations(example, known)):
            problem = find_problem(example, played)
            if problem is not None or not fired:
                fired = tuple(one.words() for one in played.fired())
            if problem is not None:
                said = _in_situation(problem, situation) + _notes(example, played)
                return ExampleResult(example=example, passed=False, fired=fired, problem=said)
    except BadScript as error:
        return ExampleResult(example=example, passed=False, problem=f"the gesture: {error}")
    return ExampleResult(example=example, passed=True, fired=fired)


def find_problem(example: Example, played: Played) -> str | None:
    """Return where what happened first differs from what is expected, or None."""
    names = names_now(example.devices, played.config)
    fired, effects = played.fired(), played.effects()
    problem = _compare(example.expect, fired, played, names)
    if problem is None and example.effects is not None:
        problem = _compare(example.effects, effects, played, names)
    if problem is None and example.done is not None:
        problem = done_otherwise(example.done, played.done(), example.done_tolerance_ms)
    if problem is None and example.pinned and played.ended_in != (example.ends_in or played.mode):
        wanted = example.ends_in or played.mode
        problem = f"it should end in mode {wanted}, but ends in {played.ended_in}"
    return problem


def _compare(
    expect: tuple[ExpectedAction, ...],
    happened: list[Happened],
    played: Played,
    names: Mapping[str, str],
) -> str | None:
    expected = [read_expected(one, names) for one in expect]
    bad = next((one.problem for one in expected if one.problem), None)
    if bad is not None:
        return bad
    for index, wanted in enumerate(expected):
        if index >= len(happened):
            return _missing(played, wanted, after=bool(happened))
        if not _fits(wanted, happened[index]):
            return _another(played, expected[index:], happened[index:])
        late = _wrong_time(expect[index], happened[index])
        if late is not None:
            return late
    if len(happened) > len(expected):
        what = "nothing more" if expected else "nothing"
        return f"{what} should fire, but {happened[len(expected)].words()} did"
    return None


def _fits(wanted: Expected, found: Happened) -> bool:
    return wanted.fits(found.action, found.resolved)


def _missing(played: Played, wanted: Expected, *, after: bool) -> str:
    nothing = "nothing more fired" if after else "nothing fired"
    reason = why_not(played.config, played.traces, wanted)
    return f"expected {wanted.words()}, {nothing}: {reason}"


def _another(played: Played, expected: list[Expected], happened: list[Happened]) -> str:
    """Tell an action too many from one too few and from one in place of another."""
    wanted, found = expected[0], happened[0]
    if any(_fits(wanted, one) for one in happened[1:]):
        return f"{found.words()} fired before the expected {wanted.words()}"
    if found.resolved not in (None, found.action):
        return f"expected {wanted.words()}, but {found.words()} fired"
    why = why_not(played.config, played.traces, wanted)
    if any(_fits(one, found) for one in expected[1:]):
        return f"expected {wanted.words()}, it did not fire: {why}"
    return f"expected {wanted.words()}, but {found.words()} fired: {why}"


def _wrong_time(expected: ExpectedAction, found: Happened) -> str | None:
    at_ms = expected.at_ms
    tolerance = TOLERANCE_MS if expected.tolerance_ms is None else expected.tolerance_ms
    if expected.any_time or at_ms is None or abs(found.time_ms - at_ms) <= tolerance:
        return None
    return f"expected {expected.type} at {at_ms:g} ms, give or take {tolerance:g}: {found.words()}"


def _in_situation(problem: str, situation: Situation) -> str:
    return f"{situation.label}: {problem}" if situation.label else problem


def _notes(example: Example, played: Played) -> str:
    """Return what became of the things that a kept example names."""
    if not example.pinned:
        return ""
    notes: list[str] = []
    if example.from_start and example.mode not in (None, played.mode):
        notes.append(f"Conductor starts in mode {played.mode} now, not in {example.mode}")
    for name, now in names_now(example.devices, played.config).items():
        if now.startswith("raw:"):
            notes.append(f"the device that was called {name} has no alias now")
        elif now != name:
            notes.append(f"the device that was called {name} is {now} now")
    return "".join(f"; {note}" for note in notes)
