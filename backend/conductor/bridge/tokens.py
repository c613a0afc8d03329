"""Who may connect: a token of one use in the page's address, then one for the page's own return."""

import hmac
import secrets
from collections import deque

SESSIONS_KEPT = 64
PAGES_KEPT = 16


class Tokens:
    """For one run of the server; nothing is kept."""

    def __init__(self) -> None:
        self._pages: deque[str] = deque(maxlen=PAGES_KEPT)
        self._sessions: deque[str] = deque(maxlen=SESSIONS_KEPT)

    def for_page(self) -> str:
        """Give a token that opens one connection."""
        token = secrets.token_urlsafe(32)
        self._pages.append(token)
        return token

    def admit(self, token: str) -> str | None:
        """Give the session of who shows a token, or None; a page's token is used up."""
        if _has(self._sessions, token):
            return token
        page = _has(self._pages, token)
        if page is None:
            return None
        self._pages.remove(page)
        session = secrets.token_urlsafe(32)
        self._sessions.append(session)
        return session


def _has(known: deque[str], token: str) -> str | None:
    """Find a token in a time that tells nothing of it."""
    given = token.encode()
    found = [one for one in known if hmac.compare_digest(one.encode(), given)]
    return found[0] if found else None
