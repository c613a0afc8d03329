"""Through a real LiteLLM proxy, which asks the simulator over two wires. `make test-litellm` runs this."""

import os
import secrets
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.llm.asking import (
    answer,
    ask,
    calls,
    done,
    failed,
    request,
    result_of,
    talk,
    text_of,
    usage,
    user,
)
from tests.support.llm_server import LlmServer, free_port, llm_server
from tests.support.running import REPOSITORY, wait_for

from conductor.domain.chat import ChatRequest, ModelInfo, ProviderHealth, StreamEvent, TextPart
from conductor.llm.provider import Provider

PROGRAM = REPOSITORY / ".cache" / "litellm" / "bin" / "litellm"
KEY = f"sk-{secrets.token_hex(16)}"
START_WITHIN_S = 120
pytestmark = [
    pytest.mark.litellm,
    pytest.mark.timeout(START_WITHIN_S + 60),
    pytest.mark.parametrize("model", ["claude", "gpt"]),
]
CONFIG = """
model_list:
  - model_name: claude
    litellm_params: {{model: anthropic/claude-sonnet-5-5, api_base: "{url}", api_key: none}}
  - model_name: gpt
    litellm_params: {{model: openai/gpt-6.1-sol, api_base: "{url}/v1", api_key: none}}
litellm_settings: {{num_retries: 0}}
router_settings: {{disable_cooldowns: true, num_retries: 0}}
"""


class Proxy:
    """A running LiteLLM, and the simulator behind it."""

    def __init__(self, url: str, behind: LlmServer) -> None:
        self.url, self.behind = url, behind

    def ask(self, asked: ChatRequest) -> list[StreamEvent]:
        return ask("litellm", self.url, asked, key=KEY, model=asked.model)

    def answers(self) -> bool:
        try:
            urllib.request.urlopen(f"{self.url}/health/liveliness", timeout=5).close()
        except (urllib.error.URLError, OSError):
            return False
        return True


@pytest.fixture(scope="module")
def proxy_of_module() -> Generator[Proxy]:
    with llm_server() as behind, tempfile.TemporaryDirectory() as folder:
        proxy = Proxy(f"http://127.0.0.1:{free_port()}", behind)
        process = _start(proxy, Path(folder))
        try:
            ended_or_up = lambda: process.poll() is not None or proxy.answers()  # noqa: E731
            wait_for(ended_or_up, bool, START_WITHIN_S)
            assert process.poll() is None, (Path(folder) / "log").read_text()
            yield proxy
        finally:
            process.kill()
            process.wait()


def _start(proxy: Proxy, folder: Path) -> subprocess.Popen[bytes]:
    config = folder / "config.yaml"
    config.write_text(CONFIG.format(url=proxy.behind.url))
    port = proxy.url.rpartition(":")[2]
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            [PROGRAM, "--config", config, "--host", "127.0.0.1", "--port", port],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            env={**os.environ, "LITELLM_MASTER_KEY": KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        )


@pytest.fixture
def proxy(proxy_of_module: Proxy) -> Proxy:
    proxy_of_module.behind.reset()
    return proxy_of_module


def test_text_comes_through_with_its_usage(proxy: Proxy, model: str) -> None:
    events = proxy.ask(request("litellm", "say hello", model=model))

    assert text_of(events) == "Hello! I can map your pads, keys and faders."
    assert (usage(events).input_tokens, usage(events).output_tokens) == (1200, 12)


def test_calls_and_their_results_come_through(proxy: Proxy, model: str) -> None:
    said = user("map pad 36")
    first = done(proxy.ask(request("litellm", said, model=model)))
    results = [result_of(call) for call in calls(first.parts)]
    events = proxy.ask(request("litellm", said, answer(*first.parts, *results), model=model))

    assert first.stop == "tool_calls"
    assert len(results) == 2
    assert "prepared a mapping" in text_of(events)


@pytest.mark.parametrize(
    ("said", "kinds"),
    [
        ("a wrong key", {"auth"}),
        ("a long story", {"context_overflow"}),
        ("overloaded", {"overloaded", "internal"}),
        ("a fault", {"internal"}),
    ],
)
def test_what_fails_behind_the_proxy_fails_in_words(
    proxy: Proxy, model: str, said: str, kinds: set[str]
) -> None:
    failure = failed(proxy.ask(request("litellm", said, model=model))).failure

    assert failure.kind in kinds, failure
    assert KEY not in failure.message


def test_a_break_behind_the_proxy_keeps_what_came(proxy: Proxy, model: str) -> None:
    last = failed(proxy.ask(request("litellm", "break in the middle", model=model)))

    assert last.failure.kind in ("network", "internal"), last.failure
    kept = [part.text for part in last.parts if isinstance(part, TextPart)]
    assert kept
    assert kept[0].startswith("The first")


def test_the_proxy_tells_its_models_and_that_it_is_there(proxy: Proxy, model: str) -> None:
    async def look(provider: Provider) -> tuple[ProviderHealth, list[ModelInfo]]:
        return await provider.health(), await provider.models()

    health, models = talk("litellm", proxy.url, look, key=KEY, model=model)
    assert health.ok, health
    assert {one.model for one in models} == {"claude", "gpt"}


def test_after_listing_the_proxy_s_price_makes_the_cost(proxy: Proxy, model: str) -> None:
    asked = request("litellm", "say hello", model=model)

    async def list_and_ask(provider: Provider) -> Any:
        await provider.models()
        return usage([event async for event in provider.stream(asked)])

    told = talk("litellm", proxy.url, list_and_ask, key=KEY, model=model)
    assert told.cost_usd is not None
    assert told.cost_usd > 0


def test_a_wrong_key_for_the_proxy_itself_is_told(proxy: Proxy, model: str) -> None:
    events = ask("litellm", proxy.url, request("litellm", "say hello", model=model), key="sk-wrong")

    assert failed(events).failure.kind == "auth", failed(events).failure.message
