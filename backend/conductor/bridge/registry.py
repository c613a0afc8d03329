"""Registers the functions that pages can call as commands.

A plain function runs on a worker thread and may block. An `async` function runs on the event loop and must
not block.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from conductor.base.json_types import JsonObject
from conductor.bridge.services import Call

P = TypeVar("P", bound=BaseModel)
R = TypeVar("R")


@dataclass(frozen=True)
class Command:
    """A command that pages can call, with its function, its parameters and its tier."""

    name: str
    run: Callable[[Any, Call], Any]
    params: type[BaseModel]
    result: type[BaseModel]
    tier: str | None
    """The tier of the command in the audit log, or None if its calls are not logged."""
    unlogged_params: tuple[str, ...]
    """The names of the parameters that are left out of the audit log."""
    is_async: bool
    """Whether the function is a coroutine, which runs on the event loop."""
    makes_changes: bool
    """Whether the command makes changes, so that a page must be confirmed to call it."""


COMMANDS: dict[str, Command] = {}
"""All commands by name. Importing `conductor.bridge.commands` registers them."""


def command(
    name: str, tier: str | None = None, unlogged_params: tuple[str, ...] = ()
) -> Callable[[Callable[[P, Call], R]], Callable[[P, Call], R]]:
    """Register a function as a command. Unless its tier is `read_only`, it makes changes and its calls are
    logged.

    Raises:
        ValueError: Another command has this name.
    """
    return _register_function(name, tier, unlogged_params, makes_changes=tier != "read_only")


def query(name: str) -> Callable[[Callable[[P, Call], R]], Callable[[P, Call], R]]:
    """Register a function as a read-only command.

    Its calls are not logged, and a page need not be confirmed to make them.

    Raises:
        ValueError: Another command has this name.
    """
    return _register_function(name, None, (), makes_changes=False)


def _register_function(
    name: str, tier: str | None, unlogged_params: tuple[str, ...], *, makes_changes: bool
) -> Callable[[Callable[[P, Call], R]], Callable[[P, Call], R]]:
    def register(function: Callable[[P, Call], R]) -> Callable[[P, Call], R]:
        if name in COMMANDS:
            raise ValueError(f"two commands have the name `{name}`; rename one of them")
        hints: JsonObject = function.__annotations__
        COMMANDS[name] = Command(
            name=name,
            run=function,
            params=hints["params"],
            result=hints["return"],
            tier=tier,
            unlogged_params=unlogged_params,
            is_async=inspect.iscoroutinefunction(function),
            makes_changes=makes_changes,
        )
        return function

    return register
