"""Describes to the user why a server cannot be used.

The MCP library wraps its errors in exception groups, which are unwrapped first.
"""

import httpx2
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT
from pydantic import ValidationError

from conductor.errors import ConductorError, NotAvailable
from conductor.mcp.client.http import ANSWER_TOO_LARGE_MESSAGE, AuthChallenge
from conductor.mcp.client.texts import clean_text

MAX_STDERR_LINES = 6
"""How many of the last lines of standard error are shown with a problem."""
LIBRARY_SESSION_TERMINATED_TEXT = "Session terminated"
"""The message of the MCP library if an HTTP server does not recognise the session."""
SESSION_ENDED_ERROR = NotAvailable("it ended the session")
RESTARTING_SUFFIX = "; it is being restarted"


class PermanentConnectionFailure(NotAvailable):
    """Raised if a connection failed, and would fail again until the user changes something."""


class SignInNeeded(PermanentConnectionFailure):
    """Raised if the server requires that the user signs in."""

    def __init__(self, problem: str, challenge: AuthChallenge) -> None:
        super().__init__(problem)
        self.challenge = challenge


def describe_server_error(error: BaseException) -> str:
    """Return a message that tells the user why a request or a connection failed."""
    match _find_root_error(error):
        case ConductorError() as known:
            return str(known)
        case TimeoutError():
            return "it did not answer in time"
        case MCPError() as closed if _is_connection_closed_error(closed):
            return "it closed the connection"
        case MCPError(code=code) if code == REQUEST_TIMEOUT:
            return "it did not answer in time"
        case MCPError() as refused if ANSWER_TOO_LARGE_MESSAGE in refused.message:
            return ANSWER_TOO_LARGE_MESSAGE
        case MCPError() as refused:
            return f"it answered: {clean_text(refused.message, 500)}"
        case httpx2.ConnectError() as refused:
            return f"cannot connect to its address: {clean_text(str(refused), 200)}"
        case httpx2.HTTPError() as broken:
            return f"the connection failed: {clean_text(str(broken) or type(broken).__name__, 200)}"
        case ValidationError():
            return "its answer does not follow the protocol"
        case other:
            return f"{type(other).__name__}: {clean_text(str(other), 300)}"


def is_permanent_failure(error: BaseException) -> bool:
    """Return whether connecting again would fail for the same reason."""
    return isinstance(_find_root_error(error), PermanentConnectionFailure)


def means_closed_connection(error: BaseException) -> bool:
    """Return whether the error means that the connection is closed and cannot be used again."""
    root = _find_root_error(error)
    return isinstance(root, MCPError) and (
        _is_connection_closed_error(root) or root.message == LIBRARY_SESSION_TERMINATED_TEXT
    )


def append_stderr(problem: str, lines: list[str]) -> str:
    """Return the description of a problem with the last lines of the server's standard error."""
    last = lines[-MAX_STDERR_LINES:]
    return problem if not last else f"{problem}. Its last output:\n" + "\n".join(last)


def _is_connection_closed_error(error: MCPError) -> bool:
    # the message is compared as well, because a server may use the same code for its own errors
    return error.code == CONNECTION_CLOSED and error.message == "Connection closed"


def _find_root_error(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return error
