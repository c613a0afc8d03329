"""A command is one decorated function: its annotations say what it takes and gives.

A plain function runs on a worker and may wait; an `async` one runs on the event loop and may not.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from conductor.bridge.desk import Call

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
    """The tier it has in the audit log; None for what only looks, which is not logged."""
    private: tuple[str, ...]
    """Parameters that the audit log does not have."""
    waits: bool
    """Whether it runs on the event loop itself."""

    @property
    def changes(self) -> bool:
        """Check whether it does something that is the user's to do, on record or not."""
        return self.tier not in (None, "read_only") or self.name in DOES


DOES = frozenset(
    (
        "app.hide",
        "app.quit",
        "apps.call",
        "chat.attach",
        "chat.branch",
        "chat.compact",
        "chat.delete",
        "chat.edit",
        "chat.regenerate",
        "chat.rename",
        "chat.resume",
        "chat.send",
        "chat.set_model",
        "chat.stop",
        "chat.unqueue",
        "code.begin",
        "code.done",
        "code.ready",
        "devices.rescan",
        "learn.start",
        "providers.test",
        "shell.open_url",
        "shell.save_file",
        "shell.save_pdf",
        "virtual.play",
        "window.set_prefs",
    )
)
"""Commands that do something and are not in the audit log."""
COMMANDS: dict[str, Command] = {}
"""Every command by name; `conductor.bridge.commands` fills it."""


def command(
    name: str, tier: str | None = None, private: tuple[str, ...] = ()
) -> Callable[[Callable[[P, Call], R]], Callable[[P, Call], R]]:
    """Register a function as the command with this name.

    Raises:
        ValueError: the name is taken.
    """

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
        )
        return function

    return register
