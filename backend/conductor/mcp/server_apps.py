"""Fetches the pages that MCP servers provide for their tools, and forwards the requests of each page to its
own server.
"""

import base64
import binascii
from typing import TYPE_CHECKING, Any, NoReturn

from conductor.base.json_types import JsonObject
from conductor.domain.plan import Requester
from conductor.domain.servers import AppPage
from conductor.errors import InvalidParams, NotAllowed, NotAvailable
from conductor.tools.registry import REGISTRY

if TYPE_CHECKING:
    from conductor.mcp.client.manager import ClientManager
    from conductor.mcp.client.values import ResourceContent, ToolAnswer, ToolView
    from conductor.mcp.registry.servers import Servers
    from conductor.mcp.server.tool_gate import ToolGate

UI_RESOURCE_SCHEME = "ui://"
CSP_DOMAIN_KEYS = ("connectDomains", "resourceDomains", "frameDomains", "baseUriDomains")
MAX_DOMAINS_SHOWN = 10


class ServerApps:
    """Implements `bridge.services.ServerApps`, which fetches the pages of MCP servers.

    Use the object on the event loop.
    """

    def __init__(self, servers: "Servers", gate: "ToolGate") -> None:
        self._servers = servers
        self._gate = gate

    async def open_page(self, tool: str) -> AppPage | None:
        """Fetch the page of a tool from its MCP server. Return None if the tool has no page.

        Raises:
            NotAvailable: The server is not running or returned no page.
        """
        known = REGISTRY.find_tool(tool)
        if known is None or not known.name.startswith("mcp:"):
            return None
        if reason := self._gate.explain_refusal(known):
            raise NotAllowed(reason)
        _, server, name = known.name.split(":", 2)
        view = self._find_tool(server, name)
        if view.app_uri is None or not view.app_uri.startswith(UI_RESOURCE_SCHEME):
            return None
        parts = await self._get_manager().read_resource(server, view.app_uri)
        page = next(
            (part for part in parts if (part.mime_type or "").startswith("text/html")), None
        )
        if page is None:
            raise NotAvailable(f"the MCP server {server} returned no page at {view.app_uri[:200]}")
        return AppPage(
            server,
            view.title,
            _decode_page(page),
            _list_requested_domains(page),
        )

    async def call_tool(
        self, server: str, tool: str, arguments: JsonObject, by: Requester
    ) -> JsonObject:
        """Call a tool for a page of the same MCP server.

        The user is asked for permission as for any other call.
        """
        if not self._find_tool(server, tool).for_app:
            raise NotAllowed(f"the MCP server {server} does not allow its page to call {tool[:80]}")
        page = by.model_copy(update={"client": f"the page of the MCP server {server}"})
        outcome = await self._gate.call_tool(f"mcp:{server}:{tool}", arguments, page)
        if outcome.error is not None:
            return {"content": [{"type": "text", "text": str(outcome.error)}], "isError": True}
        answer: Any = outcome.result
        return _build_result(answer)

    async def read_resource(self, server: str, uri: str) -> JsonObject:
        """Read a resource for a page of the same MCP server.

        The page may read only pages and resources that its server lists.
        """
        view = self._get_manager().build_server_view(server)
        listed = {resource.uri for resource in view.resources} if view is not None else set[str]()
        if not uri.startswith(UI_RESOURCE_SCHEME) and uri not in listed:
            raise NotAllowed(
                f"a page can read only resources that its MCP server lists; {uri[:80]} is not listed"
            )
        if not any(
            tool.app_uri and self._is_usable(server, tool) for tool in self._list_tools(server)
        ):
            raise NotAllowed(f"the MCP server {server} has no page that can read resources")
        parts = await self._get_manager().read_resource(server, uri)
        return {"contents": [_build_content(part) for part in parts]}

    def _is_usable(self, server: str, tool: "ToolView") -> bool:
        known = REGISTRY.find_tool(f"mcp:{server}:{tool.name}")
        return known is not None and self._gate.explain_refusal(known) is None

    def _get_manager(self) -> "ClientManager":
        host = self._servers.runs.manager
        return _raise_not_running() if host is None else host

    def _list_tools(self, server: str) -> "tuple[ToolView, ...]":
        view = self._get_manager().build_server_view(server)
        return _raise_not_running() if view is None else view.tools

    def _find_tool(self, server: str, name: str) -> "ToolView":
        for tool in self._list_tools(server):
            if tool.name == name and tool.state == "ok":
                return tool
        raise InvalidParams(f"the MCP server {server} has no tool {name[:80]} that can be used")


def _raise_not_running() -> NoReturn:
    raise NotAvailable("this MCP server is not running; start it in Settings > MCP servers")


def _decode_page(page: "ResourceContent") -> str:
    if page.text is not None:
        return page.text
    try:
        return base64.b64decode(page.blob or "", validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise NotAvailable("the page of the MCP server cannot be read: it is not text") from None


def _list_requested_domains(page: "ResourceContent") -> tuple[str, ...]:
    """Return the domains to which a page requests access, so that the user can be told.

    No access is ever granted.
    """
    policy: Any = page.meta.get("ui", {})
    policy = policy.get("csp", {}) if isinstance(policy, dict) else {}
    lists = [policy.get(name) for name in CSP_DOMAIN_KEYS] if isinstance(policy, dict) else []
    domains = [str(domain)[:100] for each in lists if isinstance(each, list) for domain in each]
    return tuple(dict.fromkeys(domains))[:MAX_DOMAINS_SHOWN]


def _build_result(answer: "ToolAnswer") -> JsonObject:
    if answer.app is not None:
        return answer.app
    structured = {} if answer.structured is None else {"structuredContent": answer.structured}
    return {"content": [{"type": "text", "text": answer.text}], **structured}


def _build_content(part: "ResourceContent") -> JsonObject:
    body = {"text": part.text} if part.text is not None else {"blob": part.blob or ""}
    kind = {} if part.mime_type is None else {"mimeType": part.mime_type}
    return {"uri": part.uri, **kind, **body}
