"""Follows the kept examples through a change of the config: carries renames over, finds what it broke."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from conductor.domain.config import Config
from conductor.domain.example_names import rename_in_example
from conductor.domain.examples import Example, ExampleResult
from conductor.domain.renames import Renames, find_renames
from conductor.engine.examples.check import run_example_on
from conductor.engine.examples.pin import pin_example_on
from conductor.engine.examples.play import Stage

if TYPE_CHECKING:
    from conductor.storage.examples import Examples


def carry_over(old: Config, new: Config, examples: "Examples") -> None:
    """Rename modes in the kept examples as a change of the config renamed them."""
    renames = find_renames(old, new)
    if renames.modes:
        examples.update(lambda one: rename_in_example(one, renames))


class Breaks(NamedTuple):
    """What comes of kept examples on a new config."""

    results: tuple[ExampleResult, ...]
    broken: tuple[ExampleResult, ...]
    """Those that hold on the old config and fail on the new one."""


def find_breaks(old: Config, new: Config, kept: Iterable[Example]) -> Breaks:
    """Play examples on a new config, and those that fail there on the old one too.

    The examples may have the mode names of either config: before a change is made they have the old ones,
    and after it the new ones. The results carry them as they were passed in.
    """
    stage, renames = Stage(new), find_renames(old, new)
    results = tuple(_play(stage, one, renames) for one in kept)
    failing = [one for one in results if not one.passed]
    if not failing:
        return Breaks(results, ())
    stage, renames = Stage(old), find_renames(new, old)
    return Breaks(
        results, tuple(one for one in failing if _play(stage, one.example, renames).passed)
    )


def _play(stage: Stage, example: Example, renames: Renames) -> ExampleResult:
    result = run_example_on(stage, rename_in_example(example, renames))
    return result.model_copy(update={"example": example})


def pin_older(config: Config, examples: "Examples") -> None:
    """Pin the examples that were kept before examples were pinned, if they hold now."""
    stage = Stage(config)
    examples.update(lambda one: one if one.pinned else pin_example_on(stage, one))


def break_words(broken: ExampleResult, reason: str) -> str:
    """Return what a change broke and what takes it back, as a person reads it."""
    back = "redo" if reason == "undo" else "undo"
    return (
        f"This change ({reason}) broke your example `{broken.example.name}`: {broken.problem}."
        f" {back.capitalize()} takes it back (`conductor {back}`)"
    )
