"""Renames modes in the saved examples after a change of the config, and finds the examples that the change
broke.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from conductor.domain.config import Config
from conductor.domain.example_names import rename_modes_in_example
from conductor.domain.examples import Example, ExampleResult
from conductor.domain.renames import Renames, find_renames
from conductor.engine.examples.check import run_example_with_player
from conductor.engine.examples.pin import pin_example_with_player
from conductor.engine.examples.play import ExamplePlayer

if TYPE_CHECKING:
    from conductor.storage.examples import Examples


def rename_modes_in_examples(old: Config, new: Config, examples: "Examples") -> None:
    """Rename modes in the saved examples in the same way as a change of the config renamed them."""
    renames = find_renames(old, new)
    if renames.modes:
        examples.update_examples(lambda example: rename_modes_in_example(example, renames))


class ExampleBreaks(NamedTuple):
    """The results of the saved examples under a new config, and those among them that the change broke."""

    results: tuple[ExampleResult, ...]
    broken: tuple[ExampleResult, ...]
    """The results of the examples that pass under the old config and fail under the new one."""


def find_broken_examples(
    old: Config, player: ExamplePlayer, examples: Iterable[Example]
) -> ExampleBreaks:
    """Play examples on the new config of a player, and those that fail also on the old config.

    The examples may use the mode names of either config: the old names before a change is made, and the new
    names afterwards. The results contain the examples as they were given.
    """
    new = player.config
    renames = find_renames(old, new)
    results = tuple(_play_example(player, example, renames) for example in examples)
    failing = [result for result in results if not result.passed]
    if not failing:
        return ExampleBreaks(results, ())
    player, renames = ExamplePlayer(old), find_renames(new, old)
    return ExampleBreaks(
        results, tuple(row for row in failing if _play_example(player, row.example, renames).passed)
    )


def _play_example(player: ExamplePlayer, example: Example, renames: Renames) -> ExampleResult:
    result = run_example_with_player(player, rename_modes_in_example(example, renames))
    return result.model_copy(update={"example": example})


def add_defaults_to_older_examples(config: Config, examples: "Examples") -> None:
    """Add the current devices and defaults to examples that an older release saved without them.

    Examples that do not pass are not changed.
    """
    player = ExamplePlayer(config)
    examples.update_examples(
        lambda example: example if example.pinned else pin_example_with_player(player, example)
    )


def describe_broken_example(broken: ExampleResult, reason: str) -> str:
    """Return a message for the user about a broken example, with the command that reverts the change."""
    revert = "redo" if reason == "undo" else "undo"
    return (
        f"This change ({reason}) broke your example `{broken.example.name}`: {broken.problem}."
        f" {revert.capitalize()} reverts it (`conductor {revert}`)"
    )
