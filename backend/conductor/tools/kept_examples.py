"""Follows the kept examples through a change of the config: carries renames over, finds what it broke."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from conductor.domain.config import Config
from conductor.domain.example_names import rename_in_example
from conductor.domain.examples import Example, ExampleResult
from conductor.domain.renamed import renamed_modes
from conductor.engine.example_pin import pin_on
from conductor.engine.example_play import Stage
from conductor.engine.examples import run_on

if TYPE_CHECKING:
    from conductor.storage.examples import Examples


def carry_over(old: Config, new: Config, examples: "Examples") -> None:
    """Rename modes in the kept examples as a change of the config renamed them."""
    names = renamed_modes(old, new)
    if names:
        examples.update(lambda one: rename_in_example(one, names))


def find_breaks(
    old: Config, new: Config, kept: Iterable[Example]
) -> tuple[tuple[ExampleResult, ...], tuple[ExampleResult, ...]]:
    """Play examples on a new config: return all results, and those that held on the old one and fail now.

    The examples have the names of the new config.
    """
    stage = Stage(new)
    results = tuple(run_on(stage, one) for one in kept)
    failing = [one for one in results if not one.passed]
    if not failing:
        return results, ()
    before, names = Stage(old), renamed_modes(new, old)
    broken = tuple(
        one for one in failing if run_on(before, rename_in_example(one.example, names)).passed
    )
    return results, broken


def pin_older(config: Config, examples: "Examples") -> None:
    """Pin the examples that were kept before examples were pinned, if they hold now."""
    stage = Stage(config)
    examples.update(lambda one: one if one.pinned else pin_on(stage, one))


def break_words(broken: ExampleResult, reason: str) -> str:
    """Return what a change broke and what takes it back, as a person reads it."""
    back = "redo" if reason == "undo" else "undo"
    return (
        f"This change ({reason}) broke your example `{broken.example.name}`: {broken.problem}."
        f" {back.capitalize()} takes it back (`conductor {back}`)"
    )
