"""Builds the HTTP server for other agents: the agent card, and the JSON-RPC endpoint behind the token.

Importing this module imports the A2A library, which takes a second, so `listener.py` uses a thread.
"""

import asyncio
import json
import logging

from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from mcp.server.transport_security import (
    TransportSecurityMiddleware,
    TransportSecuritySettings,
)
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount

from conductor.base.http_server import HttpServer
from conductor.base.loopback import LOOPBACK_HOST_NAMES
from conductor.domain.settings import LlmA2a
from conductor.mcp.a2a.callers import CallContextBuilder
from conductor.mcp.a2a.card import A2A_ENDPOINT_PATH, build_agent_card, build_card_address
from conductor.mcp.a2a.decisions import PlanDecisions
from conductor.mcp.a2a.deps import A2aDeps
from conductor.mcp.a2a.executor import SkillExecutor
from conductor.mcp.a2a.handler import TaskRequestHandler
from conductor.mcp.a2a.push import PushConfigs, PushSender
from conductor.mcp.a2a.tasks import OwnedTasks
from conductor.mcp.server.asgi import (
    AsgiApp,
    BodyTooLarge,
    Receive,
    Scope,
    Send,
    read_body,
    replay_body,
)
from conductor.mcp.server.http import (
    HTTP_SHUTDOWN_TIMEOUT_S,
    HttpToken,
    add_peer_to_scope,
    require_http_token,
)

MAX_REQUEST_BYTES = 300_000
"""A task keeps its message in memory, so a message must not be much larger than a plan of many changes."""
CARD_CACHE_CONTROL = "max-age=60"
"""A client may use an outdated card this long after the user has changed the name or the port."""
PARSE_ERROR_CODE = -32700
LIBRARY_LOGGER = "a2a"


class A2aServer:
    """The server for other agents. It stores their tasks as long as it runs."""

    def __init__(self, deps: A2aDeps, settings: LlmA2a) -> None:
        # The library logs whole messages and the tracebacks of malformed requests.
        logging.getLogger(LIBRARY_LOGGER).setLevel(logging.CRITICAL)
        self._token = HttpToken(lambda: deps.settings().mcp, deps.home)
        self.decisions = PlanDecisions(deps.plans)
        configs = PushConfigs()
        self._sender = PushSender(configs)
        self.card_address = build_card_address(settings.http_port)
        card = build_agent_card(settings.agent_name, deps.version, settings.http_port)
        self._handler = TaskRequestHandler(
            SkillExecutor(deps, self.decisions),
            OwnedTasks(configs.forget_task),
            card,
            configs,
            self._sender,
        )
        rpc = Starlette(
            routes=[
                route
                # clients that use the address as a base put a slash after it
                for path in (A2A_ENDPOINT_PATH, f"{A2A_ENDPOINT_PATH}/")
                for route in create_jsonrpc_routes(
                    self._handler, path, context_builder=CallContextBuilder()
                )
            ]
        )
        checked = refuse_invalid_bodies(add_peer_to_scope(rpc))
        app = Starlette(
            routes=[
                # public, because it says how to authenticate
                *create_agent_card_routes(card, cache_control=CARD_CACHE_CONTROL),
                Mount("/", require_http_token(checked, self._token.is_sent_in)),
            ]
        )
        port = settings.http_port
        self._http = HttpServer(
            refuse_other_hosts(app, port),
            port,
            port_in_use_error="A2A cannot listen on port {}; set llm.a2a.http_port to a free one",
            lifespan="off",
            timeout_graceful_shutdown=HTTP_SHUTDOWN_TIMEOUT_S,
        )

    async def start(self) -> None:
        """Start to listen.

        Raises:
            NotAvailable: The port is in use, or the token cannot be used.
        """
        await asyncio.to_thread(self._token.load)
        await self._http.start()

    async def stop(self) -> None:
        """Cancel all tasks, and close the port. Plans stay pending."""
        await self._handler.aclose()
        await self._sender.stop()
        await self._http.stop()

    def reload_files(self) -> bool:
        """Check the file with the token, which is read again at each request.

        Raises:
            NotAvailable: The token cannot be used, so that all requests are refused.
        """
        self._token.load()
        return False


def refuse_other_hosts(app: AsgiApp, port: int) -> AsgiApp:
    """Return an ASGI app that refuses requests of web pages, and through DNS rebinding."""
    hosts = [f"{name}:{port}" for name in LOOPBACK_HOST_NAMES]
    security = TransportSecurityMiddleware(TransportSecuritySettings(allowed_hosts=hosts))

    async def check_host(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        is_post = request.method == "POST"
        refusal = await security.validate_request(request, is_post=is_post)
        await (refusal or app)(scope, receive, send)

    return check_host


def refuse_invalid_bodies(app: AsgiApp) -> AsgiApp:
    """Return an ASGI app that refuses a body that is too large, and answers one that is no JSON with an error.

    The library answers some of these, such as deeply nested arrays, with an internal error.
    """

    async def check_body(scope: Scope, receive: Receive, send: Send) -> None:
        refusal: JSONResponse | None = None
        body = b""
        try:
            body = await read_body(receive, MAX_REQUEST_BYTES)
            json.loads(body)
        except BodyTooLarge:
            text = f"the request has more than {MAX_REQUEST_BYTES} bytes: send a smaller message"
            refusal = JSONResponse({"error": text}, status_code=413)
        except (ValueError, RecursionError):
            error = {"code": PARSE_ERROR_CODE, "message": "Invalid JSON payload"}
            refusal = JSONResponse({"jsonrpc": "2.0", "id": None, "error": error})
        await (refusal or app)(scope, replay_body(body, receive), send)

    return check_body
