"""The services that the MCP server depends on, as protocols."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from conductor.base.json_types import JsonObject
from conductor.domain.plan import ConfigPlan, Requester
from conductor.domain.settings import LlmMcp
from conductor.errors import ConductorError

if TYPE_CHECKING:
    from conductor.skills.library import SkillLibrary


class Tool(Protocol):
    """A tool with the fields that agents see, implemented by `tools.registry.Tool`."""

    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...
    @property
    def tier(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def input_schema(self) -> JsonObject: ...
    @property
    def output_schema(self) -> JsonObject: ...
    @property
    def idempotent(self) -> bool: ...


class Outcome(Protocol):
    """The result or the error of a tool call, implemented by `tools.executor.ToolOutcome`."""

    @property
    def result(self) -> object: ...
    @property
    def error(self) -> ConductorError | None: ...
    def to_plain(self) -> JsonObject: ...


class Gate(Protocol):
    """Lists the tools, and calls them after checking the permission. `app` implements it."""

    def list_agent_tools(self) -> Sequence[Tool]: ...
    async def call_tool(
        self, name: str, arguments: JsonObject, requester: Requester
    ) -> Outcome: ...


class Plans(Protocol):
    """Stores plans and the user's decisions on them, implemented by `config.plans`."""

    def get_plan(self, plan_id: str) -> ConfigPlan: ...
    def approve_plan(self, plan_id: str, by: Requester, shown: str = "") -> ConfigPlan: ...
    def reject_plan(self, plan_id: str, by: Requester, reason: str = "") -> ConfigPlan: ...


@dataclass(frozen=True)
class ServerDeps:
    """The services that the handlers of MCP requests use, such as the gate and the plans."""

    gate: Gate
    plans: Plans
    settings: Callable[[], LlmMcp]
    version: str
    home: Path
    report_http_problem: Callable[[str | None], None]
    """Shows the user why agents over HTTP cannot be served, or None once they can."""
    skills: Callable[[], "SkillLibrary"]
