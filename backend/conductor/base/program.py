"""The command that starts this Conductor, and display names of programs that connect to it."""

import sys


def build_command() -> list[str]:
    """Return the command line that starts this Conductor, without arguments."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    return [sys.executable, "-m", "conductor"]


def format_program_name(caller: str, executable: str | None) -> str:
    """Return the display name of a caller.

    For our own command (`caller` "cli") the executable would only be a Python interpreter.
    """
    if caller == "cli":
        return "conductor"
    if caller == "window":
        return "the user"
    return (executable or "").rsplit("/", 1)[-1] or "unknown program"
