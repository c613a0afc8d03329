"""Why a server cannot be used, in words: the library's errors come wrapped in groups."""

import httpx2
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT
from pydantic import ValidationError

from conductor.errors import ConductorError, NotAvailable
from conductor.mcp.client.http import TOO_LARGE, Challenge
from conductor.mcp.client.texts import clean_text

TAIL = 6
"""Lines of stderr that are told with a problem."""
SESSION_GONE = "Session terminated"
ENDED = NotAvailable("it has ended the session")


AGAIN = "; it is started again"


class Hopeless(NotAvailable):
    """There is no connection, and there will be none before the user changes something."""


class SignInNeeded(Hopeless):
    """The server wants the user to sign in."""

    def __init__(self, problem: str, challenge: Challenge) -> None:
        super().__init__(problem)
        self.challenge = challenge


def said(error: BaseException) -> str:
    """Return what went wrong, for a person."""
    match _first(error):
        case ConductorError() as known:
            return str(known)
        case TimeoutError():
            return "it did not answer in time"
        case MCPError() as ended if _is_closed(ended):
            return "it hung up"
        case MCPError(code=code) if code == REQUEST_TIMEOUT:
            return "it did not answer in time"
        case MCPError() as refused if TOO_LARGE in refused.message:
            return TOO_LARGE
        case MCPError() as refused:
            return f"it answered: {clean_text(refused.message, 500)}"
        case httpx2.ConnectError() as refused:
            return f"nobody answers at its address: {clean_text(str(refused), 200)}"
        case httpx2.HTTPError() as broken:
            return f"the connection failed: {clean_text(str(broken) or type(broken).__name__, 200)}"
        case ValidationError():
            return "it answered with something that is not of the protocol"
        case other:
            return f"{type(other).__name__}: {clean_text(str(other), 300)}"


def is_hopeless(error: BaseException) -> bool:
    """Return whether another try would be in vain."""
    return isinstance(_first(error), Hopeless)


def is_gone(error: BaseException) -> bool:
    """Return whether the connection is of no use any more."""
    first = _first(error)
    return isinstance(first, MCPError) and (_is_closed(first) or first.message == SESSION_GONE)


def with_tail(problem: str, lines: list[str]) -> str:
    """Add what the server wrote last to why it ended."""
    tail = lines[-TAIL:]
    return problem if not tail else f"{problem}. It wrote last:\n" + "\n".join(tail)


def _is_closed(error: MCPError) -> bool:
    """Tell the library's own word from a server's error, whose number may be the same."""
    return error.code == CONNECTION_CLOSED and error.message == "Connection closed"


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return error
