"""The simulator that the tests of the providers share, clean for each test."""

from collections.abc import Generator

import pytest
from tests.support.llm_server import LlmServer, llm_server


@pytest.fixture(scope="module")
def server_of_module() -> Generator[LlmServer]:
    with llm_server() as server:
        yield server


@pytest.fixture
def server(server_of_module: LlmServer) -> LlmServer:
    server_of_module.reset()
    return server_of_module
