"""Runs tool calls. Every call of every caller goes through these steps in this order:

`known -> enabled -> allowed -> valid -> rate limit -> permission -> audit -> run by tier -> audit`

Each step either passes or raises an error. A call that no rule allows is refused.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, assert_never

from pydantic import ValidationError

from conductor.base.json_types import JsonObject
from conductor.base.suggestions import format_suggestion
from conductor.config.explain_invalid import explain_invalid
from conductor.domain.config import Config
from conductor.domain.plan import USER_CALLERS, ConfigPlan, Example, Proposal, Requester
from conductor.domain.settings import LlmChat, LlmMcp, SkillsSettings, ToolRules
from conductor.domain.value import Value
from conductor.errors import (
    ConductorError,
    InvalidParams,
    NotAllowed,
    NotAvailable,
    UnknownTool,
)
from conductor.storage.audit import AuditEntry, RecordedCall
from conductor.tools.approval.permission import (
    UNCHANGING_TIERS,
    USER_OWNED_CALLERS,
    DenyWithoutUser,
    Permission,
    PermissionRequest,
    explain_denied_tool,
    explain_disabled_skill,
    explain_unavailable_tool,
    is_offered_to_programs,
)
from conductor.tools.arguments import redact_arguments, reject_oversized_arguments
from conductor.tools.context import (
    HardwareContext,
    ReadContext,
    RequestContext,
    RuntimeContext,
    SkillContext,
)
from conductor.tools.limits import RateLimits
from conductor.tools.registry import Tool, ToolRegistry

log = logging.getLogger(__name__)

AGENT_RULES, CHAT_RULES = "llm.mcp", "llm.chat"
"""The sections of the config with the rules for outside agents and for the assistant in the chat."""
TIERS_FOR_PADS = ("read_only", "stateful", "skill")
CALL_NOT_RECORDED_MESSAGE = (
    "the call was not made, because it could not be recorded in the audit log: conductor.db is locked by"
    " another program, or the disk is full; the user can make the change in the window, or free disk space and"
    " try again"
)


class ContextFactory(Protocol):
    """Creates the context that a tool receives, depending on its tier."""

    def build_read_context(self, by: Requester) -> ReadContext: ...
    def build_runtime_context(self, by: Requester) -> RuntimeContext: ...
    def build_hardware_context(self, by: Requester) -> HardwareContext: ...
    def build_request_context(self, by: Requester) -> RequestContext: ...
    def build_skill_context(self, by: Requester) -> SkillContext: ...
    def config(self) -> Config: ...
    def propose(
        self,
        proposal: Proposal,
        by: Requester,
        examples: tuple[Example, ...],
        *,
        privileged: bool,
    ) -> ConfigPlan:
        """Create a plan from a proposal. This runs in a worker thread.

        A privileged plan can be approved only in the window or at a terminal.
        """
        ...


class AuditRepository(Protocol):
    def write(self, entry: AuditEntry) -> None: ...
    def write_durably(self, entry: AuditEntry) -> bool:
        """Write an entry and return whether it reached the disk. This runs in a worker thread."""
        ...


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """The outcome of a tool call: a result or an error, and the tool if it exists."""

    tool: Tool | None
    result: Value | None = None
    error: ConductorError | None = None

    def to_plain(self) -> JsonObject:
        """Return the result of the call as plain JSON data.

        Raises:
            ConductorError: The call was refused or failed.
        """
        if self.error is not None:
            raise self.error
        return {} if self.result is None else self.result.model_dump(mode="json")


class ToolExecutor:
    """Runs tool calls. `skills` returns the current rules for skills."""

    def __init__(
        self,
        registry: ToolRegistry,
        contexts: ContextFactory,
        settings: Callable[[], LlmMcp],
        audit: AuditRepository,
        limits: RateLimits | None = None,
        skills: Callable[[], SkillsSettings] = SkillsSettings,
        permission: Permission | None = None,
        explain_missing: Callable[[str], str | None] = lambda _name: None,
        chat_settings: Callable[[], LlmChat] = LlmChat,
    ) -> None:
        """Create an executor.

        `settings` and `chat_settings` return the current rules for outside agents and for the assistant in
        the chat. `explain_missing` returns why a tool that a mapping calls does not exist, or None if it does
        not know.
        """
        self._registry = registry
        self._contexts = contexts
        self._settings = settings
        self._chat_settings = chat_settings
        self._audit = audit
        self._limits = limits or RateLimits()
        self._skills = skills
        self._permission: Permission = permission or DenyWithoutUser()
        self._explain_missing = explain_missing

    def list_chat_tools(self) -> tuple[Tool, ...]:
        """Return the tools that are switched on and that the assistant in the chat may call now."""
        return self._list_allowed_tools(CHAT_RULES, self._chat_settings())

    def list_offered_tools(self) -> tuple[Tool, ...]:
        """Return the tools that programs outside Conductor may see and call now."""
        settings = self._settings()
        tools = self._list_allowed_tools(AGENT_RULES, settings)
        return tuple(tool for tool in tools if is_offered_to_programs(tool, settings))

    def _list_allowed_tools(self, section: str, rules: ToolRules) -> tuple[Tool, ...]:
        skills = self._skills()
        return tuple(
            tool
            for tool in self._registry.list_tools()
            if tool.for_model
            and explain_disabled_skill(tool, skills) is None
            and explain_denied_tool(tool, section, rules) is None
        )

    async def call_tool(
        self, name: str, arguments: JsonObject, requester: Requester
    ) -> ToolOutcome:
        """Call a tool and return the outcome.

        This never raises, because a refusal or failure is part of the outcome.
        """
        entry = AuditEntry.create_for_call(requester, name[:80], None, redact_arguments(arguments))
        tool: Tool | None = None
        try:
            with RecordedCall(self._audit, entry) as recorded:
                tool = self._find_tool(name, requester)
                entry.tool, entry.tier = tool.name, tool.tier
                self._require_usable(tool, requester)
                params = self._parse_arguments(tool, arguments)
                self._require_inner_tools_usable(params, requester)
                self._limits.require_tokens(tool, requester)
                tool, entry.permission = await self._require_permission(tool, arguments, requester)
                recorded.restart_timer()  # the time until the user answered does not count
                await self._record_call_start(tool, entry, requester)
                result = await self._run_tool(tool, params, requester)
                entry.detail = _format_plan_detail(result)
        except ConductorError as error:
            return ToolOutcome(tool, error=error)
        except Exception:  # one tool that fails must not break the connection of the caller
            log.exception("the tool %s raised an unexpected exception", name[:80])
            return ToolOutcome(tool, error=ConductorError("Internal error: see the log"))
        return ToolOutcome(tool, result=result)

    def _find_tool(self, name: str, by: Requester) -> Tool:
        tool = self._registry.find_tool(name)
        if tool is None:
            reason = self._explain_missing(name) if by.caller == "pad" else None
            if reason is not None:
                raise UnknownTool(reason)
            hint = (
                format_suggestion(name[:80], self._registry.list_names_and_aliases())
                if name.isascii()
                else ""
            )
            raise UnknownTool(f"Method not found: {name[:80]}{hint if '?' in hint else ''}")
        return tool

    def _require_usable(self, tool: Tool, by: Requester) -> None:
        """Check that the caller may use a tool and that the tool is switched on.

        The rules for agents and for the chat do not apply to the user. If a mapping calls a skill, its tier
        does not count either but only the setting of that skill, because the user wrote the mapping.

        Raises:
            NotAllowed: The tool may not be used. The message says why.
        """
        if by.caller == "pad" and tool.tier not in TIERS_FOR_PADS:
            raise NotAllowed(f"a pad cannot call {tool.name}")
        reason = (
            explain_unavailable_tool(tool, by, self._settings())
            or self._explain_disabled_skill(tool, by)
            or self._explain_denied_tool(tool, by)
        )
        if reason is not None:
            raise NotAllowed(reason)

    def _require_inner_tools_usable(self, params: Value, by: Requester) -> None:
        """Check that the caller may use every tool inside a batch.

        Raises:
            NotAllowed: One of these tools is switched off or denied.
            UnknownTool: One of these tools does not exist.
        """
        for name in getattr(params, "list_inner_tools", tuple[str, ...])():
            self._require_usable(self._find_tool(name, by), by)

    def explain_disabled_tool(self, tool: Tool) -> str | None:
        """Return why nobody can call a tool now, or None if it is switched on."""
        return explain_disabled_skill(tool, self._skills())

    def _explain_disabled_skill(self, tool: Tool, by: Requester) -> str | None:
        if by.caller == "pad" and self._skills().tools.get(tool.skill_id or "") is not False:
            return None
        return self.explain_disabled_tool(tool)

    def _explain_denied_tool(self, tool: Tool, by: Requester) -> str | None:
        if by.caller in USER_OWNED_CALLERS:
            return None
        if by.caller == "chat":
            # a command that the user typed is not the model's, so its rules do not bind it
            rules = self._chat_settings()
            return explain_denied_tool(tool, CHAT_RULES, rules) if by.is_model else None
        return explain_denied_tool(tool, AGENT_RULES, self._settings())

    def _parse_arguments(self, tool: Tool, arguments: JsonObject) -> Value:
        reject_oversized_arguments(arguments)
        if tool.check is not None:
            tool.check(arguments)
        try:
            return tool.params.model_validate(arguments)
        except ValidationError as error:
            known = tool.params.model_fields
            raise InvalidParams(f"Invalid params: {explain_invalid(error, known)}") from None

    async def _require_permission(
        self, tool: Tool, arguments: JsonObject, by: Requester
    ) -> tuple[Tool, str | None]:
        """Wait for the user's permission if it is needed.

        Return the tool to call, and how it was allowed. The second value is None if no permission was
        needed.
        """
        if tool.tier != "skill" and not (tool.asks_in_chat and by.is_model):
            return tool, None
        how = await self._permission.require_permission(PermissionRequest(tool, arguments, by))
        return self._require_unchanged(tool, by), how

    def _require_unchanged(self, tool: Tool, by: Requester) -> Tool:
        """Return the current tool of this name, because its server may have restarted while the user was asked.

        Raises:
            NotAllowed: The tool was changed, removed or switched off meanwhile, so the approval does not
                cover it.
        """
        current = self._registry.find_tool(tool.name)
        is_same = current is tool or (
            tool.identity and current and current.identity == tool.identity
        )
        if current is None or not is_same:
            raise NotAllowed(
                f"{tool.title} changed or was removed while the user was asked; call it again"
            )
        self._require_usable(current, by)
        return current

    async def _record_call_start(self, tool: Tool, entry: AuditEntry, by: Requester) -> None:
        """Write the audit entry of a change before the change is made, so that a crash cannot lose it.

        Raises:
            NotAvailable: The entry cannot be written, and the caller is a program, whose changes must be
                recorded.
        """
        if tool.tier in UNCHANGING_TIERS:
            return
        is_written = await asyncio.to_thread(self._audit.write_durably, entry)
        if not is_written and by.caller not in USER_CALLERS:
            raise NotAvailable(CALL_NOT_RECORDED_MESSAGE)

    async def _run_tool(self, tool: Tool, params: Value, by: Requester) -> Value:
        match tool.tier:
            case "read_only":
                return await tool.run(params, self._contexts.build_read_context(by))
            case "stateful":
                return await tool.run(params, self._contexts.build_runtime_context(by))
            case "config_change" | "privileged":
                return await asyncio.to_thread(self._create_plan, tool, params, by)
            case "hardware_io":
                return await tool.run(params, self._contexts.build_hardware_context(by))
            case "request":
                return await tool.run(params, self._contexts.build_request_context(by))
            case "skill":
                return await tool.run(params, self._contexts.build_skill_context(by))
            case _:  # pragma: no cover - unreachable: the type checker has checked every case
                assert_never(tool.tier)

    def _create_plan(self, tool: Tool, params: Value, by: Requester) -> ConfigPlan:
        proposal: Proposal = tool.run(params, self._contexts.config())
        examples: tuple[Example, ...] = getattr(params, "examples", ())
        privileged = tool.tier == "privileged" or any(
            inside is not None and inside.tier == "privileged"
            for name in getattr(params, "list_inner_tools", tuple[str, ...])()
            for inside in (self._registry.find_tool(name),)
        )
        return self._contexts.propose(proposal, by, examples, privileged=privileged)


def _format_plan_detail(result: Value) -> str | None:
    """Return the id and the status of a plan for the audit log, or None if the result is not a plan."""
    return f"plan {result.plan_id} {result.status}" if isinstance(result, ConfigPlan) else None
