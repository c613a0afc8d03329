"""Imports modules that need the MCP library in one thread at a time, to avoid import deadlocks.

Importing the library takes about a second, so agents and the user's MCP servers do it in threads of their
own. Two threads that import different modules of the library can wait for each other's import locks. Python
then raises an error in one of them.
"""

from importlib import import_module
from threading import Lock

_IMPORT_LOCK = Lock()
_MAX_IMPORT_ATTEMPTS = 5


def import_modules_serially(*names: str) -> None:
    """Import modules under a lock, so that only one thread at a time imports through this function."""
    with _IMPORT_LOCK:
        for name in names:
            _import_with_retries(name)


def _import_with_retries(name: str) -> None:
    """Import a module. If Python reports an import deadlock with another thread, try again.

    Other libraries import the MCP library on first use, without the lock. Their import continues after the
    error, so the next attempt only waits until it is complete.
    """
    for attempts_left in reversed(range(_MAX_IMPORT_ATTEMPTS)):
        try:
            import_module(name)
        except RuntimeError as error:  # the class that Python raises is private
            if attempts_left == 0 or "deadlock" not in str(error):
                raise
        else:
            return
