"""Imports the modules that need the MCP library, which takes a second, in one thread at a time.

Agents and the user's MCP servers load it in threads of their own. Two threads that enter the library at
different modules wait for each other's import locks; Python then breaks off one import with an error.
"""

from importlib import import_module
from threading import Lock

_LOCK = Lock()


def import_in_turn(*names: str) -> None:
    """Import modules as soon as no other thread imports any through this function."""
    with _LOCK:
        for name in names:
            import_module(name)
