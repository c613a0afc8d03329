"""Serves Conductor's own server with its own skills: `python -m tests.conformance.serve_skills` prints its port."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conductor.base.paths import get_home_folder
from conductor.domain.settings import LlmMcp, SkillsSettings
from conductor.mcp.server.deps import ServerDeps
from conductor.mcp.server.http import build_http_server
from conductor.mcp.server.protocol import build_mcp_server
from conductor.mcp.server.resources import ResourceUpdates
from conductor.skills.library import SkillLibrary


class NoTools:
    """A gate with nothing behind it: the skills need none."""

    def list_agent_tools(self) -> tuple[()]:
        return ()


def deps(folder: Path, settings: Callable[[], SkillsSettings] = SkillsSettings) -> ServerDeps:
    nothing: Any = NoTools()
    skills = SkillLibrary(folder, settings=settings)
    return ServerDeps(nothing, nothing, LlmMcp, "1", folder, lambda _text: None, lambda: skills)


async def serve() -> None:
    """Serve until standard input ends."""
    mcp_server = build_mcp_server(deps(get_home_folder()), ResourceUpdates())
    server = build_http_server(mcp_server, 0, lambda _header: True)
    await server.start()
    print(server.port, flush=True)  # noqa: T201
    await asyncio.to_thread(sys.stdin.read)
    await server.stop()


if __name__ == "__main__":
    asyncio.run(serve())
