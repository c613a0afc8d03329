"""What the tools of a request cost in tokens: at first, after three were found, with 60 of others connected.

S4 counts skills alone: the tool that finds skills, and what it found. Conductor's chat also always sends a
core of its own tools, which do its main job without a search; that is a row of its own, and no aim of S4's.
"""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.bench.rig import Unmeasured
from tests.bench.rows import Row
from tests.mcp_client.rig import ClientRig, module, npm, open_rig

from conductor.agent.tokens import estimate_tool_spec_tokens
from conductor.agent.tools_for_model import choose_tools_to_send, estimate_tool_tokens
from conductor.mcp.client.values import ConsentedServer
from conductor.tools.catalog import REGISTRY
from conductor.tools.discovery import find_matching_tools
from conductor.tools.registry import Tool

CONNECTED = 60
START_AIM, THREE_AIM = 250, 700
WINDOW = 200_000
ASKED = (
    ("calculate a percentage", "conductor_calculate"),
    ("save a note", "conductor_add_note"),
    ("current time in a time zone", "mcp:time:get_current_time"),
)
"""What a conversation that needs three tools looks for, and the tool that it then uses.

All that a search finds is sent from then on, not only what is used: that is what counts here.
"""


def measure() -> list[Row]:
    """Connect real servers of others, and count what a request would send."""
    with tempfile.TemporaryDirectory(prefix="conductor-bench-") as folder:
        foreign = asyncio.run(_foreign(Path(folder)))
    own = list(REGISTRY.list_tools())
    return [*_rows(own, foreign, "skills alone"), *_rows(own, foreign, "with the core of the chat")]


async def _foreign(folder: Path) -> list[Tool]:
    """Return the tools of real servers, as they are registered."""
    async with open_rig(folder) as rig:
        for server in _servers(folder):
            await rig.manager.start(server)
            _require_ready(rig, server.name)
        found = list(rig.registry.list_tools())
    if len(found) < CONNECTED:
        raise Unmeasured(f"the servers have {len(found)} tools, not {CONNECTED}")
    return found[:CONNECTED]


def _servers(folder: Path) -> list[ConsentedServer]:
    return [
        module("mcp_server_time", server="time"),
        npm("memory", server="memory"),
        npm("filesystem", str(folder), server="files"),
        module("mcp_server_git", server="git"),
        npm("everything", "stdio", server="everything"),
        npm("filesystem", str(folder), server="backup"),
    ]


def _require_ready(rig: ClientRig, name: str) -> None:
    view = rig.view(name)
    if view.state != "ready":
        raise Unmeasured(f"the MCP server {name} did not start: {view.problem}")


def _rows(own: Sequence[Tool], foreign: Sequence[Tool], what: str) -> list[Row]:
    """Return the three counts; skills alone are those that are not about mapping."""
    is_alone = what == "skills alone"
    mine = [tool for tool in own if tool.tier == "skill" or not is_alone]
    both = [*mine, *foreign]
    found, used = _found(both)
    counts = (
        (
            "a conversation that needs none",
            estimate_tool_spec_tokens(choose_tools_to_send(mine, WINDOW)),
            START_AIM,
            "",
        ),
        (
            "after three searches",
            estimate_tool_spec_tokens(choose_tools_to_send(both, WINDOW, found)),
            THREE_AIM,
            f"{len(found)} found",
        ),
        (
            "of these, the three that were used",
            estimate_tool_spec_tokens(choose_tools_to_send(both, WINDOW, used)),
            0,
            "",
        ),
        (
            f"{CONNECTED} tools of others connected",
            estimate_tool_spec_tokens(choose_tools_to_send(both, WINDOW)),
            START_AIM,
            "",
        ),
        ("everything at once", sum(map(estimate_tool_tokens, both)), 0, f"{len(both)} tools"),
    )
    return [
        Row(
            f"tokens, {what}: {name}",
            f"{count:,} tokens{f' ({words})' if words else ''}",
            f"<= {aim}" if aim and is_alone else "",
            count <= aim if aim and is_alone else None,
            {"tokens": count},
        )
        for name, count, aim, words in counts
    ]


def _found(tools: Sequence[Tool]) -> tuple[list[str], list[str]]:
    """Search as a model would; gives all that was found, and the three that are used."""
    found: list[str] = []
    for query, wanted in ASKED:
        names = [tool.name for tool in find_matching_tools(tools, query).matches]
        if wanted not in names:
            raise Unmeasured(f"`{query}` finds {', '.join(names) or 'nothing'}, not {wanted}")
        found += [name for name in names if name not in found]
    return found, [wanted for _, wanted in ASKED]
