"""The services for other agents, here and on other computers, that commands use, as protocols."""

from collections.abc import Sequence
from typing import Protocol

from conductor.domain.a2a import A2aStatus
from conductor.domain.remote_access import (
    AuthorizationRequestView,
    RemoteAccessStatus,
    RemoteGrantView,
    RemoteScope,
)


class AuthorizationRequests(Protocol):
    """The requests for access of agents on other computers.

    Implemented by `mcp.remote.authorization_requests.AuthorizationRequests`.
    """

    def list_pending(self) -> Sequence[AuthorizationRequestView]: ...
    def allow_request(
        self, code: str, scopes: Sequence[RemoteScope] | None = None, request_id: str | None = None
    ) -> AuthorizationRequestView:
        """Allow the request whose browser shows this code.

        Raises:
            NotAllowed: The code is wrong.
            UnknownApproval: The request is not pending.
        """
        ...

    def deny_request(self, request_id: str) -> AuthorizationRequestView: ...


class A2aListener(Protocol):
    """The server for other agents, implemented by `mcp.a2a.listener.A2aListener`."""

    def get_status(self) -> A2aStatus: ...


class RemoteAccess(Protocol):
    """The access of agents on other computers, implemented by `mcp.remote.access.RemoteAccess`."""

    @property
    def requests(self) -> AuthorizationRequests: ...
    def get_status(self) -> RemoteAccessStatus: ...
    def list_grants(self) -> Sequence[RemoteGrantView]: ...
    def revoke_grant(self, grant_id: str) -> RemoteGrantView:
        """Revoke access at once.

        Raises:
            UnknownApproval: There is no such access.
        """
        ...
