"""How this very Conductor is started, and what the programs that talk to it are called."""

import sys


def command() -> list[str]:
    """Return the command; its arguments follow."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    return [sys.executable, "-m", "conductor"]


def program_name(caller: str, executable: str | None) -> str:
    """Name a program for the user: our own command is a script, whose executable is some Python."""
    return "conductor" if caller == "cli" else (executable or "").rsplit("/", 1)[-1] or "somebody"
