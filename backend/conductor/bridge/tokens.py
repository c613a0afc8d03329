"""Creates the tokens that admit pages in browsers.

A page has two tokens. The one in its address works once, and the other is for reconnecting.
"""

import hmac
import itertools
import os
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from conductor.domain.plan import Requester

Address = tuple[str, int]
ClientCheck = Callable[[Address, Address], bool | None]
"""Returns whether the process at the client's end of a connection is the one for which an address was
created, or None if the system does not report the process. Its arguments are the addresses of the client and
of the server. It blocks.
"""
MAX_OPENED_SESSIONS = 64
MAX_PENDING_SESSIONS = 16


def _create_token() -> str:
    return secrets.token_urlsafe(32)


def _do_nothing() -> None:
    pass


@dataclass(eq=False, slots=True)
class PageSession:
    """The session of a page in a browser, which begins when the address of the page is created."""

    number: int
    requester: Requester
    """The page as the audit log names it, with the process and program that requested its address."""
    address_requester: Requester | None
    """The program that requested the address, or None if Conductor created it at its start."""
    confirmed: bool
    """Whether the page may make changes.

    If the address was requested from a running Conductor, the user must confirm the page first, because an
    agent with a shell can imitate a terminal.
    """
    address_token: str = field(default_factory=_create_token, repr=False)
    token: str = field(default_factory=_create_token, repr=False)
    pages: int = 0
    """The number of open connections of the page."""
    check_client: ClientCheck | None = field(default=None, repr=False)
    """Checks the process that opens the address, or None if any process of the user may open it."""
    on_change: Callable[[], None] = field(default=_do_nothing, repr=False)
    """Called on the event loop after the page has connected or disconnected."""

    def add_connection(self) -> None:
        self.pages += 1
        self.on_change()

    def remove_connection(self) -> None:
        self.pages -= 1
        self.on_change()

    def mark_confirmed(self) -> None:
        """Allow the page to make changes, because the user has confirmed it."""
        self.confirmed = True


class PageSessions:
    """Creates and finds the sessions of pages in browsers. The sessions are kept only in memory."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._pending: deque[PageSession] = deque(maxlen=MAX_PENDING_SESSIONS)
        self._opened: deque[PageSession] = deque(maxlen=MAX_OPENED_SESSIONS)

    def list_sessions(self) -> Sequence[PageSession]:
        """Return all sessions. Those of pages that were opened come first."""
        return (*self._opened, *self._pending)

    def create_session(self, address_requester: Requester | None = None) -> PageSession:
        """Create the session of a new page.

        Its `address_token` admits one connection.
        """
        number = next(self._numbers)
        by = Requester(
            caller="page",
            client=f"page {number}, in a browser",
            pid=os.getpid() if address_requester is None else address_requester.pid,
            executable=None if address_requester is None else address_requester.executable,
        )
        session = PageSession(number, by, address_requester, confirmed=address_requester is None)
        self._pending.append(session)
        return session

    def find_pending(self, token: str) -> PageSession | None:
        """Return the session whose address contains this token and was not opened yet, or None."""
        return _find_session(self._pending, token, lambda session: session.address_token)

    def withdraw_session(self, session: PageSession) -> None:
        """Make the address of a session invalid if it was not opened yet."""
        if session in self._pending:
            self._pending.remove(session)

    def admit_connection(self, token: str) -> PageSession | None:
        """Return the session that a token belongs to, or None if the token is invalid.

        The token of an address becomes invalid after its first use.
        """
        known = _find_session(self._opened, token, lambda session: session.token)
        if known is not None:
            return known
        session = self.find_pending(token)
        if session is None:
            return None
        self._pending.remove(session)
        self._opened.append(session)
        return session


def _find_session(
    sessions: deque[PageSession], token: str, get_token: Callable[[PageSession], str]
) -> PageSession | None:
    """Return the session with this token, or None.

    The comparison takes constant time, so that its duration reveals nothing about the token.
    """
    given = token.encode()
    found = [
        session for session in sessions if hmac.compare_digest(get_token(session).encode(), given)
    ]
    return found[0] if found else None
