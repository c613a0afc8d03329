"""Commands about the servers for other agents, and about the access of agents on other computers."""

from pydantic import Field

from conductor.bridge.models import Empty
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.a2a import A2aStatus
from conductor.domain.remote_access import (
    AuthorizationRequestView,
    RemoteAccessStatus,
    RemoteGrantView,
    RemoteScope,
)
from conductor.domain.value import Value


class AuthorizationRequestList(Value):
    requests: tuple[AuthorizationRequestView, ...]
    """The requests that wait for the user, oldest first."""


class AllowRequestParams(Value):
    request_id: str = Field(min_length=1, max_length=64)
    code: str = Field(min_length=1, max_length=20)
    """The code that the browser shows."""
    scopes: tuple[RemoteScope, ...]
    """The scopes that the user grants, out of those that were requested."""


class DenyRequestParams(Value):
    request_id: str = Field(min_length=1, max_length=64)


class RemoteGrantList(Value):
    grants: tuple[RemoteGrantView, ...]
    """The access that the user has granted, newest first."""


class RevokeGrantParams(Value):
    grant_id: str = Field(min_length=1, max_length=64)


@query("remote.status")
def read_status(params: Empty, call: Call) -> RemoteAccessStatus:
    """Return whether and where agents on other computers are served, with the certificate."""
    return call.services.remote.get_status()


@query("a2a.status")
def read_a2a_status(params: Empty, call: Call) -> A2aStatus:
    """Return whether and where other agents are served over A2A."""
    return call.services.a2a.get_status()


@query("remote.requests")
def list_requests(params: Empty, call: Call) -> AuthorizationRequestList:
    """Return the agents on other computers that ask for access."""
    return AuthorizationRequestList(requests=tuple(call.services.remote.requests.list_pending()))


@command("remote.allow", "privileged", unlogged_params=("code",))
def allow_access(params: AllowRequestParams, call: Call) -> AuthorizationRequestView:
    """Allow an agent to connect. The code proves that the user has seen the browser that asks for it."""
    return call.services.remote.requests.allow_request(
        params.code, params.scopes, params.request_id
    )


@command("remote.deny", "privileged")
def deny_access(params: DenyRequestParams, call: Call) -> AuthorizationRequestView:
    """Refuse to give an agent access."""
    return call.services.remote.requests.deny_request(params.request_id)


@query("remote.grants")
def list_grants(params: Empty, call: Call) -> RemoteGrantList:
    """Return the agents on other computers that have access."""
    return RemoteGrantList(grants=tuple(call.services.remote.list_grants()))


@command("remote.revoke", "privileged")
def revoke_access(params: RevokeGrantParams, call: Call) -> RemoteGrantList:
    """Revoke the access of an agent at once, and end its open requests."""
    call.services.remote.revoke_grant(params.grant_id)
    return list_grants(Empty(), call)
