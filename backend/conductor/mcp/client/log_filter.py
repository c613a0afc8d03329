"""Limits the log lines of the MCP library, which logs a traceback for each invalid message of a server."""

import logging

from anyio import BrokenResourceError, ClosedResourceError

from conductor.base.rate_limit import RateLimiter

RATE_LIMITED_LOGGERS = (
    "mcp.client.streamable_http",
    "mcp.client.session",
    "mcp.shared.jsonrpc_dispatcher",
    "client",
)
BURST_LOG_LINES, LOG_LINES_PER_SECOND = 10, 0.1


class RepeatFilter(logging.Filter):
    """A log filter that passes the first ten lines of each logger, and after that one line every ten seconds.

    A message that arrives while a connection is being closed is not logged, although the library reports it
    as an error.
    """

    def __init__(self) -> None:
        super().__init__()
        self._limit = RateLimiter(BURST_LOG_LINES, LOG_LINES_PER_SECOND)

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, BrokenResourceError | ClosedResourceError):
            return False
        return not self._limit.take_tokens(record.name)


def limit_library_logs() -> None:
    """Limit the log lines of the MCP and HTTP libraries. Calling this again has no effect."""
    # their info lines contain addresses and headers, which may include secrets
    for name in ("httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)
    for name in RATE_LIMITED_LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(each, RepeatFilter) for each in logger.filters):
            logger.addFilter(RepeatFilter())
