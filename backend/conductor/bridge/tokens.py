"""Who may connect: a token of one use in the page's address, then one for the page's own return."""

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


def _new_token() -> str:
    return secrets.token_urlsafe(32)


@dataclass(eq=False, slots=True)
class PageSession:
    """A page in a browser, from the address that was given for it on."""

    number: int
    by: Requester
    """Stands for the page in the audit log; process and program are those that got the address."""
    given_to: Requester | None
    """Who asked a running Conductor for the address; None for the address of its own start."""
    confirmed: bool
    """Whether it may change things. An address of a second start is confirmed by the user first: an agent
    with a shell can imitate a terminal, and the user is to learn of it."""
    address_token: str = field(default_factory=_new_token, repr=False)
    token: str = field(default_factory=_new_token, repr=False)
    pages: int = 0
    """How many connections use it now."""


class Tokens:
    """For one run of the server; nothing is kept."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._waiting: deque[PageSession] = deque(maxlen=PAGES_KEPT)
        self._opened: deque[PageSession] = deque(maxlen=SESSIONS_KEPT)

    def sessions(self) -> Sequence[PageSession]:
        """Return the pages, those that were opened first."""
        return (*self._opened, *self._waiting)

    def for_page(self, given_to: Requester | None = None) -> PageSession:
        """Return the session of a page to come; its `address_token` opens one connection."""
        number, asker = next(self._numbers), given_to
        by = Requester(
            caller="page",
            client=f"page {number}, in a browser",
            pid=os.getpid() if asker is None else asker.pid,
            executable=None if asker is None else asker.executable,
        )
        session = PageSession(number, by, given_to, confirmed=given_to is None)
        self._waiting.append(session)
        return session

    def admit(self, token: str) -> PageSession | None:
        """Return the session of who shows a token, or None; the token of an address is used up."""
        known = _find(self._opened, token, lambda one: one.token)
        if known is not None:
            return known
        session = _find(self._waiting, token, lambda one: one.address_token)
        if session is None:
            return None
        self._waiting.remove(session)
        self._opened.append(session)
        return session


def _find(
    known: deque[PageSession], token: str, token_of: Callable[[PageSession], str]
) -> PageSession | None:
    """Find a session by its token, in a time that tells nothing of it."""
    given = token.encode()
    found = [one for one in known if hmac.compare_digest(token_of(one).encode(), given)]
    return found[0] if found else None
