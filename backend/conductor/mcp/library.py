"""Imports the modules that need the MCP library, which takes a second, in one thread at a time.

Agents and the user's MCP servers load it in threads of their own. Two threads that enter the library at
different modules wait for each other's import locks; Python then breaks off one import with an error.
"""

from importlib import import_module
from threading import Lock

_IMPORT_LOCK = Lock()
_MAX_ATTEMPTS = 5


def import_serially(*names: str) -> None:
    """Import modules as soon as no other thread imports any through this function."""
    with _IMPORT_LOCK:
        for name in names:
            _import_with_retries(name)


def _import_with_retries(name: str) -> None:
    """Import a module, again if an import of somebody else made Python break it off.

    Other libraries import the MCP library too, when they are first used. The other import goes on after this
    one was broken off, so the next attempt only waits for it.
    """
    for attempts_left in reversed(range(_MAX_ATTEMPTS)):
        try:
            import_module(name)
        except RuntimeError as error:  # Python's own class for it is private
            if attempts_left == 0 or "deadlock" not in str(error):
                raise
        else:
            return
