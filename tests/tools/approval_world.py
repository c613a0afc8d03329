"""A desk of approvals over a real database, with skills to ask about and a user who answers."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from conductor.config.parse import load_config_with_notes
from conductor.domain.approvals import ApprovalView, Decision
from conductor.domain.config import Config
from conductor.domain.plan import Requester
from conductor.storage.database import Database
from conductor.storage.grants import Grants
from conductor.tools.approval.approvals import Approvals
from conductor.tools.approval.permission import PermissionRequest
from conductor.tools.context import SkillContext
from conductor.tools.params import Params
from conductor.tools.registry import Tool, ToolRegistry

WINDOW = Requester(caller="window", client="Conductor")
TERMINAL = Requester(caller="cli", client="terminal")
CHAT = Requester(caller="chat", conversation_id="c1")
OTHER_CHAT = Requester(caller="chat", conversation_id="c2")
AGENT = Requester(caller="mcp", client="claude", pid=7, executable="/usr/bin/node")
BARE = Requester(caller="bare", pid=8, executable="/usr/bin/nc")
PAD = Requester(caller="pad")
PLUGINS = """
[[modes]]
name = "Default"
[[modes.mappings]]
trigger = { type = "Note", note = 36 }
action = { type = "Sequence", actions = [
  { type = "Plugin", server = "lamp", tool = "set" },
  { type = "Repeat", count = 2, action = { type = "Plugin", server = "obs", tool = "scene" } },
] }
[[modes.mappings]]
enabled = false
trigger = { type = "Note", note = 37 }
action = { type = "Plugin", server = "lamp", tool = "explode" }
"""
T = TypeVar("T")
registry = ToolRegistry()


class Anything(Params):
    url: str = ""


@registry.skill(
    "fetch", "Web page", "network", "network", requires_approval=True, origin="a web page"
)
async def fetch(params: Anything, context: SkillContext) -> Anything:
    """Read a web page."""
    return params


@registry.skill("search", "Web search", "network", "network", origin="web pages")
async def search(params: Anything, context: SkillContext) -> Anything:
    """Search the web."""
    return params


@registry.skill("fetch", "Web page", "network", "network", requires_approval=True)
async def forget(params: Anything, context: SkillContext) -> Anything:
    """Delete what is kept of a web page."""
    return params


@registry.skill("files", "File reading", "enhanced", "productivity", origin="a file of the user")
async def files(params: Anything, context: SkillContext) -> Anything:
    """Read a file."""
    return params


@registry.skill("sums", "Calculator", "core", "productivity")
async def sums(params: Anything, context: SkillContext) -> Anything:
    """Calculate."""
    return params


def tool(name: str) -> Tool:
    found = registry.find_tool(f"conductor_{name}")
    assert found is not None
    return found


def foreign(server: str, name: str, identity: str = "sha256:1") -> Tool:
    full = f"mcp:{server}:{name}"
    return replace(
        tool("fetch"),
        name=full,
        skill_id=full,
        title=name,
        skill_tier="integration",
        identity=identity,
        origin=f"MCP server {server}",
    )


FETCH, SEARCH, SUMS, FILES = map(tool, ("fetch", "search", "sums", "files"))
LAMP = foreign("lamp", "set")
PAGE = {"url": "https://example.org/a"}
SAME_HOST = {"url": "https://example.org/b"}
OTHER_HOST = {"url": "https://example.com/a"}


class ApprovalStage:
    """A desk over a real database, with a user who answers what is told."""

    def __init__(self, home: Path, timeout_s: float = 30.0) -> None:
        self.grants = Grants(Database(home / "conductor.db"))
        self.config: Config = load_config_with_notes(PLUGINS).config
        self.told: list[ApprovalView] = []
        self.answers: list[Callable[[ApprovalView], object]] = []
        self.is_user_present = True
        self.approvals = Approvals(
            lambda: self.grants,
            lambda: self.config,
            self._tell,
            lambda: self.is_user_present,
            timeout_s=timeout_s,
        )

    def _tell(self, view: ApprovalView) -> None:
        self.told.append(view)
        if view.state == "pending" and self.answers:
            answer = self.answers.pop(0)
            asyncio.get_running_loop().call_soon(answer, view)

    def user(self, *decisions: Decision, by: Requester = WINDOW) -> None:
        """Answer the next questions with this decision."""
        for decision in decisions:
            self.answers.append(
                lambda view, decision=decision: self.approvals.decide_request(
                    view.approval_id, decision, by
                )
            )

    async def ask(self, of: Tool, by: Requester = CHAT, /, **arguments: Any) -> str:
        return await self.approvals.require_permission(PermissionRequest(of, arguments, by))

    @property
    def questions(self) -> int:
        return len([view for view in self.told if view.state == "pending"])


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(work, 30))
