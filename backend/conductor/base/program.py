"""The command that starts this Conductor, and display names of programs that connect to it."""

import os
import sys
from pathlib import Path

ONE_FILE_VARIABLE = "CONDUCTOR_ONE_FILE"
"""Set by the launcher of the one-file program (build/one_file): the file that the user started. It outlives the
unpacked version, which the next version replaces."""


def build_command() -> list[str]:
    """Return the command line that starts this Conductor, without arguments."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    return [sys.executable, "-m", "conductor"]


def build_lasting_command() -> list[str]:
    """Return the command line to write into files that start Conductor later, perhaps another version."""
    one_file = os.environ.get(ONE_FILE_VARIABLE)
    if one_file and getattr(sys, "frozen", False) and Path(one_file).is_file():
        return [one_file]
    return build_command()


def format_program_name(caller: str, executable: str | None) -> str:
    """Return the display name of a caller.

    For our own command (`caller` "cli") the executable would only be a Python interpreter.
    """
    if caller == "cli":
        return "conductor"
    if caller == "window":
        return "the user"
    return (executable or "").rsplit("/", 1)[-1] or "unknown program"
