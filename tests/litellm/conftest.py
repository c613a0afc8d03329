"""A real LiteLLM proxy for all tests of a module: it takes half a minute to start."""

from collections.abc import Generator

import pytest
from tests.support.litellm_proxy import Proxy, litellm_proxy
from tests.support.llm_server import LlmServer


@pytest.fixture(scope="module")
def proxy(server: LlmServer) -> Generator[Proxy]:
    with litellm_proxy(server) as proxy:
        yield proxy
