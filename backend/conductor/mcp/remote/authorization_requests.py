"""Asks the user whether an agent on another computer may have access.

The agent opens a page of Conductor in a browser, which shows a code. The user allows the request in Conductor's
window or at a terminal by entering this code there. So nobody can get access who does not have the user's
hands on Conductor, and the user cannot allow another request by mistake, such as one that somebody else on the
network made at the same moment.
"""

import hmac
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import RLock

from conductor.domain.remote_access import (
    ALWAYS_GRANTED_SCOPE,
    Authorization,
    AuthorizationRequestView,
    AuthorizationState,
    RemoteScope,
)
from conductor.errors import InvalidParams, NotAllowed, RateLimited, UnknownApproval

REQUEST_TIMEOUT = timedelta(minutes=5)
RESULT_TIMEOUT = timedelta(minutes=1)
"""How long the browser can fetch the result of a request that has expired."""
MAX_PENDING_REQUESTS = 20
MAX_PENDING_OF_SOURCE = 3
"""More requests from one network address are refused. They must not replace one that the user is looking at."""
MAX_USER_CODE_ATTEMPTS = 3
USER_CODE_DIGITS = 6
NO_ATTEMPT_LEFT_MESSAGE = (
    "this is not the code that the browser shows, and no attempt is left: let the agent ask again"
)
NO_REQUEST_MESSAGE = (
    "no agent is asking for access; let the agent sign in, and enter the code of its browser"
)


@dataclass
class AuthorizationRequest:
    """A request for access, from the visit of the browser until it has been redirected back to the agent."""

    view: AuthorizationRequestView
    authorization: Authorization
    state_parameter: str | None
    """The OAuth `state` that the agent expects back."""
    browser_key: str
    """The secret in the address of the browser's page, which no other browser knows."""
    user_code: str
    """What the user enters, as in the device flow of OAuth (RFC 8628)."""
    attempts_left: int = MAX_USER_CODE_ATTEMPTS


class AuthorizationRequests:
    """The requests for access that wait for the user, and those whose decision the browser has not fetched yet.

    The methods may be called in any thread. `on_change` is called with each new state of a request.
    """

    def __init__(
        self,
        on_change: Callable[[AuthorizationRequestView], None],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._on_change = on_change
        self._clock = clock
        self._requests: dict[str, AuthorizationRequest] = {}
        """The requests by their browser keys, the oldest first."""
        self._lock = RLock()

    def add_request(
        self,
        authorization: Authorization,
        state_parameter: str | None,
        source: str,
        granted: Sequence[RemoteScope],
    ) -> str:
        """Add a request and return its browser key.

        Raises:
            RateLimited: Too many requests are pending.
        """
        now = self._clock()
        view = AuthorizationRequestView(
            request_id=secrets.token_hex(8),
            state="pending",
            client=authorization.client,
            redirect_host=authorization.redirect_host,
            source=source,
            scopes=authorization.scopes,
            granted=tuple(granted),
            requested_at=now,
            expires_at=now + REQUEST_TIMEOUT,
        )
        request = AuthorizationRequest(
            view,
            authorization,
            state_parameter,
            secrets.token_urlsafe(32),
            user_code="",
        )
        with self._lock:
            self._expire_requests()
            wait_s = self.count_wait_s(source)
            if wait_s > 0:
                raise RateLimited(
                    "too many agents ask for access: decide on them in Conductor, or try again in"
                    f" {wait_s:.0f} s"
                )
            request.user_code = self._create_user_code()
            self._requests[request.browser_key] = request
        self._on_change(view)
        return request.browser_key

    def count_wait_s(self, source: str) -> float:
        """Return the seconds until a network address may make another request; 0 if it may make one now."""
        with self._lock:
            self._expire_requests()
            pending = self._list_pending()
            of_source = [one for one in pending if one.view.source == source]
            if len(of_source) >= MAX_PENDING_OF_SOURCE:
                oldest = of_source[0]
            elif len(pending) >= MAX_PENDING_REQUESTS:
                oldest = pending[0]
            else:
                return 0.0
            return (oldest.view.expires_at - self._clock()).total_seconds()

    def list_pending(self) -> list[AuthorizationRequestView]:
        """Return the requests that wait for the user, the oldest first."""
        with self._lock:
            self._expire_requests()
            return [request.view for request in self._list_pending()]

    def find_request(self, browser_key: str) -> AuthorizationRequest | None:
        """Return the request of a browser's page, or None if it is unknown or has expired."""
        with self._lock:
            self._expire_requests()
            return self._requests.get(browser_key)

    def remove_request(self, browser_key: str) -> AuthorizationRequest | None:
        """Remove a request and return it. Only one caller receives it, so its decision is used once."""
        with self._lock:
            return self._requests.pop(browser_key, None)

    def allow_request(
        self, code: str, scopes: Sequence[RemoteScope] | None = None, request_id: str | None = None
    ) -> AuthorizationRequestView:
        """Allow the pending request whose browser shows this code.

        `scopes` are those that the user grants, or None for all that were requested. With `request_id`, the
        code must be that of this request, and only a few wrong codes are accepted.

        Raises:
            NotAllowed: The code is wrong.
            InvalidParams: The agent has not requested these scopes.
            UnknownApproval: No request with this id is pending.
        """
        entered = "".join(code.split())
        with self._lock:
            self._expire_requests()
            pending = self._list_pending()
            if request_id is not None:
                pending = [self._get_pending(request_id)]
            request = next((one for one in pending if _is_same_code(one.user_code, entered)), None)
            if request is None:
                raise NotAllowed(self._count_wrong_code(pending))
            granted = self._choose_scopes(request, scopes)
            request.authorization = request.authorization.model_copy(update={"scopes": granted})
            request.view = request.view.model_copy(update={"granted": granted})
            return self._close_request(request, "allowed")

    def deny_request(self, request_id: str) -> AuthorizationRequestView:
        """Deny a pending request.

        Raises:
            UnknownApproval: No request with this id is pending.
        """
        with self._lock:
            self._expire_requests()
            return self._close_request(self._get_pending(request_id), "denied")

    def _choose_scopes(
        self, request: AuthorizationRequest, scopes: Sequence[RemoteScope] | None
    ) -> tuple[RemoteScope, ...]:
        requested = request.view.scopes
        if scopes is None:
            return requested
        if excess := [scope for scope in scopes if scope not in requested]:
            raise InvalidParams(
                f"the agent has not requested {', '.join(excess)}; grant some of {', '.join(requested)}"
            )
        return tuple(one for one in requested if one in scopes or one == ALWAYS_GRANTED_SCOPE)

    def _count_wrong_code(self, pending: Sequence[AuthorizationRequest]) -> str:
        """Count a wrong code against the requests that it was meant for, and return what to tell the user."""
        for request in pending:
            request.attempts_left -= 1
            if request.attempts_left <= 0:
                self._close_request(request, "denied")
        if not any(request.view.state == "pending" for request in pending):
            return NO_ATTEMPT_LEFT_MESSAGE if pending else NO_REQUEST_MESSAGE
        return "this is not the code that the browser shows; compare it, and enter it again"

    def _create_user_code(self) -> str:
        """Return a code that no other pending request has."""
        used = {one.user_code for one in self._list_pending()}
        while (code := f"{secrets.randbelow(10**USER_CODE_DIGITS):0{USER_CODE_DIGITS}}") in used:
            pass
        return code

    def _get_pending(self, request_id: str) -> AuthorizationRequest:
        for request in self._list_pending():
            if request.view.request_id == request_id:
                return request
        raise UnknownApproval(
            "this request for access is not pending any more; let the agent ask again"
        )

    def _list_pending(self) -> list[AuthorizationRequest]:
        return [one for one in self._requests.values() if one.view.state == "pending"]

    def _expire_requests(self) -> None:
        now = self._clock()
        for request in list(self._requests.values()):
            if request.view.expires_at <= now and request.view.state == "pending":
                self._close_request(request, "expired")
            if request.view.expires_at + RESULT_TIMEOUT <= now:
                del self._requests[request.browser_key]

    def _close_request(
        self, request: AuthorizationRequest, state: AuthorizationState
    ) -> AuthorizationRequestView:
        request.view = request.view.model_copy(update={"state": state})
        self._on_change(request.view)
        return request.view


def _is_same_code(code: str, entered: str) -> bool:
    return hmac.compare_digest(code.encode(), entered.encode("utf-8", "replace"))
