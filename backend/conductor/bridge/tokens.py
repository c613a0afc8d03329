"""Creates the tokens that admit pages: one in the page's address that works once, and one for reconnecting."""

import hmac
import itertools
import os
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from conductor.domain.plan import Requester

SESSIONS_KEPT = 64
PAGES_KEPT = 16


def _create_token() -> str:
    return secrets.token_urlsafe(32)


@dataclass(eq=False, slots=True)
class PageSession:
    """The session of a page in a browser, which begins when its address is created."""

    number: int
    by: Requester
    """The page in the audit log; process and program are those that requested the address."""
    given_to: Requester | None
    """The program that requested the address; None for the address issued at Conductor's start."""
    confirmed: bool
    """Whether it can change things. The user must confirm an address requested from a running Conductor,
    because an agent with a shell can imitate a terminal."""
    address_token: str = field(default_factory=_create_token, repr=False)
    token: str = field(default_factory=_create_token, repr=False)
    pages: int = 0
    """The number of open connections."""

    def confirm(self) -> None:
        """Allow the page to make changes, because the user has confirmed it."""
        self.confirmed = True


class Tokens:
    """The sessions of all pages since the server was started; they are not saved."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._waiting: deque[PageSession] = deque(maxlen=PAGES_KEPT)
        self._opened: deque[PageSession] = deque(maxlen=SESSIONS_KEPT)

    def sessions(self) -> Sequence[PageSession]:
        """Return all sessions; those of pages that have been opened come first."""
        return (*self._opened, *self._waiting)

    def for_page(self, given_to: Requester | None = None) -> PageSession:
        """Create the session of a new page; its `address_token` admits one connection."""
        number = next(self._numbers)
        by = Requester(
            caller="page",
            client=f"page {number}, in a browser",
            pid=os.getpid() if given_to is None else given_to.pid,
            executable=None if given_to is None else given_to.executable,
        )
        session = PageSession(number, by, given_to, confirmed=given_to is None)
        self._waiting.append(session)
        return session

    def admit(self, token: str) -> PageSession | None:
        """Return the session that a token admits, or None.

        A token from an address admits only one connection.
        """
        known = _find_session(self._opened, token, lambda session: session.token)
        if known is not None:
            return known
        session = _find_session(self._waiting, token, lambda session: session.address_token)
        if session is None:
            return None
        self._waiting.remove(session)
        self._opened.append(session)
        return session


def _find_session(
    known: deque[PageSession], token: str, token_of: Callable[[PageSession], str]
) -> PageSession | None:
    """Find the session with this token.

    The comparison takes constant time, so that the timing reveals nothing about the token.
    """
    given = token.encode()
    found = [session for session in known if hmac.compare_digest(token_of(session).encode(), given)]
    return found[0] if found else None
