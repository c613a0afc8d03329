"""The tool registry. A tool is a decorated function, and its risk tier determines which context it receives.

| tier          | receives            | returns                                         |
|---------------|---------------------|-------------------------------------------------|
| read_only     | a `ReadContext`     | a result                                        |
| stateful      | a `RuntimeContext`  | a result                                        |
| config_change | a `Config` value    | a `Proposal`, which becomes a plan              |
| privileged    | a `Config` value    | a `Proposal`, for the window or terminal only   |
| hardware_io   | a `HardwareContext` | a result, after its confirmation                |
| request       | a `RequestContext`  | a result; can request to apply an approved plan |
| skill         | a `SkillContext`    | a result, after the user's permission           |

A tool that changes the config receives no context that can write, so it cannot bypass the plan. The decorator
is overloaded by tier, so a function that takes the context of another tier is a type error.
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
"""What a tool accesses: nothing, more of this computer, the network, or another service."""
APPROVED_TIERS = ("config_change", "privileged", "request")
Category = Literal["productivity", "developer", "network", "integrations"]
Toolset = Literal[
    "status", "mappings", "devices", "learn", "hardware", "plans", "knowledge", "skills"
]
TOOL_NAME_PREFIX = "conductor_"
INVALID_WIRE_NAME_CHARACTERS = re.compile(r"[^A-Za-z0-9_-]")

P = TypeVar("P", bound=Value)
R = TypeVar("R", bound=Value)
ReadFunction = Callable[[P, ReadContext], Awaitable[R]]
RuntimeFunction = Callable[[P, RuntimeContext], Awaitable[R]]
PlanningFunction = Callable[[P, Config], Proposal]
HardwareFunction = Callable[[P, HardwareContext], Awaitable[R]]
RequestFunction = Callable[[P, RequestContext], Awaitable[R]]
SkillFunction = Callable[[P, SkillContext], Awaitable[R]]
ArgumentCheck = Callable[[JsonObject], None]


class ManifestEntry(TypedDict):
    """The name, the description and the input schema of a tool, as a model receives them."""

    name: str
    description: str
    inputSchema: JsonObject


class ToolRisk(TypedDict):
    """What is said about the risk of a tool: its tiers, whether it needs approval, and whether it is on by
    default.
    """

    tier: SkillTier
    risk_tier: Tier
    requires_approval: bool
    default_enabled: bool


@dataclass(frozen=True)
class Tool:
    """A tool with its name, its schemas, its tier, and the function that runs it."""

    name: str
    tier: Tier
    toolset: Toolset
    title: str
    """The name of the tool for people, in approvals, chat cards, the terminal, MCP clients and the
    reference.
    """
    description: str
    run: Callable[[Any, Any], Any]
    params: type[Value]
    result: type[Value]
    foreign_input_schema: JsonObject | None = None
    """The schema of the arguments if the tool belongs to another program.

    Its `params` then accept all arguments.
    """
    aliases: tuple[str, ...] = ()
    idempotent: bool = False
    skill_tier: SkillTier = "core"
    requires_approval: bool = False
    """Whether a call has no effect before the user has approved it."""
    asks_in_chat: bool = False
    """Whether a call of the chat's model needs the user's permission.

    This is true for a tool that sends data, writes data of the user or changes what the controls do,
    because a model may follow instructions in a text that it read. Other programs ask their own users, and
    a command that was typed comes from the user.
    """
    default_enabled: bool = True
    """Whether agents may call the tool if the user's settings do not mention it."""
    skill_id: str | None = None
    """The id of a skill in Settings > Assistant tools, such as `calculator` or `mcp:time:get_current_time`."""
    skill_title: str = ""
    """The title of the skill in Settings > Assistant tools, if the skill has several tools."""
    category: Category | None = None
    keywords: str = ""
    """Additional words by which the tool is found."""
    identity: str = ""
    """A hash of the tool of another program and of that program. If the hash changes, grants become invalid."""
    check: ArgumentCheck | None = None
    """Validates the arguments before the user is asked. Raises InvalidParams or NotAllowed."""
    origin: str | None = None
    """Where the text in the result comes from, if not from Conductor. The model is told this source."""
    for_model: bool = True
    """False for a tool that only the page of its own server may call. Such a tool is in no manifest."""

    @property
    def input_schema(self) -> JsonObject:
        """The JSON schema of the arguments."""
        return self._input_schema

    @property
    def output_schema(self) -> JsonObject:
        """The JSON schema of the result."""
        return self._output_schema

    # built on first use, because all schemas together take 0.12 s, and the start does not need them
    @cached_property
    def _input_schema(self) -> JsonObject:
        if self.foreign_input_schema is not None:
            return self.foreign_input_schema
        return compact_schema(self.params.model_json_schema())

    @cached_property
    def _output_schema(self) -> JsonObject:
        if self.foreign_input_schema is not None:
            return {"type": "object"}
        return _build_result_schema(self.result)

    @property
    def skill_label(self) -> str:
        """The title of the tool's skill in Settings > Assistant tools."""
        return self.skill_title or self.title

    def needs_permission(self, by: Requester) -> bool:
        """Return whether the user must allow a call by this requester."""
        return self.requires_approval or (self.asks_in_chat and by.is_model)

    @property
    def wire_name(self) -> str:
        """The name of the tool in the characters that all model APIs accept: at most 64 letters, digits,
        `_` and `-`.
        """
        return INVALID_WIRE_NAME_CHARACTERS.sub("_", self.name.replace(":", "__"))[:64]

    @property
    def is_foreign(self) -> bool:
        """Whether the results and errors of the tool come from another program or the internet, and are
        therefore untrusted.
        """
        return self.origin is not None and self.skill_tier in ("network", "integration")

    def build_manifest_entry(self) -> ManifestEntry:
        """Return the definition of the tool, as a model receives it."""
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.input_schema,
        }

    def build_risk(self) -> ToolRisk:
        """Return the tiers of the tool, whether it needs approval, and whether it is on by default."""
        return {
            "tier": self.skill_tier,
            "risk_tier": self.tier,
            "requires_approval": self.requires_approval,
            "default_enabled": self.default_enabled,
        }


class ToolRegistry:
    """The registered tools, which can be found by their name or an alias."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}
        self._names: dict[str, str] = {}

    def add_tool(self, tool: Tool) -> None:
        """Add a tool.

        Raises:
            ValueError: Another tool has its name or one of its aliases.
        """
        names = {tool.name, tool.wire_name, *tool.aliases}
        for name in names:
            if name in self._names:
                raise ValueError(f"two tools are called `{name}`")
        self._names.update(dict.fromkeys(names, tool.name))
        self._tools[tool.name] = tool

    def remove_tool(self, name: str) -> None:
        """Remove the tool with this name. Nothing happens if there is none."""
        self._tools.pop(name, None)
        self._names = {alias: tool for alias, tool in self._names.items() if tool != name}

    def find_tool(self, name: str) -> Tool | None:
        """Return the tool with this name or alias, or None if there is none."""
        known = self._names.get(name)
        return None if known is None else self._tools[known]

    def list_tools(self) -> tuple[Tool, ...]:
        """Return all tools in the order in which they were added."""
        return tuple(self._tools.values())

    def list_names_and_aliases(self) -> tuple[str, ...]:
        """Return the names and aliases of all tools."""
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
    ) -> Callable[[ReadFunction[P, R]], ReadFunction[P, R]]: ...
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
    ) -> Callable[[RuntimeFunction[P, R]], RuntimeFunction[P, R]]: ...
    @overload
    def tool(
        self,
        tier: Literal["config_change", "privileged"],
        toolset: Toolset,
        *,
        title: str,
        aliases: tuple[str, ...] = (),
        keywords: str = "",
    ) -> Callable[[PlanningFunction[P]], PlanningFunction[P]]: ...
    @overload
    def tool(
        self,
        tier: Literal["hardware_io"],
        toolset: Toolset,
        *,
        title: str,
        requires_approval: bool = False,
        asks_in_chat: bool = False,
    ) -> Callable[[HardwareFunction[P, R]], HardwareFunction[P, R]]: ...
    @overload
    def tool(
        self, tier: Literal["request"], toolset: Toolset, *, title: str
    ) -> Callable[[RequestFunction[P, R]], RequestFunction[P, R]]: ...
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
        """Return a decorator that registers a function as a tool.

        The name, the description and the schemas of the tool are read from the function.
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
        check: ArgumentCheck | None = None,
    ) -> Callable[[SkillFunction[P, R]], SkillFunction[P, R]]:
        """Return a decorator that registers a function as a built-in skill of the assistant."""
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
            self.add_tool(
                Tool(
                    name=TOOL_NAME_PREFIX + function.__name__,
                    tier=tier,
                    toolset=toolset,
                    title=title,
                    description=re.sub(r"\s+", " ", function.__doc__ or "").strip(),
                    run=function,
                    params=params,
                    result=result,
                    aliases=tuple(TOOL_NAME_PREFIX + alias for alias in aliases),
                    idempotent=idempotent or tier in ("read_only", "request"),
                    requires_approval=requires_approval or tier in APPROVED_TIERS,
                    **more,
                )
            )
            return function

        return register


@cache  # cached, because 21 tools return a plan, whose schema takes 25 ms
def _build_result_schema(result: type[Value]) -> JsonObject:
    return compact_schema(result.model_json_schema(mode="serialization"))


REGISTRY = ToolRegistry()
"""The built-in tools. Importing the modules of `conductor.tools.catalog` registers them."""
