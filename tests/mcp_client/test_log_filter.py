"""What the MCP library logs about the servers of a user."""

import logging
from collections.abc import Generator

import anyio
import pytest

from conductor.mcp.client.log_filter import BURST_LOG_LINES, RepeatFilter


@pytest.fixture
def library() -> Generator[logging.Logger]:
    logger, limit = logging.getLogger("tests.library"), RepeatFilter()
    logger.addFilter(limit)
    yield logger
    logger.removeFilter(limit)


def test_a_message_that_comes_while_a_connection_closes_is_no_error(
    library: logging.Logger, caplog: pytest.LogCaptureFixture
):
    for error in (anyio.BrokenResourceError(), anyio.ClosedResourceError(), ValueError("not JSON")):
        library.error("Error parsing SSE message", exc_info=error)
    assert [record.exc_info and str(record.exc_info[1]) for record in caplog.records] == [
        "not JSON"
    ]


def test_a_server_that_sends_nonsense_does_not_fill_the_log(
    library: logging.Logger, caplog: pytest.LogCaptureFixture
):
    for _ in range(20 * BURST_LOG_LINES):
        library.error("Error parsing SSE message")
    assert len(caplog.records) == BURST_LOG_LINES
