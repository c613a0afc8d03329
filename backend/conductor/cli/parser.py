"""An argument parser that suggests the closest name for a mistyped command or option."""

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any, NoReturn

from conductor.base.suggestions import format_suggestion

_INVALID_CHOICE = re.compile(
    r".*invalid choice: '(?P<word>.*?)' \(choose from (?P<known>.*)\)", re.DOTALL
)


class SuggestingParser(ArgumentParser):
    """An `ArgumentParser` that suggests names. Argparse uses the same class for the parsers of subcommands."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.set_defaults(parser=self)  # the innermost subcommand sets this last

    def parse(self, argv: Sequence[str]) -> Namespace:
        """Parse the arguments. If any are unknown, print a suggestion and exit with status 2."""
        args, unknown = self.parse_known_args(argv)
        if unknown:
            args.parser.reject_unknown_arguments(unknown)
        return args

    def reject_unknown_arguments(self, unknown: Sequence[str]) -> NoReturn:
        """Print an error about unknown arguments with the most similar option, and exit with status 2."""
        option = next((word.partition("=")[0] for word in unknown if word.startswith("-")), "")
        options = [name for name in self._option_string_actions if name.startswith("--")]
        hint = format_suggestion(option, options) if option else ""
        known = hint if "did you mean" in hint else f"; see `{self.prog} --help`"
        self.error(f"unrecognized arguments: {' '.join(unknown)}{known}")

    def error(self, message: str) -> NoReturn:
        """Print the usage and the error to standard error, and exit with status 2.

        If the user chose a name that does not exist, the message suggests the most similar one.
        """
        found = _INVALID_CHOICE.fullmatch(message)
        if found is not None:
            known = re.findall(r"[\w-]+", found["known"])
            hint = format_suggestion(found["word"], known)
            if "did you mean" in hint:
                message = f"{message[: message.index(' (choose from')]}{hint}"
        super().error(message)
