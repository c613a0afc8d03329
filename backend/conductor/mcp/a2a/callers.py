"""Identifies the program that sends a request: by its process, as for MCP over HTTP."""

import json

from a2a.auth.user import User
from a2a.server.context import ServerCallContext
from a2a.server.routes.common import DefaultServerCallContextBuilder
from starlette.requests import Request

from conductor.domain.plan import Requester
from conductor.mcp.server.requesters import PEER_STATE_KEY, build_http_requester

A2A_CLIENT_NAME = "A2A client"
"""The client name of all requests, because an A2A message does not contain the name of its sender."""
SECRET_HEADERS = ("authorization", "cookie")


class ProgramUser(User):
    """The program that sent a request, which has given the token."""

    def __init__(self, requester: Requester) -> None:
        self.requester = requester

    @property
    def is_authenticated(self) -> bool:
        return True

    @property
    def user_name(self) -> str:
        """The owner of the tasks that the program starts."""
        return json.dumps(self.requester.get_process())


class CallContextBuilder(DefaultServerCallContextBuilder):
    """Builds the context of a request, with its program and without the token."""

    def build(self, request: Request) -> ServerCallContext:
        context = super().build(request)
        headers = context.state["headers"]
        context.state["headers"] = {
            name: value for name, value in headers.items() if name.lower() not in SECRET_HEADERS
        }
        return context

    def build_user(self, request: Request) -> User:
        peer = request.scope["state"].get(PEER_STATE_KEY)
        return ProgramUser(build_http_requester(A2A_CLIENT_NAME, peer))


def get_requester(context: ServerCallContext) -> Requester:
    """Return the program that sent a request."""
    assert isinstance(context.user, ProgramUser)
    return context.user.requester


def get_program(by: Requester) -> tuple[str | None, str | None]:
    """Return the program whose requests are limited together.

    Otherwise a program would get new limits with each process that it starts. Programs that the system does
    not identify share theirs.
    """
    return by.executable, by.program
