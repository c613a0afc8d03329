"""Decides with the saved grants whether a tool call is allowed or the user must be asked."""

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from conductor.base.invisible_chars import has_hidden, reveal_hidden
from conductor.base.json_types import JsonObject
from conductor.base.redact import redact_secrets
from conductor.domain.actions import Action, walk_actions
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.approvals import Decision, GrantView
from conductor.domain.config import Config
from conductor.domain.performed_once import parse_performer_number
from conductor.domain.plan import Requester
from conductor.errors import NotAllowed
from conductor.tools.approval.permission import PermissionRequest
from conductor.tools.approval.scope import build_scope, is_covered_by_scope
from conductor.tools.approval.scope_words import describe_scope, is_short_enough_to_describe
from conductor.tools.registry import Tool

if TYPE_CHECKING:
    from conductor.storage.grants import Grant, Grants

DATA_SENDING_TIERS = ("network", "integration")
"""Tiers of tools that can send data to other computers."""
SERVER_TOOL_PREFIX = "mcp:"
MAX_PERMITTED_ACTIONS = 64
"""The maximum number of one-time actions whose permissions are kept in memory."""


class PolicyVerdict(NamedTuple):
    """Whether a tool call is allowed by a grant, and what the user must be warned about if not."""

    allowed: str | None
    """How the call is allowed, such as `always`. None if the user must be asked."""
    warnings: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    """The tools that brought text from outside into the conversation. The warnings name them."""


class GrantPolicy:
    """Checks tool calls against the saved grants.

    The methods read the database, so call them in worker threads.
    """

    def __init__(self, grants: Callable[[], "Grants"], config: Callable[[], Config]) -> None:
        self._grants = grants
        self._config = config
        self._confirmed: set[tuple[str, str, tuple[str, ...]]] = set()
        """The conversation, tool and sources of each call that the user allowed after reading its warnings."""
        self._plugins: tuple[Config | None, frozenset[str]] = (None, frozenset())
        self._performed: dict[int, frozenset[str]] = {}
        """The tools that each one-time action may call, by the number of the action."""

    def allow_action(self, number: int, tools: frozenset[str]) -> None:
        """Allow the one-time action with this number to call these tools."""
        self._performed[number] = tools
        while len(self._performed) > MAX_PERMITTED_ACTIONS:
            del self._performed[next(iter(self._performed))]

    def evaluate_call(self, request: PermissionRequest) -> PolicyVerdict:
        """Return whether a tool call is allowed, or what to ask the user.

        Raises:
            NotAllowed: The user always refuses this tool, or a pad calls a tool that no mapping names.
        """
        tool, by = request.tool, request.by
        grants = self._list_current_grants(tool)
        if any(grant.verdict == "never" for grant in grants):
            raise NotAllowed(
                f"the user never allows {format_tool_title(tool)}; only the user can change this in Settings >"
                " Skills"
            )
        if by.caller == "pad":
            return PolicyVerdict(self._explain_allowed_mapping(tool, by))
        if not tool.needs_permission(by):
            self._record_outside_source(request)
            return PolicyVerdict("not needed")
        matching = next((grant for grant in grants if _is_covered_by_grant(grant, request)), None)
        sources = self._list_other_outside_sources(request)
        if matching is None or (
            sources and (*_build_confirmation_key(request), sources) not in self._confirmed
        ):
            return PolicyVerdict(None, _list_warnings(request, sources), sources)
        self._grants().count_use(matching.grant_id)
        self._record_outside_source(request)
        return PolicyVerdict(matching.scope)

    def record_allowed_call(self, request: PermissionRequest, verdict: PolicyVerdict) -> None:
        """Remember that the user allowed a call after reading its warnings, so that the same warnings are
        not repeated.
        """
        if verdict.sources:
            self._confirmed.add((*_build_confirmation_key(request), verdict.sources))
        self._record_outside_source(request)

    def forget_conversation(self, conversation_id: str) -> None:
        """Delete the permissions that the user gave in a conversation, because the conversation was deleted."""
        confirmed = [entry for entry in list(self._confirmed) if entry[0] == conversation_id]
        # changed in place, because other worker threads add to the same set
        self._confirmed.difference_update(confirmed)
        self._grants().forget_conversation(conversation_id)

    def record_decision(self, request: PermissionRequest, decision: Decision) -> None:
        """Save the user's decision if it applies to more than this call."""
        if decision in ("once", "deny"):
            return
        from conductor.storage.grants import Grant, create_grant_id

        tool, by = request.tool, request.by
        never = decision == "never"
        scope = {} if never else build_scope(request.arguments, tool.input_schema)
        self._grants().add_grant(
            Grant(
                grant_id=create_grant_id(),
                skill_id=tool.skill_id or tool.name,
                tool=tool.name,
                identity=tool.identity,
                title=format_tool_title(tool),
                origin=tool.origin,
                verdict="never" if never else "allow",
                scope="conversation" if decision == "conversation" else "always",
                conversation_id=by.conversation_id if decision == "conversation" else None,
                whose="" if never else build_requester_key(by),
                requester="anybody" if never else describe_requester(request),
                shape=scope,
                words="any call of this tool" if never else describe_scope(scope),
                created_at=time.time(),
            )
        )

    def list_decision_choices(self, request: PermissionRequest) -> tuple[Decision, ...]:
        """Return the decisions that the user can choose from for a call."""
        lasting: list[Decision] = []
        tool = request.tool
        is_known = bool(tool.identity) or not tool.name.startswith(SERVER_TOOL_PREFIX)
        if (
            is_known
            and _is_identifiable(request.by)
            and is_short_enough_to_describe(build_scope(request.arguments, tool.input_schema))
        ):
            lasting = ["conversation", "always"] if request.by.conversation_id else ["always"]
        return ("once", *lasting, "deny", "never")

    def _list_current_grants(self, tool: Tool) -> list["Grant"]:
        """Return the grants for a tool.

        A grant that was given for another tool of the same name is revoked.
        """
        grants = self._grants().list_for_tool(tool.name)
        outdated = [
            grant.grant_id
            for grant in grants
            if grant.verdict == "allow" and grant.identity != tool.identity
        ]
        if outdated:
            self._grants().revoke_grants(outdated)
        return [grant for grant in grants if grant.grant_id not in outdated]

    def _explain_allowed_mapping(self, tool: Tool, by: Requester) -> str:
        """Return what allows a pad to call a tool: "plan" for a one-time action that was approved,
        otherwise "mapping".

        Raises:
            NotAllowed: Neither a one-time action nor an enabled mapping of the config calls the tool.
        """
        number = parse_performer_number(by.client)
        if number is not None and tool.name in self._performed.get(number, ()):
            return "plan"
        config = self._config()
        if self._plugins[0] is not config:
            self._plugins = (config, frozenset(_find_mapped_server_tools(config)))
        if tool.name not in self._plugins[1]:
            raise NotAllowed(
                f"no enabled mapping calls {tool.name}: a pad can only call tools that a Plugin action names"
            )
        return "mapping"

    def _list_other_outside_sources(self, request: PermissionRequest) -> tuple[str, ...]:
        """Return the titles of other tools that brought text from outside into the conversation."""
        tool, conversation_id = request.tool, request.by.conversation_id
        if conversation_id is None or tool.skill_tier not in DATA_SENDING_TIERS:
            return ()
        sources = self._grants().list_outside_sources(conversation_id)
        return tuple(sorted(title for name, title in sources.items() if name != tool.name))

    def _record_outside_source(self, request: PermissionRequest) -> None:
        """Remember that the result of a tool brings text from outside into the conversation."""
        tool, conversation_id = request.tool, request.by.conversation_id
        if conversation_id and tool.origin is not None:
            self._grants().record_outside_source(
                conversation_id, tool.name, format_tool_title(tool)
            )


def _build_confirmation_key(request: PermissionRequest) -> tuple[str, str]:
    return (request.by.conversation_id or "", request.tool.name)


def _list_warnings(request: PermissionRequest, sources: tuple[str, ...]) -> tuple[str, ...]:
    warnings: list[str] = []
    if sources:
        warnings.append(
            f"This conversation has read content from {', '.join(sources[:5])}. Text in it may try to"
            f" leak your data: check what would be sent to {format_tool_title(request.tool)}"
        )
    texts = list(_iterate_nested_texts(request.arguments))
    if any(redact_secrets(text) != text for text in texts):
        warnings.append("The arguments contain what looks like a key or password")
    if any(map(has_hidden, texts)):
        warnings.append("The arguments contain characters that cannot be seen")
    return tuple(warnings)


def format_tool_title(tool: Tool) -> str:
    """Return the title of a tool for the user, with invisible characters made visible."""
    return reveal_hidden(tool.title)


def describe_requester(request: PermissionRequest) -> str:
    """Return a phrase that tells the user who makes the call, such as "the assistant in the chat"."""
    if request.by.caller == "chat":
        return "the assistant in the chat"
    if request.by.caller in ("window", "page"):
        return reveal_hidden(f"a page of {request.tool.origin or 'a server'} in the window")
    return reveal_hidden(request.by.describe())


def build_requester_key(by: Requester) -> str:
    """Return a key that is the same for all calls of a requester."""
    if by.caller in ("chat", "window", "page"):
        return "window" if by.caller == "page" else by.caller
    # Over HTTP, every script can use the same client name and the same interpreter. Agents on other computers
    # choose their names, too; their grant is the program.
    is_named_only = by.caller in ("http", "remote")
    return json.dumps(by.get_process() if is_named_only else by.get_principal())


def _is_identifiable(by: Requester) -> bool:
    """Return whether later calls of a caller can be recognized, because it is internal or its executable
    is known.
    """
    return by.caller in ("chat", "window", "page") or (
        by.caller == "mcp" and by.executable is not None
    )


def _is_covered_by_grant(grant: "Grant", request: PermissionRequest) -> bool:
    is_in_effect = grant.scope == "always" or grant.conversation_id == request.by.conversation_id
    is_same_requester = grant.whose == build_requester_key(request.by)
    return (
        is_in_effect and is_same_requester and is_covered_by_scope(grant.shape, request.arguments)
    )


def _find_mapped_server_tools(config: Config) -> Iterator[str]:
    for _, _, mapping in config.list_all_mappings():
        if mapping.enabled:
            yield from find_server_tools(mapping.action)


def find_server_tools(action: Action) -> Iterator[str]:
    """Yield the tools of MCP servers that an action calls."""
    for part in walk_actions(action):
        if isinstance(part, PluginAction) and ":" not in part.tool:
            yield f"mcp:{part.server}:{part.tool}"


def _iterate_nested_texts(item: Any) -> Iterator[str]:
    if isinstance(item, str):
        yield item
    elif isinstance(item, dict):
        fields: JsonObject = item
        for key, value in fields.items():
            yield str(key)
            yield from _iterate_nested_texts(value)
    elif isinstance(item, list):
        items: list[Any] = item
        for value in items:
            yield from _iterate_nested_texts(value)


def build_grant_view(grant: "Grant") -> GrantView:
    """Return a grant in the form that the window shows."""
    used = grant.last_used_at
    return GrantView(
        grant_id=grant.grant_id,
        skill_id=grant.skill_id,
        tool=grant.tool,
        title=grant.title,
        origin=grant.origin,
        verdict=grant.verdict,
        scope=grant.scope,
        shape=grant.words,
        requester=grant.requester,
        conversation_id=grant.conversation_id,
        created_at=datetime.fromtimestamp(grant.created_at, UTC),
        last_used_at=None if used is None else datetime.fromtimestamp(used, UTC),
        uses=grant.uses,
    )
