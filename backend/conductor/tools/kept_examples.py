"""Applies a config change to the stored examples: renames modes in them and finds broken ones."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from conductor.domain.config import Config
from conductor.domain.example_names import rename_in_example
from conductor.domain.examples import Example, ExampleResult
from conductor.domain.renames import Renames, find_renames
from conductor.engine.examples.check import run_example_on
from conductor.engine.examples.pin import pin_example_on
from conductor.engine.examples.play import ExamplePlayer

if TYPE_CHECKING:
    from conductor.storage.examples import Examples


def rename_in_examples(old: Config, new: Config, examples: "Examples") -> None:
    """Rename modes in the stored examples in the same way as the config change renamed them."""
    renames = find_renames(old, new)
    if renames.modes:
        examples.update(lambda example: rename_in_example(example, renames))


class ExampleBreaks(NamedTuple):
    """The results of the stored examples under a new config."""

    results: tuple[ExampleResult, ...]
    broken: tuple[ExampleResult, ...]
    """The results that pass on the old config and fail on the new one."""


def find_breaks(old: Config, new: Config, kept: Iterable[Example]) -> ExampleBreaks:
    """Play examples on a new config, and play the failing ones on the old config too.

    The examples may use the mode names of either config: the old names before a change is made, and the
    new names after it. The results contain the examples as they were passed in.
    """
    stage, renames = ExamplePlayer(new), find_renames(old, new)
    results = tuple(_play_example(stage, example, renames) for example in kept)
    failing = [result for result in results if not result.passed]
    if not failing:
        return ExampleBreaks(results, ())
    stage, renames = ExamplePlayer(old), find_renames(new, old)
    return ExampleBreaks(
        results, tuple(row for row in failing if _play_example(stage, row.example, renames).passed)
    )


def _play_example(stage: ExamplePlayer, example: Example, renames: Renames) -> ExampleResult:
    result = run_example_on(stage, rename_in_example(example, renames))
    return result.model_copy(update={"example": example})


def pin_older_examples(config: Config, examples: "Examples") -> None:
    """Add the current devices and defaults to examples that an older release stored without them.

    Examples that do not pass are left as they are.
    """
    stage = ExamplePlayer(config)
    examples.update(lambda one: one if one.pinned else pin_example_on(stage, one))


def describe_break(broken: ExampleResult, reason: str) -> str:
    """Return a sentence that reports a broken example and how to undo the change."""
    revert = "redo" if reason == "undo" else "undo"
    return (
        f"This change ({reason}) broke your example `{broken.example.name}`: {broken.problem}."
        f" {revert.capitalize()} reverts it (`conductor {revert}`)"
    )
