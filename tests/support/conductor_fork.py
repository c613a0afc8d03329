"""Starts Conductors with a process of their own in a fifth of the time: as forks of one that has imported the app."""

import atexit
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TextIO

from tests.support.fork_server import ForkedPython, ForkServer

MODULES = (
    "conductor.cli.run",
    "conductor.app.services",
    "conductor.mcp.socket_events",
    "conductor.config.store",
    "conductor.config.watcher",
    "conductor.mcp.server.chat_plans",
    "conductor.mcp.server.protocol",
    "conductor.mcp.server.request_handler",
    "conductor.mcp.server.socket_server",
    "conductor.mcp.server.terminal_chat",
    "conductor.mcp.server.terminal_commands",
    "conductor.runtime.orphaned_keys",
    "conductor.storage.records",
)
"""What every running Conductor imports sooner or later."""
PAGE_MODULES = ("conductor.app.bridge_services", "conductor.bridge.server")
"""What it imports for a page too."""
CHAT_MODULES = ("conductor.agent.chat", "conductor.llm.sdk_provider")
"""What it imports for its first answer, with the libraries of all providers: two seconds of CPU time."""
_more: set[str] = set()


def share_imports(modules: Iterable[str]) -> None:
    """Fork from a process that has imported these modules too, from now on."""
    _more.update(modules)


def start_fork(
    arguments: Sequence[str], environment: Mapping[str, str], home: Path, *, stderr: TextIO
) -> ForkedPython:
    """Start what `python ARGUMENTS` would, which is a Conductor."""
    has_page = "--headless" not in arguments or "--browser" in arguments
    modules = (*MODULES, *PAGE_MODULES) if has_page else MODULES
    return _get_fork_server().start(
        arguments, environment, home, stderr=stderr, modules=(*modules, *sorted(_more))
    )


@cache
def _get_fork_server() -> ForkServer:
    """Start the process that forks, which ends with the tests."""
    server = ForkServer()
    atexit.register(server.close)
    return server
