"""What the user has said about skills before: may this call go ahead, or has the user to be asked?"""

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from conductor.base.invisible_chars import has_hidden, reveal_hidden
from conductor.base.redact import redact
from conductor.domain.actions import Action, parts_of
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.approvals import Decision, GrantView
from conductor.domain.config import Config
from conductor.domain.performed_once import performed_number
from conductor.domain.plan import Requester
from conductor.errors import NotAllowed
from conductor.tools.approval.permission import PermissionRequest
from conductor.tools.approval.scope import is_covered, scope_of
from conductor.tools.approval.scope_words import can_be_described, scope_words
from conductor.tools.registry import Tool

if TYPE_CHECKING:
    from conductor.storage.grants import Grant, Grants

REACHES_OUT = ("network", "integration")
"""Tiers of tools that can send data out."""
FOREIGN = "mcp:"
PERFORMED_KEPT = 64


class Verdict(NamedTuple):
    """How a call stands: allowed by what is said, or to be asked about."""

    allowed: str | None
    warnings: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """What brought words of others into the conversation, which the warnings tell of."""


class GrantPolicy:
    """Looks at what is kept. Methods wait for the disk: they are called in worker threads."""

    def __init__(self, grants: Callable[[], "Grants"], config: Callable[[], Config]) -> None:
        self._grants = grants
        self._config = config
        self._confirmed: set[tuple[str, str, tuple[str, ...]]] = set()
        """Conversation, tool and sources: allowed in the face of the warning about these."""
        self._plugins: tuple[Config | None, frozenset[str]] = (None, frozenset())
        self._performed: dict[int, frozenset[str]] = {}
        """Tools that each action may call which the user has approved to be performed once."""

    def perform(self, number: int, tools: frozenset[str]) -> None:
        """Allow the action performed once with this number to call these tools."""
        self._performed[number] = tools
        while len(self._performed) > PERFORMED_KEPT:
            del self._performed[next(iter(self._performed))]

    def standing(self, request: PermissionRequest) -> Verdict:
        """Return how a call stands.

        Raises:
            NotAllowed: the user never allows this tool, or a pad calls what no mapping holds.
        """
        tool, by = request.tool, request.by
        kept = self._of(tool)
        if any(one.verdict == "never" for one in kept):
            raise NotAllowed(
                f"the user never allows {called(tool)}; only the user can take that back, in Settings > Skills"
            )
        if by.caller == "pad":
            return Verdict(self._mapping(tool, by))
        if not tool.asks(by):
            self._note(request)
            return Verdict("not needed")
        fitting = next((one for one in kept if _fits(one, request)), None)
        others = self._others(request)
        if fitting is None or (others and (*_place(request), others) not in self._confirmed):
            return Verdict(None, _warnings(request, others), others)
        self._grants().record_use(fitting.grant_id)
        self._note(request)
        return Verdict(fitting.scope)

    def allowed(self, request: PermissionRequest, standing: Verdict) -> None:
        """Take note that the user has just allowed a call, having seen its warnings."""
        if standing.others:
            self._confirmed.add((*_place(request), standing.others))
        self._note(request)

    def forget(self, conversation_id: str) -> None:
        """Forget what was allowed in a conversation that is deleted."""
        theirs = [one for one in list(self._confirmed) if one[0] == conversation_id]
        self._confirmed.difference_update(theirs)  # the same set: calls in other workers add to it
        self._grants().forget_conversation(conversation_id)

    def keep(self, request: PermissionRequest, decision: Decision) -> None:
        """Keep the user's word, when it is for longer than once."""
        if decision in ("once", "deny"):
            return
        from conductor.storage.grants import Grant, new_grant_id

        tool, by = request.tool, request.by
        never = decision == "never"
        shape = {} if never else scope_of(request.arguments, tool.input_schema)
        self._grants().add(
            Grant(
                grant_id=new_grant_id(),
                skill_id=tool.skill_id or tool.name,
                tool=tool.name,
                identity=tool.identity,
                title=called(tool),
                origin=tool.origin,
                verdict="never" if never else "allow",
                scope="conversation" if decision == "conversation" else "always",
                conversation_id=by.conversation_id if decision == "conversation" else None,
                whose="" if never else whose(by),
                requester="anybody" if never else who(request),
                shape=shape,
                words="any call of this tool" if never else scope_words(shape),
                created_at=time.time(),
            )
        )

    def choices(self, request: PermissionRequest) -> tuple[Decision, ...]:
        """Return what can be decided about a call."""
        longer: list[Decision] = []
        known = bool(request.tool.identity) or not request.tool.name.startswith(FOREIGN)
        if (
            known
            and _is_known(request.by)
            and can_be_described(scope_of(request.arguments, request.tool.input_schema))
        ):
            longer = ["conversation", "always"] if request.by.conversation_id else ["always"]
        return ("once", *longer, "deny", "never")

    def _of(self, tool: Tool) -> list["Grant"]:
        """Return the answers about a tool; those about an earlier one of its name end here."""
        kept = self._grants().for_tool(tool.name)
        ended = [
            one.grant_id for one in kept if one.verdict == "allow" and one.identity != tool.identity
        ]
        if ended:
            self._grants().revoke(ended)
        return [one for one in kept if one.grant_id not in ended]

    def _mapping(self, tool: Tool, by: Requester) -> str:
        """Let a pad call what a mapping of the running config holds, or an approved plan, and nothing else."""
        number = performed_number(by.client)
        if number is not None and tool.name in self._performed.get(number, ()):
            return "plan"
        config = self._config()
        if self._plugins[0] is not config:
            self._plugins = (config, frozenset(_plugins_of(config)))
        if tool.name not in self._plugins[1]:
            raise NotAllowed(
                f"no mapping that is switched on calls {tool.name}: a pad calls only what a Plugin action names"
            )
        return "mapping"

    def _others(self, request: PermissionRequest) -> tuple[str, ...]:
        """Return the titles of other tools that brought words of others into the conversation."""
        tool, conversation_id = request.tool, request.by.conversation_id
        if conversation_id is None or tool.skill_tier not in REACHES_OUT:
            return ()
        sources = self._grants().sources(conversation_id)
        return tuple(sorted(title for name, title in sources.items() if name != tool.name))

    def _note(self, request: PermissionRequest) -> None:
        """Remember that the conversation is about to get words from this tool that are not Conductor's."""
        tool, conversation_id = request.tool, request.by.conversation_id
        if conversation_id and tool.origin is not None:
            self._grants().record_source(conversation_id, tool.name, called(tool))


def _place(request: PermissionRequest) -> tuple[str, str]:
    return (request.by.conversation_id or "", request.tool.name)


def _warnings(request: PermissionRequest, others: tuple[str, ...]) -> tuple[str, ...]:
    found: list[str] = []
    if others:
        found.append(
            f"This conversation has read content from {', '.join(others[:5])}. Text in it may try to"
            f" have your data sent out: look at what {called(request.tool)} would be sent"
        )
    texts = list(_texts(request.arguments))
    if any(redact(text) != text for text in texts):
        found.append("The arguments hold what looks like a key or password")
    if any(map(has_hidden, texts)):
        found.append("The arguments hold characters that cannot be seen")
    return tuple(found)


def called(tool: Tool) -> str:
    """Return a tool's name for people."""
    return reveal_hidden(tool.title or tool.name)


def who(request: PermissionRequest) -> str:
    """Say who asks, in words. The window itself asks for nothing: a page in it does, of the tool's server."""
    if request.by.caller == "chat":
        return "the assistant in the chat"
    if request.by.caller in ("window", "page"):
        return reveal_hidden(f"a page of {request.tool.origin or 'a server'} in the window")
    return reveal_hidden(request.by.words())


def whose(by: Requester) -> str:
    """Return what stays the same when the same caller comes again."""
    if by.caller in ("chat", "window", "page"):
        return "window" if by.caller == "page" else by.caller
    return json.dumps(by.principal())


def _is_known(by: Requester) -> bool:
    """Return whether a caller can be known again: by this program itself, or by what the system says of it."""
    return by.caller in ("chat", "window", "page") or (
        by.caller == "mcp" and by.executable is not None
    )


def _fits(grant: "Grant", request: PermissionRequest) -> bool:
    here = grant.scope == "always" or grant.conversation_id == request.by.conversation_id
    is_theirs = grant.whose == whose(request.by)
    return here and is_theirs and is_covered(grant.shape, request.arguments)


def _plugins_of(config: Config) -> Iterator[str]:
    for _, _, mapping in config.all_mappings():
        if mapping.enabled:
            yield from tools_of(mapping.action)


def tools_of(action: Action) -> Iterator[str]:
    """Return the tools of MCP servers that an action calls."""
    for part in parts_of(action):
        if isinstance(part, PluginAction) and ":" not in part.tool:
            yield f"mcp:{part.server}:{part.tool}"


def _texts(item: Any) -> Iterator[str]:
    if isinstance(item, str):
        yield item
    elif isinstance(item, dict):
        fields: dict[str, Any] = item
        for key, each in fields.items():
            yield str(key)
            yield from _texts(each)
    elif isinstance(item, list):
        items: list[Any] = item
        for each in items:
            yield from _texts(each)


def grant_view(grant: "Grant") -> GrantView:
    """Return an answer as the window shows it."""
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
