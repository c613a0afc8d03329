"""Builds the command line that starts this Conductor, and display names of the programs that connect to it."""

import os
import sys
from pathlib import Path

ONE_FILE_VARIABLE = "CONDUCTOR_ONE_FILE"
"""The variable with the path of the one-file program that the user started, set by its
launcher (build/one_file).

The file outlives the unpacked version, which the next version replaces.
"""


def build_command() -> list[str]:
    """Return the command line that starts this Conductor, to which the caller appends arguments."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    return [sys.executable, "-m", "conductor"]


def build_lasting_command() -> list[str]:
    """Return a command line for files that start Conductor later, even after an update to another version."""
    one_file = os.environ.get(ONE_FILE_VARIABLE)
    if one_file and getattr(sys, "frozen", False) and Path(one_file).is_file():
        return [one_file]
    return build_command()


def format_program_name(caller: str, executable: str | None) -> str:
    """Return the display name of a program that connects to Conductor.

    The executable of the `conductor` command is a Python interpreter, so that caller is named explicitly.
    """
    if caller == "cli":
        return "conductor"
    if caller == "window":
        return "the user"
    return (executable or "").rsplit("/", 1)[-1] or "unknown program"
