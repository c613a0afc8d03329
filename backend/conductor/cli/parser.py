"""An argument parser that suggests the closest name for a mistyped command or option."""

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any, NoReturn

from conductor.base.suggestions import format_suggestion

_CHOICE = re.compile(r".*invalid choice: '(?P<word>.*?)' \(choose from (?P<known>.*)\)", re.DOTALL)


class SuggestingParser(ArgumentParser):
    """Also the class of the parsers of its commands, which argparse takes from the parent."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.set_defaults(parser=self)  # the parser of the innermost command wins

    def parse(self, argv: Sequence[str]) -> Namespace:
        """Parse arguments; the command with an unknown option reports it, as it knows its own options."""
        args, unknown = self.parse_known_args(argv)
        if unknown:
            args.parser.reject(unknown)
        return args

    def reject(self, unknown: Sequence[str]) -> NoReturn:
        """End the program because of unknown arguments, with the option that was probably meant."""
        option = next((word.partition("=")[0] for word in unknown if word.startswith("-")), "")
        options = [name for name in self._option_string_actions if name.startswith("--")]
        hint = format_suggestion(option, options) if option else ""
        known = hint if "did you mean" in hint else f"; see `{self.prog} --help`"
        self.error(f"unrecognized arguments: {' '.join(unknown)}{known}")

    def error(self, message: str) -> NoReturn:
        """Write the usage and the error, with the closest name for an invalid choice; exit with 2."""
        found = _CHOICE.fullmatch(message)
        if found is not None:
            known = re.findall(r"[\w-]+", found["known"])
            hint = format_suggestion(found["word"], known)
            if "did you mean" in hint:
                message = f"{message[: message.index(' (choose from')]}{hint}"
        super().error(message)
