"""The tool registry: a tool is one decorated function. Its risk tier decides which context it receives.

| tier          | receives            | returns                                         |
|---------------|---------------------|-------------------------------------------------|
| read_only     | a `ReadContext`     | a result                                        |
| stateful      | a `RuntimeContext`  | a result                                        |
| config_change | a `Config` value    | a `Proposal`: it becomes a plan                 |
| privileged    | a `Config` value    | a `Proposal`, for the window or terminal only   |
| hardware_io   | a `HardwareContext` | a result, after its confirmation                |
| request       | a `RequestContext`  | a result; asks for an approved plan             |
| skill         | a `SkillContext`    | a result; after the user's permission           |

A tool that changes the config has nothing to write with: it cannot skip the plan. The decorator is
overloaded on the tier, so a function that takes another tier's context is a type error.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal, TypedDict, TypeVar, overload

from conductor.base.json_types import JsonObject
from conductor.domain.config import Config
from conductor.domain.plan import ConfigPlan, Proposal, Requester
from conductor.domain.value import Value
from conductor.tools.context import (
    HardwareContext,
    ReadContext,
    RequestContext,
    RuntimeContext,
    SkillContext,
)
from conductor.tools.schema import compact_schema

Tier = Literal[
    "read_only", "stateful", "config_change", "privileged", "hardware_io", "request", "skill"
]
SkillTier = Literal["core", "enhanced", "network", "integration"]
"""What a tool needs: nothing, more of this computer, the network, or another service."""
APPROVED_TIERS = ("config_change", "privileged", "request")
Category = Literal["productivity", "developer", "network", "integrations"]
Toolset = Literal[
    "status", "mappings", "devices", "learn", "hardware", "plans", "knowledge", "skills"
]
PREFIX = "conductor_"
WIRE = re.compile(r"[^A-Za-z0-9_-]")

P = TypeVar("P", bound=Value)
R = TypeVar("R", bound=Value)
Read = Callable[[P, ReadContext], Awaitable[R]]
Runtime = Callable[[P, RuntimeContext], Awaitable[R]]
Propose = Callable[[P, Config], Proposal]
Hardware = Callable[[P, HardwareContext], Awaitable[R]]
Request = Callable[[P, RequestContext], Awaitable[R]]
Skill = Callable[[P, SkillContext], Awaitable[R]]
Check = Callable[[JsonObject], None]


class ManifestEntry(TypedDict):
    """The description of a tool that a model receives."""

    name: str
    description: str
    inputSchema: JsonObject


class ToolRisk(TypedDict):
    tier: SkillTier
    risk_tier: Tier
    requires_approval: bool
    default_enabled: bool


@dataclass(frozen=True)
class Tool:
    """A registered tool."""

    name: str
    tier: Tier
    toolset: Toolset
    title: str
    """What every surface calls the tool: approvals, chat cards, the terminal, MCP clients, the reference."""
    description: str
    run: Callable[[Any, Any], Any]
    params: type[Value]
    result: type[Value]
    foreign_input_schema: JsonObject | None = None
    """The schema of the arguments if the tool is of another program, whose `params` accept everything."""
    aliases: tuple[str, ...] = ()
    idempotent: bool = False
    skill_tier: SkillTier = "core"
    requires_approval: bool = False
    """It has no effect before the user has agreed."""
    asks_in_chat: bool = False
    """The chat's model needs the user's permission for it: the tool sends something out, writes user data or
    changes what the controls do, and a model may follow instructions in a text that it read. Other programs ask
    their own users, and a typed command comes from the user."""
    default_enabled: bool = True
    """Agents may call it unless the user's settings say otherwise."""
    skill_id: str | None = None
    """The name of a skill in Settings > Skills, such as `calculator` or `mcp:time:get_current_time`."""
    skill_title: str = ""
    """What Settings > Skills calls the skill, if it has several tools."""
    category: Category | None = None
    keywords: str = ""
    """Further search words."""
    identity: str = ""
    """A hash of a foreign tool and its program; grants end when it changes."""
    check: Check | None = None
    """Validates the arguments before the user is asked, for a foreign tool by its own schema. Raises
    InvalidParams or NotAllowed."""
    origin: str | None = None
    """The source of the result's text if that is not Conductor; the model is told."""
    for_model: bool = True
    """False for a tool that only the page of its own server calls; no manifest lists it."""

    @property
    def input_schema(self) -> JsonObject:
        """The schema of the arguments."""
        return self._input_schema

    @property
    def output_schema(self) -> JsonObject:
        """The schema of the result."""
        return self._output_schema

    # Built when first read: a start needs none of these schemas, which together take 0.12 s of CPU time.
    @cached_property
    def _input_schema(self) -> JsonObject:
        if self.foreign_input_schema is not None:
            return self.foreign_input_schema
        return compact_schema(self.params.model_json_schema())

    @cached_property
    def _output_schema(self) -> JsonObject:
        if self.foreign_input_schema is not None:
            return {"type": "object"}
        return _build_output_schema(self.result)

    @property
    def skill_label(self) -> str:
        """The title of the tool's skill in Settings > Skills."""
        return self.skill_title or self.title

    def needs_permission(self, by: Requester) -> bool:
        """Return whether the user must allow a call by this requester."""
        return self.requires_approval or (self.asks_in_chat and by.is_model)

    @property
    def wire_name(self) -> str:
        """The tool's name in a form that all model APIs accept: letters, digits, `_` and `-`, at most 64."""
        return WIRE.sub("_", self.name.replace(":", "__"))[:64]

    @property
    def is_foreign(self) -> bool:
        """Whether the tool's results and errors come from another program or the internet."""
        return self.origin is not None and self.skill_tier in ("network", "integration")

    def build_manifest_entry(self) -> ManifestEntry:
        """Return the description of the tool that a model receives."""
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.input_schema,
        }

    def get_risk(self) -> ToolRisk:
        """Return the tiers of the tool, whether it needs approval, and whether it is enabled by default."""
        return {
            "tier": self.skill_tier,
            "risk_tier": self.tier,
            "requires_approval": self.requires_approval,
            "default_enabled": self.default_enabled,
        }


class Registry:
    """All tools by name and alias."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}
        self._names: dict[str, str] = {}

    def add(self, tool: Tool) -> None:
        """Add a tool.

        Raises:
            ValueError: Its name or an alias is taken.
        """
        names = {tool.name, tool.wire_name, *tool.aliases}
        for name in names:
            if name in self._names:
                raise ValueError(f"two tools are called `{name}`")
        self._names.update(dict.fromkeys(names, tool.name))
        self._tools[tool.name] = tool

    def remove(self, name: str) -> None:
        """Remove the tool with this name, if it exists."""
        self._tools.pop(name, None)
        self._names = {alias: tool for alias, tool in self._names.items() if tool != name}

    def get(self, name: str) -> Tool | None:
        """Return the tool with this name or alias, or None."""
        known = self._names.get(name)
        return None if known is None else self._tools[known]

    def all(self) -> tuple[Tool, ...]:
        """Return all tools in the order of their definition."""
        return tuple(self._tools.values())

    def names(self) -> tuple[str, ...]:
        """Return all names and aliases of tools."""
        return tuple(self._names)

    @overload
    def tool(
        self,
        tier: Literal["read_only"],
        toolset: Toolset,
        *,
        title: str,
        aliases: tuple[str, ...] = (),
        keywords: str = "",
    ) -> Callable[[Read[P, R]], Read[P, R]]: ...
    @overload
    def tool(
        self,
        tier: Literal["stateful"],
        toolset: Toolset,
        *,
        title: str,
        aliases: tuple[str, ...] = (),
        idempotent: bool = False,
        asks_in_chat: bool = False,
        keywords: str = "",
    ) -> Callable[[Runtime[P, R]], Runtime[P, R]]: ...
    @overload
    def tool(
        self,
        tier: Literal["config_change", "privileged"],
        toolset: Toolset,
        *,
        title: str,
        aliases: tuple[str, ...] = (),
        keywords: str = "",
    ) -> Callable[[Propose[P]], Propose[P]]: ...
    @overload
    def tool(
        self,
        tier: Literal["hardware_io"],
        toolset: Toolset,
        *,
        title: str,
        requires_approval: bool = False,
        asks_in_chat: bool = False,
    ) -> Callable[[Hardware[P, R]], Hardware[P, R]]: ...
    @overload
    def tool(
        self, tier: Literal["request"], toolset: Toolset, *, title: str
    ) -> Callable[[Request[P, R]], Request[P, R]]: ...
    def tool(
        self,
        tier: Tier,
        toolset: Toolset,
        *,
        title: str,
        aliases: tuple[str, ...] = (),
        idempotent: bool = False,
        requires_approval: bool = False,
        asks_in_chat: bool = False,
        keywords: str = "",
    ) -> Callable[[Any], Any]:
        """Register a function as a tool.

        Its name, description and schemas are taken from the function.
        """
        return self._build_decorator(
            tier,
            toolset,
            aliases=aliases,
            idempotent=idempotent,
            requires_approval=requires_approval,
            asks_in_chat=asks_in_chat,
            title=title,
            keywords=keywords,
        )

    def skill(
        self,
        skill_id: str,
        title: str,
        skill_tier: SkillTier,
        category: Category,
        *,
        skill_title: str = "",
        keywords: str = "",
        idempotent: bool = False,
        requires_approval: bool = False,
        asks_in_chat: bool = False,
        origin: str | None = None,
        check: Check | None = None,
    ) -> Callable[[Skill[P, R]], Skill[P, R]]:
        """Register a function as a built-in skill, which is a capability of the assistant beyond mapping."""
        return self._build_decorator(
            "skill",
            "skills",
            idempotent=idempotent,
            requires_approval=requires_approval,
            asks_in_chat=asks_in_chat,
            skill_tier=skill_tier,
            default_enabled=skill_tier in ("core", "enhanced"),
            skill_id=skill_id,
            title=title,
            skill_title=skill_title,
            category=category,
            keywords=keywords,
            origin=origin,
            check=check,
        )

    def _build_decorator(
        self,
        tier: Tier,
        toolset: Toolset,
        *,
        title: str,
        aliases: tuple[str, ...] = (),
        idempotent: bool = False,
        requires_approval: bool = False,
        **more: Any,
    ) -> Callable[[Any], Any]:

        def register(function: Any) -> Any:
            params, result = function.__annotations__["params"], function.__annotations__["return"]
            if tier in ("config_change", "privileged"):
                result = ConfigPlan
            self.add(
                Tool(
                    name=PREFIX + function.__name__,
                    tier=tier,
                    toolset=toolset,
                    title=title,
                    description=re.sub(r"\s+", " ", function.__doc__ or "").strip(),
                    run=function,
                    params=params,
                    result=result,
                    aliases=tuple(PREFIX + alias for alias in aliases),
                    idempotent=idempotent or tier in ("read_only", "request"),
                    requires_approval=requires_approval or tier in APPROVED_TIERS,
                    **more,
                )
            )
            return function

        return register


@cache  # 21 tools return a plan, whose schema takes 25 ms
def _build_output_schema(result: type[Value]) -> JsonObject:
    return compact_schema(result.model_json_schema(mode="serialization"))


REGISTRY = Registry()
"""The built-in tools; filled by `conductor.tools.catalog`."""
