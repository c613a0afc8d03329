"""How this very Conductor is started: from source, or as the packaged program."""

import sys


def command() -> list[str]:
    """Give the command; its arguments follow."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    return [sys.executable, "-m", "conductor"]
