"""A server of `mcp.json` as it is shown: what is written, what was agreed to, and where it stands."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from conductor.base.json_types import JsonObject
from conductor.base.redact import HIDDEN, redact
from conductor.domain.servers import ImportableServer, ServerState, ServerToolView, ServerView
from conductor.domain.settings import SkillsSettings
from conductor.mcp.registry.entry import OAUTH, Entry
from conductor.mcp.registry.file import Listed
from conductor.mcp.registry.warnings import advice, program_of

if TYPE_CHECKING:
    from conductor.mcp.client.values import ClientView, ToolView

BROKEN = Entry("stdio")
_FROM_ELSEWHERE = re.compile(r"(?:(?:Bearer|Basic|Token) )?\$\{[^{}]*\}", re.IGNORECASE)


class ConsentCheck(NamedTuple):
    """What the disk says about a server; not for the event loop, since a disk may hang."""

    program: str | None
    advice: tuple[str, ...]


NOT_LOOKED = ConsentCheck(None, ())


def check_consent(listed: Listed) -> ConsentCheck:
    """Look where its program is, and what stands out."""
    if listed.entry is None:
        return NOT_LOOKED
    return ConsentCheck(program_of(listed.entry), tuple(advice(listed.entry)))


class ServerStatus(NamedTuple):
    """What else there is to know of a server."""

    enabled: bool
    agreed: str | None
    """The digest that the user agreed to."""
    stopped: bool
    problem: str | None
    """Why it could not be started."""
    host: "ClientView | None"
    settings: SkillsSettings
    look: ConsentCheck = NOT_LOOKED


def view_of(listed: Listed, standing: ServerStatus) -> ServerView:
    """Return a server as the window and the terminal show it."""
    entry, host = listed.entry or BROKEN, standing.host
    consented = listed.entry is not None and standing.agreed == entry.digest
    state, problem = _state(listed, standing, consented=consented)
    shown: JsonObject = {}
    if host is not None:
        shown = {
            "era": host.era,
            "version": host.version,
            "server_title": host.server_title,
            "instructions": host.instructions,
            "tools": tuple(_tool(one, entry, standing.settings) for one in host.tools),
            "resources": len(host.resources),
            "prompts": len(host.prompts),
            "started_at": host.started_at,
            "sign_in": host.sign_in,
            "sign_in_address": host.sign_in_address,
        }
    return ServerView(
        name=listed.name,
        transport=entry.transport,
        command=entry.command or None,
        args=entry.args,
        cwd=entry.cwd,
        env_names=tuple(entry.env),
        url=entry.url,
        header_names=tuple(entry.headers),
        program=standing.look.program,
        enabled=standing.enabled,
        consented=consented,
        digest=entry.digest,
        state=state,
        problem=problem,
        advice=standing.look.advice,
        notes=entry.notes,
        **shown,
    )


def _state(
    listed: Listed, standing: ServerStatus, *, consented: bool
) -> tuple[ServerState, str | None]:
    host = standing.host
    if listed.problem is not None:
        return "failed", listed.problem
    if not standing.enabled:
        return "off", None
    if not consented:
        return "needs_consent", None
    if standing.stopped:
        return "stopped", None
    if standing.problem is not None:
        return "failed", standing.problem
    return ("starting", None) if host is None else (host.state, host.problem)


def _tool(tool: "ToolView", entry: Entry, settings: SkillsSettings) -> ServerToolView:
    return ServerToolView(
        name=tool.name,
        skill_id=tool.skill_id,
        title=tool.title,
        description=tool.description,
        enabled=is_on(tool.skill_id, tool.name, entry, settings),
        off_by_kind=tool.skill_id not in settings.tools
        and tool.name not in entry.disabled_tools
        and not settings.tiers.integration,
        state=tool.state,
        requires_approval=True,
        digest=tool.digest,
        parameters=tool.parameters,
        has_app=tool.app_uri is not None,
        changes=tool.changes,
        problem=tool.problem,
        warnings=tool.warnings,
    )


def is_on(skill_id: str, tool: str, entry: Entry, settings: SkillsSettings) -> bool:
    """Return whether a tool may be used: the user's word, else what `mcp.json` leaves out, else its kind."""
    said = settings.tools.get(skill_id)
    if said is not None:
        return said
    return tool not in entry.disabled_tools and settings.tiers.integration


def excluded_tools(servers: Mapping[str, Listed], settings: SkillsSettings) -> SkillsSettings:
    """Return the settings with the tools off that `mcp.json` leaves out and the user did not speak of."""
    off = {
        f"mcp:{one.name}:{tool}": False
        for one in servers.values()
        if one.entry is not None
        for tool in one.entry.disabled_tools
    }
    return settings.model_copy(update={"tools": {**off, **settings.tools}}) if off else settings


def importable(
    name: str, raw: JsonObject, notes: tuple[str, ...], here: Listed | None
) -> ImportableServer:
    """Return a server of another program without its secrets."""
    same = here is not None and _without_values(here.raw) == _without_values(raw)
    hidden = {key: _hidden(key, item) for key, item in raw.items()}
    return ImportableServer(
        name=name, entry=hidden, exists=here is not None, same=same, notes=notes
    )


def _hidden(key: str, item: Any) -> Any:
    if key in ("env", "headers") and isinstance(item, dict):
        return {name: _shown(value) for name, value in item.items()}
    if key in OAUTH and isinstance(item, dict):
        _, secret = OAUTH[key]
        shown = {name: _shown(value) for name, value in item.items() if name == secret}
        return {**_redacted(item), **shown}
    return _redacted(item)


def _shown(value: Any) -> Any:
    """Show a value that only names where it comes from."""
    is_reference = isinstance(value, str) and _FROM_ELSEWHERE.fullmatch(value) is not None
    return value if is_reference else HIDDEN


def _redacted(item: Any) -> Any:
    match item:
        case str():
            return redact(item)
        case list():
            return [_redacted(each) for each in item]
        case dict():
            return {key: _redacted(each) for key, each in item.items()}
        case _:
            return item


def _without_values(raw: Any) -> Any:
    """Return an entry without the values that may have moved to the keychain."""
    if not isinstance(raw, dict):
        return raw
    return {
        key: sorted(item) if key in ("env", "headers", *OAUTH) and isinstance(item, dict) else item
        for key, item in raw.items()
    }
