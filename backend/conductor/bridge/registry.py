"""A command is one decorated function: its annotations say what it takes and gives.

A plain function runs on a worker and may wait; an `async` one runs on the event loop and may not.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from conductor.bridge.services import Call

P = TypeVar("P", bound=BaseModel)
R = TypeVar("R")


@dataclass(frozen=True)
class Command:
    """One command as the registry keeps it."""

    name: str
    run: Callable[[Any, Call], Any]
    params: type[BaseModel]
    result: type[BaseModel]
    tier: str | None
    """The tier it has in the audit log; None for what is not logged."""
    private: tuple[str, ...]
    """Parameters that the audit log does not have."""
    waits: bool
    """Whether it runs on the event loop itself."""
    changes: bool
    """Whether it does something that is the user's to do, on record or not."""


COMMANDS: dict[str, Command] = {}
"""Every command by name; `conductor.bridge.commands` fills it."""


def command(
    name: str, tier: str | None = None, private: tuple[str, ...] = ()
) -> Callable[[Callable[[P, Call], R]], Callable[[P, Call], R]]:
    """Register a function as the command with this name, which changes something unless its tier says not.

    Raises:
        ValueError: the name is taken.
    """
    return _register(name, tier, private, changes=tier != "read_only")


def query(name: str) -> Callable[[Callable[[P, Call], R]], Callable[[P, Call], R]]:
    """Register a function as a command that only reads: it is not logged, and every page may call it.

    Raises:
        ValueError: the name is taken.
    """
    return _register(name, None, (), changes=False)


def _register(
    name: str, tier: str | None, private: tuple[str, ...], *, changes: bool
) -> Callable[[Callable[[P, Call], R]], Callable[[P, Call], R]]:
    def register(function: Callable[[P, Call], R]) -> Callable[[P, Call], R]:
        if name in COMMANDS:
            raise ValueError(f"two commands are called `{name}`")
        hints: dict[str, Any] = function.__annotations__
        COMMANDS[name] = Command(
            name=name,
            run=function,
            params=hints["params"],
            result=hints["return"],
            tier=tier,
            private=private,
            waits=inspect.iscoroutinefunction(function),
            changes=changes,
        )
        return function

    return register
