"""Builds the views of the servers in `mcp.json`: their entry, the user's consent and their current state."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from conductor.base.json_types import JsonObject
from conductor.base.redact import REDACTED_TEXT, redact_secrets
from conductor.domain.servers import ImportableServer, ServerState, ServerToolView, ServerView
from conductor.domain.settings import SkillsSettings
from conductor.mcp.registry.entry import OAUTH_CLIENT_FIELDS, ServerEntry
from conductor.mcp.registry.file import ListedServer
from conductor.mcp.registry.warnings import find_entry_warnings, find_program

if TYPE_CHECKING:
    from conductor.mcp.client.values import ClientView, ToolView

UNREADABLE_ENTRY = ServerEntry("stdio")
_REFERENCE_ONLY_VALUE = re.compile(r"(?:(?:Bearer|Basic|Token) )?\$\{[^{}]*\}", re.IGNORECASE)


class ConsentCheck(NamedTuple):
    """The program and the warnings of a server, which the user sees before consenting."""

    program: str | None
    advice: tuple[str, ...]


UNCHECKED_CONSENT = ConsentCheck(None, ())


def check_consent(listed: ListedServer) -> ConsentCheck:
    """Find the program and the warnings that the user must see before consenting to a server.

    Call this in a worker thread, because it reads the disk.
    """
    if listed.entry is None:
        return UNCHECKED_CONSENT
    return ConsentCheck(find_program(listed.entry), tuple(find_entry_warnings(listed.entry)))


class ServerStatus(NamedTuple):
    """What a view needs besides the entry of a server: the consent, the state and the reason of a failed
    start.
    """

    enabled: bool
    consented_digest: str | None
    """The digest that the user has consented to."""
    stopped: bool
    problem: str | None
    """Why the server could not be started, or None."""
    client_view: "ClientView | None"
    settings: SkillsSettings
    check: ConsentCheck = UNCHECKED_CONSENT
    awaits_consent: bool = False
    """Whether the server will be switched on as soon as the user consents."""


def build_server_view(listed: ListedServer, status: ServerStatus) -> ServerView:
    """Return the view of a server, which the page and the terminal show: its entry, its status and its
    tools.
    """
    entry, client_view = listed.entry or UNREADABLE_ENTRY, status.client_view
    consented = listed.entry is not None and status.consented_digest == entry.digest
    state, problem = _find_server_state(listed, status, consented=consented)
    shown: JsonObject = {}
    if client_view is not None:
        shown = {
            "era": client_view.era,
            "version": client_view.version,
            "server_title": client_view.server_title,
            "instructions": client_view.instructions,
            "tools": tuple(
                _build_tool_view(one, entry, status.settings) for one in client_view.tools
            ),
            "resources": len(client_view.resources),
            "prompts": len(client_view.prompts),
            "started_at": client_view.started_at,
            "sign_in": client_view.sign_in,
            "sign_in_address": client_view.sign_in_address,
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
        program=status.check.program,
        enabled=status.enabled,
        consented=consented,
        digest=entry.digest,
        state=state,
        problem=problem,
        advice=status.check.advice,
        notes=entry.notes,
        **shown,
    )


def _find_server_state(
    listed: ListedServer, status: ServerStatus, *, consented: bool
) -> tuple[ServerState, str | None]:
    client_view = status.client_view
    if listed.problem is not None:
        return "failed", listed.problem
    if not consented and (status.enabled or status.awaits_consent):
        return "needs_consent", None
    if not status.enabled:
        return "off", None
    if status.stopped:
        return "stopped", None
    if status.problem is not None:
        return "failed", status.problem
    return ("starting", None) if client_view is None else (client_view.state, client_view.problem)


def _build_tool_view(
    tool: "ToolView", entry: ServerEntry, settings: SkillsSettings
) -> ServerToolView:
    return ServerToolView(
        name=tool.name,
        skill_id=tool.skill_id,
        title=tool.title,
        description=tool.description,
        enabled=is_tool_enabled(tool.skill_id, tool.name, entry, settings),
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


def is_tool_enabled(skill_id: str, tool: str, entry: ServerEntry, settings: SkillsSettings) -> bool:
    """Return whether a tool is on by the user's setting, or else by `mcp.json` and its tier."""
    user_setting = settings.tools.get(skill_id)
    if user_setting is not None:
        return user_setting
    return tool not in entry.disabled_tools and settings.tiers.integration


def apply_excluded_tools(
    servers: Mapping[str, ListedServer], settings: SkillsSettings
) -> SkillsSettings:
    """Return settings in which the tools that `mcp.json` excludes are off, unless the user has set them."""
    off = {
        f"mcp:{one.name}:{tool}": False
        for one in servers.values()
        if one.entry is not None
        for tool in one.entry.disabled_tools
    }
    return settings.model_copy(update={"tools": {**off, **settings.tools}}) if off else settings


def build_importable_server(
    name: str, raw: JsonObject, notes: tuple[str, ...], existing: ListedServer | None
) -> ImportableServer:
    """Return the view of another program's server, without its secrets."""
    same = existing is not None and _strip_movable_values(existing.raw) == _strip_movable_values(
        raw
    )
    hidden = {key: _hide_secret_values(key, item) for key, item in raw.items()}
    return ImportableServer(
        name=name, entry=hidden, exists=existing is not None, same=same, notes=notes
    )


def _hide_secret_values(key: str, item: Any) -> Any:
    if key in ("env", "headers") and isinstance(item, dict):
        return {name: _hide_literal_value(value) for name, value in item.items()}
    if key in OAUTH_CLIENT_FIELDS and isinstance(item, dict):
        _, secret = OAUTH_CLIENT_FIELDS[key]
        shown = {name: _hide_literal_value(value) for name, value in item.items() if name == secret}
        return {**_redact_secrets_in_texts(item), **shown}
    return _redact_secrets_in_texts(item)


def _hide_literal_value(value: Any) -> Any:
    """Return the value if it only refers to a secret, and a placeholder otherwise."""
    is_reference = isinstance(value, str) and _REFERENCE_ONLY_VALUE.fullmatch(value) is not None
    return value if is_reference else REDACTED_TEXT


def _redact_secrets_in_texts(item: Any) -> Any:
    match item:
        case str():
            return redact_secrets(item)
        case list():
            return [_redact_secrets_in_texts(each) for each in item]
        case dict():
            return {key: _redact_secrets_in_texts(each) for key, each in item.items()}
        case _:
            return item


def _strip_movable_values(raw: Any) -> Any:
    """Return an entry without the values that may have been moved to the keychain."""
    if not isinstance(raw, dict):
        return raw
    return {
        key: sorted(item)
        if key in ("env", "headers", *OAUTH_CLIENT_FIELDS) and isinstance(item, dict)
        else item
        for key, item in raw.items()
    }
