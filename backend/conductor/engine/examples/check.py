"""Checks examples, which are gestures with the actions that they should trigger, in the simulator.

A proposed example is played once, with the device and channel that the mappings of the config expect. A
saved example is pinned, and played in every situation in which it passed when it was saved.
"""

from collections.abc import Iterable, Mapping

from conductor.domain.config import Config
from conductor.domain.examples import (
    DEFAULT_TIME_TOLERANCE_MS,
    Example,
    ExampleResult,
    ExpectedAction,
)
from conductor.engine.examples.devices import resolve_device_names
from conductor.engine.examples.match import ExpectedActionMatcher, parse_expected_action
from conductor.engine.examples.outcome import find_effect_difference
from conductor.engine.examples.play import ExamplePlayer, PlayedAction, PlayedExample
from conductor.engine.examples.reasons import explain_missing_action
from conductor.engine.examples.situations import ExampleSituation, select_situations
from conductor.errors import BadScript


def run_examples(player: ExamplePlayer, examples: Iterable[Example]) -> list[ExampleResult]:
    """Play each example on a newly started engine, and return the results in the same order."""
    return [run_example_with_player(player, example) for example in examples]


def run_example(config: Config, example: Example) -> ExampleResult:
    """Play one example under a config, and return whether its gesture triggered the expected actions."""
    return run_example_with_player(ExamplePlayer(config), example)


def run_example_with_player(player: ExamplePlayer, example: Example) -> ExampleResult:
    """Play one example with a player whose config is already compiled, and return the result."""
    fired: tuple[str, ...] = ()
    try:
        for situation, played in player.play_example(
            example, lambda known: select_situations(example, known)
        ):
            problem = find_mismatch(example, played)
            if problem is not None or not fired:
                fired = tuple(action.describe() for action in played.list_fired_mappings())
            if problem is not None:
                problem_text = _append_situation(problem, situation) + _describe_changes(
                    example, played
                )
                return ExampleResult(
                    example=example, passed=False, fired=fired, problem=problem_text
                )
    except BadScript as error:
        return ExampleResult(example=example, passed=False, problem=f"the gesture: {error}")
    return ExampleResult(example=example, passed=True, fired=fired)


def find_mismatch(example: Example, played: PlayedExample) -> str | None:
    """Return the first difference between expected and played actions as a sentence,
    or None if they are equal.
    """
    names = resolve_device_names(example.devices, played.config)
    fired, effects = played.list_fired_mappings(), played.list_effects()
    problem = _compare_actions(example.expect, fired, played, names)
    if problem is None and example.effects is not None:
        problem = _compare_actions(example.effects, effects, played, names)
    if problem is None and example.done is not None:
        problem = find_effect_difference(
            example.done, played.list_pinned_effects(), example.done_tolerance_ms
        )
    if problem is None and example.pinned and played.ended_in != (example.ends_in or played.mode):
        wanted = example.ends_in or played.mode
        problem = f"it should end in mode {wanted}, but ends in {played.ended_in}"
    return problem


def _compare_actions(
    expect: tuple[ExpectedAction, ...],
    happened: list[PlayedAction],
    played: PlayedExample,
    names: Mapping[str, str],
) -> str | None:
    expected = [parse_expected_action(action, names) for action in expect]
    problem = next((action.problem for action in expected if action.problem), None)
    if problem is not None:
        return problem
    for index, wanted in enumerate(expected):
        if index >= len(happened):
            return _describe_missing_action(played, wanted, after=bool(happened))
        if not _matches_expected(wanted, happened[index]):
            return _describe_other_action(played, expected[index:], happened[index:])
        late = _describe_timing_mismatch(expect[index], happened[index])
        if late is not None:
            return late
    if len(happened) > len(expected):
        subject = "nothing more" if expected else "nothing"
        return f"{subject} should fire, but {happened[len(expected)].describe()} did"
    return None


def _matches_expected(wanted: ExpectedActionMatcher, found: PlayedAction) -> bool:
    return wanted.matches_action(found.action, found.resolved)


def _describe_missing_action(
    played: PlayedExample, wanted: ExpectedActionMatcher, *, after: bool
) -> str:
    nothing = "nothing more fired" if after else "nothing fired"
    reason = explain_missing_action(played.config, played.traces, wanted)
    return f"expected {wanted.describe()}, {nothing}: {reason}"


def _describe_other_action(
    played: PlayedExample, expected: list[ExpectedActionMatcher], happened: list[PlayedAction]
) -> str:
    """Return a sentence about an unexpected action, which is additional, or follows or
    replaces an expected one.
    """
    wanted, found = expected[0], happened[0]
    if any(_matches_expected(wanted, action) for action in happened[1:]):
        return f"{found.describe()} fired before the expected {wanted.describe()}"
    if found.resolved not in (None, found.action):
        return f"expected {wanted.describe()}, but {found.describe()} fired"
    reason = explain_missing_action(played.config, played.traces, wanted)
    if any(_matches_expected(action, found) for action in expected[1:]):
        return f"expected {wanted.describe()}, it did not fire: {reason}"
    return f"expected {wanted.describe()}, but {found.describe()} fired: {reason}"


def _describe_timing_mismatch(expected: ExpectedAction, found: PlayedAction) -> str | None:
    at_ms = expected.at_ms
    tolerance = (
        DEFAULT_TIME_TOLERANCE_MS if expected.tolerance_ms is None else expected.tolerance_ms
    )
    if expected.any_time or at_ms is None or abs(found.time_ms - at_ms) <= tolerance:
        return None
    return (
        f"expected {expected.type} at {at_ms:g} ms, give or take {tolerance:g}: {found.describe()}"
    )


def _append_situation(problem: str, situation: ExampleSituation) -> str:
    return f"{situation.label}: {problem}" if situation.label else problem


def _describe_changes(example: Example, played: PlayedExample) -> str:
    """Return notes on how the modes and devices of a saved example have changed since it was saved."""
    if not example.pinned:
        return ""
    notes: list[str] = []
    if example.from_start and example.mode not in (None, played.mode):
        notes.append(f"Conductor starts in mode {played.mode} now, not in {example.mode}")
    for name, now in resolve_device_names(example.devices, played.config).items():
        if now.startswith("raw:"):
            notes.append(f"the device that was called {name} has no alias now")
        elif now != name:
            notes.append(f"the device that was called {name} is {now} now")
    return "".join(f"; {note}" for note in notes)
