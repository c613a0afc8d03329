"""Conductor's port for other computers in this process: real TLS, real SQLite, the MCP library's own client."""

import base64
import hashlib
import re
import socket
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import anyio
import httpx2
import mcp_types as types
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel import Server
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl

from conductor.domain.plan import Requester
from conductor.domain.remote_access import AuthorizationRequestView, RemoteAccessStatus, RemoteScope
from conductor.domain.settings import LlmMcp
from conductor.mcp.remote.access import RemoteAccess, RemoteAccessDeps
from conductor.mcp.server.requesters import find_requester
from conductor.storage.database import Database
from conductor.tools.approval.remote_scopes import find_required_scope
from conductor.tools.catalog import REGISTRY
from mcp import Client

REDIRECT_URI = "http://127.0.0.1:9/callback"
Decide = Callable[[RemoteAccess, str], object]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class RemoteRig:
    """The open port, what the user was told, and which calls arrived."""

    access: RemoteAccess
    port: int
    home: Path
    settings: LlmMcp
    requests: list[AuthorizationRequestView]
    notices: list[str]
    problems: list[str | None]
    statuses: list[RemoteAccessStatus]
    calls: list[tuple[str, Requester]] = field(default_factory=list[tuple[str, Requester]])
    hold: anyio.Event | None = None
    """A call of `conductor_learn` waits for it."""

    @property
    def issuer(self) -> str:
        return f"https://localhost:{self.port}"

    @property
    def resource(self) -> str:
        return f"{self.issuer}/mcp"

    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.home / "remote-certificate.pem"))

    def browser(self, **options: Any) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(verify=self.trust(), base_url=self.issuer, **options)


@asynccontextmanager
async def open_remote(home: Path, **settings: Any) -> AsyncGenerator[RemoteRig]:
    """Open the port with these settings, and close it in the end."""
    port = free_port()
    chosen = {
        "remote_enabled": True,
        "remote_host": "127.0.0.1",
        "remote_port": port,
        "remote_address": f"https://localhost:{port}",
        **settings,
    }
    import_module("conductor.storage.remote_access")  # registers its tables
    database = Database(home / "conductor.db")
    requests: list[AuthorizationRequestView] = []
    notices: list[str] = []
    problems: list[str | None] = []
    statuses: list[RemoteAccessStatus] = []
    rig: RemoteRig

    async def load_server() -> Server[Any]:
        return build_server(rig)

    deps = RemoteAccessDeps(
        home=home,
        settings=lambda: rig.settings,
        open_database=lambda: database,
        load_server=load_server,
        find_scope=partial(find_required_scope, REGISTRY),
        on_request=requests.append,
        on_change=statuses.append,
        show_notice=notices.append,
        report_problem=problems.append,
    )
    rig = RemoteRig(
        RemoteAccess(deps),
        port,
        home,
        LlmMcp.model_validate(chosen),
        requests,
        notices,
        problems,
        statuses,
    )
    rig.access.start()
    await rig.access.apply_settings()
    try:
        yield rig
    finally:
        await rig.access.stop()
        database.close()


def build_server(rig: RemoteRig) -> Server[Any]:
    """Return a server that records who calls which tool."""

    async def list_tools(_ctx: Any, _params: Any) -> types.ListToolsResult:
        names = ("conductor_get_status", "conductor_switch_mode", "conductor_create_mode")
        return types.ListToolsResult(
            tools=[types.Tool(name=name, input_schema={"type": "object"}) for name in names]
        )

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        rig.calls.append((params.name, find_requester(ctx)))
        if rig.hold is not None:
            await rig.hold.wait()
        return types.CallToolResult(content=[types.TextContent(text="done")])

    return Server("conductor", on_list_tools=list_tools, on_call_tool=call_tool)


class MemoryTokens(TokenStorage):
    """Where the MCP library's client keeps its tokens."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def allow(access: RemoteAccess, code: str) -> None:
    access.requests.allow_request(code)


def allow_only(*scopes: RemoteScope) -> Decide:
    return lambda access, code: access.requests.allow_request(code, scopes)


def deny(access: RemoteAccess, _code: str) -> None:
    access.requests.deny_request(access.requests.list_pending()[0].request_id)


def read_code(page: str) -> str:
    """Return the code that a page shows."""
    shown = re.search(r'class="code">(\d{3}) (\d{3})<', page)
    assert shown is not None, page
    return "".join(shown.groups())


async def visit(rig: RemoteRig, address: str, decide: Decide = allow) -> dict[str, str]:
    """Open an authorization address as a browser, decide as the user, and return what the agent receives."""
    async with rig.browser() as browser:
        start = await browser.get(address)
        assert start.status_code == 302, start.text
        waiting = start.headers["location"]
        if not waiting.startswith(rig.issuer):
            return read_redirect(waiting)
        page = await browser.get(waiting)
        decide(rig.access, read_code(page.text))
        done = await browser.get(waiting)
        assert done.status_code == 302, done.text
        return read_redirect(done.headers["location"])


def read_redirect(location: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}


@asynccontextmanager
async def sign_in_client(
    rig: RemoteRig,
    storage: MemoryTokens | None = None,
    decide: Decide = allow,
    document: str | None = None,
) -> AsyncGenerator[Callable[..., Awaitable[Client]]]:
    """Yield a function that connects the MCP library's client, which signs in when it is told to."""
    answers: list[dict[str, str]] = []

    async def open_browser(address: str) -> None:
        answers.append(await visit(rig, address, decide))

    async def wait_for_answer() -> AuthorizationCodeResult:
        answer = answers.pop()
        return AuthorizationCodeResult(
            code=answer.get("code", ""), state=answer.get("state"), iss=answer.get("iss")
        )

    metadata = OAuthClientMetadata(client_name="Test agent", redirect_uris=[AnyUrl(REDIRECT_URI)])
    auth = OAuthClientProvider(
        rig.resource,
        metadata,
        storage or MemoryTokens(),
        redirect_handler=open_browser,
        callback_handler=wait_for_answer,
        client_metadata_url=document,
    )
    async with httpx2.AsyncClient(verify=rig.trust(), auth=auth, timeout=20) as web:
        yield partial(connect, rig, web)


async def connect(rig: RemoteRig, web: httpx2.AsyncClient, **options: Any) -> Client:
    return Client(streamable_http_client(rig.resource, http_client=web), **options)


def scopes_of(text: str | None) -> Sequence[str]:
    return (text or "").split()


@dataclass
class RawClient:
    """An agent that sends each request of OAuth by hand, as an attacker would."""

    rig: RemoteRig
    web: httpx2.AsyncClient
    client_id: str = ""
    verifier: str = "v" * 43

    @property
    def challenge(self) -> str:
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")

    async def register(self, **fields: Any) -> httpx2.Response:
        body = {"client_name": "Raw agent", "redirect_uris": [REDIRECT_URI], **fields}
        answer = await self.web.post("/register", json=body)
        self.client_id = answer.json().get("client_id", "")
        return answer

    def build_address(self, **fields: str | None) -> str:
        """Return an authorization address; a field that is None is left out."""
        query = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": REDIRECT_URI,
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
            "state": "the state",
            "scope": "look",
            "resource": self.rig.resource,
            **fields,
        }
        return "/authorize?" + urlencode({k: v for k, v in query.items() if v is not None})

    async def get_code(self, decide: Decide = allow, **fields: str | None) -> str:
        return (await visit(self.rig, self.build_address(**fields), decide))["code"]

    async def exchange(self, code: str, **fields: str) -> httpx2.Response:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": REDIRECT_URI,
            "client_id": self.client_id,
            "code_verifier": self.verifier,
            "resource": self.rig.resource,
            **fields,
        }
        return await self.web.post("/token", data=form)

    async def refresh(self, token: str, **fields: str) -> httpx2.Response:
        form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": self.client_id}
        return await self.web.post("/token", data={**form, **fields})

    async def sign_in(self, scope: str = "look") -> dict[str, Any]:
        """Return the tokens after the user has allowed the agent."""
        if not self.client_id:
            await self.register()
        answer = await self.exchange(await self.get_code(scope=scope))
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def call(
        self, token: str | None, method: str = "tools/list", params: Any = None, **headers: str
    ) -> httpx2.Response:
        """Send a request of the newest protocol, which needs no handshake."""
        key = "io.modelcontextprotocol/"
        meta = {
            f"{key}protocolVersion": "2026-07-28",
            f"{key}clientInfo": {"name": "another name", "version": "1"},
            f"{key}clientCapabilities": {},
        }
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": method,
            "params": {**(params or {}), "_meta": meta},
        }
        name = {"mcp-name": params["name"]} if params and "name" in params else {}
        return await self.web.post(
            "/mcp",
            json=body,
            headers={
                "accept": "application/json, text/event-stream",
                "mcp-protocol-version": "2026-07-28",
                "mcp-method": method,
                **name,
                **({} if token is None else {"authorization": f"Bearer {token}"}),
                **headers,
            },
        )

    async def call_tool(self, token: str, name: str) -> httpx2.Response:
        return await self.call(token, "tools/call", {"name": name, "arguments": {}})


@asynccontextmanager
async def open_raw_client(
    home: Path, **settings: Any
) -> AsyncGenerator[tuple[RemoteRig, RawClient]]:
    async with open_remote(home, **settings) as rig, rig.browser(timeout=20) as web:
        yield rig, RawClient(rig, web)
