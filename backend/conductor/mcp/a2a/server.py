"""Builds the HTTP server for other agents: the agent card, and the JSON-RPC endpoint behind the token.

Importing this module imports the A2A library, which takes a second, so `listener.py` uses a thread.
"""

import json
import logging
from collections.abc import Callable

from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from mcp.server.transport_security import (
    RequestBodyLimitMiddleware,
    TransportSecurityMiddleware,
    TransportSecuritySettings,
)
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount

from conductor.base.http_server import HttpServer
from conductor.base.loopback import LOOPBACK_HOST
from conductor.mcp.a2a.callers import CallContextBuilder
from conductor.mcp.a2a.card import A2A_ENDPOINT_PATH, build_agent_card
from conductor.mcp.a2a.decisions import PlanDecisions
from conductor.mcp.a2a.deps import A2aDeps
from conductor.mcp.a2a.executor import SkillExecutor
from conductor.mcp.a2a.handler import TaskRequestHandler
from conductor.mcp.a2a.push import PushConfigs, PushSender
from conductor.mcp.a2a.tasks import OwnedTasks
from conductor.mcp.server.access import AGENTS_DISABLED_MESSAGE
from conductor.mcp.server.http import (
    HTTP_SHUTDOWN_TIMEOUT_S,
    AsgiApp,
    Receive,
    Scope,
    Send,
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

    def __init__(self, deps: A2aDeps, token: str) -> None:
        # The library logs whole messages and the tracebacks of malformed requests.
        logging.getLogger(LIBRARY_LOGGER).setLevel(logging.CRITICAL)
        settings = deps.settings().a2a
        self.decisions = PlanDecisions(deps.plans)
        configs = PushConfigs()
        self._sender = PushSender(configs)
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
        guarded = refuse_while_disabled(
            RequestBodyLimitMiddleware(
                refuse_invalid_json(add_peer_to_scope(rpc)), MAX_REQUEST_BYTES
            ),
            lambda: deps.settings().mcp.enabled,
        )
        app = Starlette(
            routes=[
                # public, because it says how to authenticate
                *create_agent_card_routes(card, cache_control=CARD_CACHE_CONTROL),
                Mount("/", require_http_token(guarded, token)),
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
            NotAvailable: The port is in use.
        """
        await self._http.start()

    async def stop(self) -> None:
        """Cancel all tasks, and close the port. Plans stay pending."""
        await self._handler.aclose()
        await self._sender.stop()
        await self._http.stop()


def refuse_other_hosts(app: AsgiApp, port: int) -> AsgiApp:
    """Return an ASGI app that refuses requests of web pages, and through DNS rebinding."""
    hosts = [f"{name}:{port}" for name in (LOOPBACK_HOST, "localhost")]
    security = TransportSecurityMiddleware(TransportSecuritySettings(allowed_hosts=hosts))

    async def check_host(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        is_post = request.method == "POST"
        refusal = await security.validate_request(request, is_post=is_post)
        await (refusal or app)(scope, receive, send)

    return check_host


def refuse_while_disabled(app: AsgiApp, are_agents_enabled: Callable[[], bool]) -> AsgiApp:
    """Return an ASGI app that refuses all requests while the user has switched agents off."""

    async def check_enabled(scope: Scope, receive: Receive, send: Send) -> None:
        if are_agents_enabled():
            await app(scope, receive, send)
        else:
            refusal = JSONResponse({"error": AGENTS_DISABLED_MESSAGE}, status_code=403)
            await refusal(scope, receive, send)

    return check_enabled


def refuse_invalid_json(app: AsgiApp) -> AsgiApp:
    """Return an ASGI app that answers a body that is no JSON with a parse error.

    The library answers some of these, such as deeply nested arrays, with an internal error.
    """

    async def check_json(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        body = await request.body()
        try:
            json.loads(body)
        except (ValueError, RecursionError):
            error = {"code": PARSE_ERROR_CODE, "message": "Invalid JSON payload"}
            refusal = JSONResponse({"jsonrpc": "2.0", "id": None, "error": error})
            await refusal(scope, receive, send)
            return
        messages = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Scope:
            return messages.pop() if messages else await receive()

        await app(scope, replay, send)

    return check_json
