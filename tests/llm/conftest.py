"""The simulator that the tests of the providers share, clean for each test."""

import pytest
from tests.support.llm_server import LlmServer


@pytest.fixture(name="server")
def clean_server(server: LlmServer) -> LlmServer:
    server.reset()
    return server
