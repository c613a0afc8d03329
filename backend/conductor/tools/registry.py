"""The registry: a tool is one decorated function. Its risk tier decides what it is handed.

| tier          | is handed           | gives                                           |
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
from typing import Any, Literal, TypeVar, overload

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
from conductor.tools.schema import compact

Tier = Literal[
    "read_only", "stateful", "config_change", "privileged", "hardware_io", "request", "skill"
]
SkillTier = Literal["core", "enhanced", "network", "integration"]
"""What a tool needs from the world: nothing, more of this computer, the network, another service."""
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
Check = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Tool:
    """One tool as the registry keeps it."""

    name: str
    tier: Tier
    toolset: Toolset
    description: str
    run: Callable[[Any, Any], Any]
    params: type[Value]
    result: type[Value]
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    aliases: tuple[str, ...] = ()
    idempotent: bool = False
    skill_tier: SkillTier = "core"
    requires_approval: bool = False
    """Nothing comes of it before the user has agreed."""
    asks_in_chat: bool = False
    """The chat's model calls it only with the user's word: it sends something out, writes what the user keeps
    or changes what the controls do, and a model may follow an order in a text that it read. A program has a
    user of its own to ask, and a typed command is the user's word."""
    default_enabled: bool = True
    """Agents may call it unless the user's settings say otherwise."""
    skill_id: str | None = None
    """Of a skill: the name in Settings > Skills, such as `calculator` or `mcp:time:get_current_time`."""
    title: str = ""
    category: Category | None = None
    keywords: str = ""
    """Other words that it should be found by."""
    identity: str = ""
    """Of a tool of another program: a hash of that program and of the tool; grants end when it changes."""
    check: Check | None = None
    """Looks at the arguments before the user is asked; raises InvalidParams or NotAllowed. That of another
    program's tool holds them to its own schema."""
    origin: str | None = None
    """Whose words the result is, when they are not Conductor's: the model is told so."""
    for_model: bool = True
    """False: only the page of its own server calls it, so no manifest lists it."""

    def asks(self, by: Requester) -> bool:
        """Check whether the user is asked before a call of this caller is made."""
        return self.requires_approval or (self.asks_in_chat and by.is_model)

    @property
    def wire_name(self) -> str:
        """The name as every model API takes it: letters, digits, `_` and `-`, 64 at most."""
        return WIRE.sub("_", self.name.replace(":", "__"))[:64]

    @property
    def is_foreign(self) -> bool:
        """Whether another program or the internet answers, errors too."""
        return self.origin is not None and self.skill_tier in ("network", "integration")

    def listed(self) -> dict[str, Any]:
        """Return it as a manifest shows it."""
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.input_schema,
        }

    def kinds_of_risk(self) -> dict[str, Any]:
        """Return what it needs, what it may do, and who has to agree."""
        return {
            "tier": self.skill_tier,
            "risk_tier": self.tier,
            "requires_approval": self.requires_approval,
            "default_enabled": self.default_enabled,
        }


class Registry:
    """All tools by name; older names lead to the same tool."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}
        self._names: dict[str, str] = {}

    def add(self, tool: Tool) -> None:
        """Take a tool in.

        Raises:
            ValueError: its name, or one of its older ones, is taken.
        """
        names = {tool.name, tool.wire_name, *tool.aliases}
        for name in names:
            if name in self._names:
                raise ValueError(f"two tools are called `{name}`")
        self._names.update(dict.fromkeys(names, tool.name))
        self._tools[tool.name] = tool

    def remove(self, name: str) -> None:
        """Take a tool out again; one that is not there is no fault."""
        self._tools.pop(name, None)
        self._names = {called: tool for called, tool in self._names.items() if tool != name}

    def get(self, name: str) -> Tool | None:
        """Return the tool with this name, or with this as its older name."""
        known = self._names.get(name)
        return None if known is None else self._tools[known]

    def all(self) -> tuple[Tool, ...]:
        """Return every tool, in the order of their definition."""
        return tuple(self._tools.values())

    def names(self) -> tuple[str, ...]:
        """Return every name that a tool can be called by."""
        return tuple(self._names)

    @overload
    def tool(
        self,
        tier: Literal["read_only"],
        toolset: Toolset,
        *,
        aliases: tuple[str, ...] = (),
        keywords: str = "",
    ) -> Callable[[Read[P, R]], Read[P, R]]: ...
    @overload
    def tool(
        self,
        tier: Literal["stateful"],
        toolset: Toolset,
        *,
        aliases: tuple[str, ...] = (),
        idempotent: bool = False,
        asks_in_chat: bool = False,
        title: str = "",
        keywords: str = "",
    ) -> Callable[[Runtime[P, R]], Runtime[P, R]]: ...
    @overload
    def tool(
        self,
        tier: Literal["config_change", "privileged"],
        toolset: Toolset,
        *,
        aliases: tuple[str, ...] = (),
        keywords: str = "",
    ) -> Callable[[Propose[P]], Propose[P]]: ...
    @overload
    def tool(
        self,
        tier: Literal["hardware_io"],
        toolset: Toolset,
        *,
        requires_approval: bool = False,
        asks_in_chat: bool = False,
        title: str = "",
    ) -> Callable[[Hardware[P, R]], Hardware[P, R]]: ...
    @overload
    def tool(
        self, tier: Literal["request"], toolset: Toolset
    ) -> Callable[[Request[P, R]], Request[P, R]]: ...
    def tool(
        self,
        tier: Tier,
        toolset: Toolset,
        *,
        aliases: tuple[str, ...] = (),
        idempotent: bool = False,
        requires_approval: bool = False,
        asks_in_chat: bool = False,
        title: str = "",
        keywords: str = "",
    ) -> Callable[[Any], Any]:
        """Register a function; its name, docstring and annotations say the rest."""
        return self._register(
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
        keywords: str = "",
        idempotent: bool = False,
        requires_approval: bool = False,
        asks_in_chat: bool = False,
        origin: str | None = None,
        check: Check | None = None,
    ) -> Callable[[Skill[P, R]], Skill[P, R]]:
        """Register a built-in skill: an ability of the assistant that is not about mapping."""
        return self._register(
            "skill",
            "skills",
            idempotent=idempotent,
            requires_approval=requires_approval,
            asks_in_chat=asks_in_chat,
            skill_tier=skill_tier,
            default_enabled=skill_tier in ("core", "enhanced"),
            skill_id=skill_id,
            title=title,
            category=category,
            keywords=keywords,
            origin=origin,
            check=check,
        )

    def _register(
        self,
        tier: Tier,
        toolset: Toolset,
        *,
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
                    description=re.sub(r"\s+", " ", function.__doc__ or "").strip(),
                    run=function,
                    params=params,
                    result=result,
                    input_schema=compact(params.model_json_schema()),
                    output_schema=compact(result.model_json_schema(mode="serialization")),
                    aliases=tuple(PREFIX + alias for alias in aliases),
                    idempotent=idempotent or tier in ("read_only", "request"),
                    requires_approval=requires_approval or tier in APPROVED_TIERS,
                    **more,
                )
            )
            return function

        return register


REGISTRY = Registry()
"""Every tool of the catalog; `conductor.tools.catalog` fills it."""
