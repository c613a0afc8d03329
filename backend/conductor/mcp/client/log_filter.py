"""The MCP library's log, which a server could fill: it writes a line with a trace for each bad message."""

import logging

from conductor.base.rate_limit import RateLimit

LOGGERS = (
    "mcp.client.streamable_http",
    "mcp.client.session",
    "mcp.shared.jsonrpc_dispatcher",
    "client",
)
LINES, PER_SECOND = 10, 0.1


class RepeatFilter(logging.Filter):
    """Lets some lines of each logger through, and then one every ten seconds."""

    def __init__(self) -> None:
        super().__init__()
        self._limit = RateLimit(LINES, PER_SECOND)

    def filter(self, record: logging.LogRecord) -> bool:
        return not self._limit.take(record.name)


def filter_library_logs() -> None:
    """Bound what the library writes to the log."""
    for name in ("httpx2", "httpcore2"):  # each address and header, and what is in it
        logging.getLogger(name).setLevel(logging.WARNING)
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(one, RepeatFilter) for one in logger.filters):
            logger.addFilter(RepeatFilter())
