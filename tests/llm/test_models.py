"""The models that providers list, as they list them, and what is known of those that they do not."""

from collections.abc import Generator
from typing import Any

import pytest
from tests.llm.asking import MODELS, talk
from tests.support.edge_llm import EdgeServer, as_json, edge_server, error

from conductor.domain.chat.messages import Capabilities, ModelInfo, ProviderKind
from conductor.errors import NotAvailable


@pytest.fixture
def edge() -> Generator[EdgeServer]:
    with edge_server() as edge:
        yield edge


def models(
    edge: EdgeServer, kind: ProviderKind, answer: Any, **settings: Any
) -> dict[str, ModelInfo]:
    """List the models of a provider that answers this."""
    edge.reply(*([error(404, "no such key")] if kind == "openrouter" else []), as_json(answer))
    found = talk(kind, edge.url, lambda provider: provider.list_models(), **settings)
    return {one.model: one for one in found}


def known(kind: ProviderKind, model: str, **settings: Any) -> Capabilities:
    """Return what is known of a model that nobody was asked about."""

    async def look(provider: Any) -> Capabilities:
        return provider.get_capabilities(model)

    return talk(kind, "http://127.0.0.1:9/v1", look, **settings)


def test_anthropic_reports_windows_pictures_and_the_end_of_a_model(edge: EdgeServer) -> None:
    row = {
        "type": "model",
        "id": "claude-sonnet-9",
        "display_name": "Claude Sonnet 9",
        "created_at": "2026-11-01T00:00:00Z",
        "lifecycle": "deprecated",
        "retires_at": "2027-03-01T00:00:00Z",
        "max_input_tokens": 2_000_000,
        "max_tokens": 64_000,
        "capabilities": {"image_input": {"supported": True}, "thinking": {"supported": True}},
    }
    gone = {**row, "id": "claude-3", "lifecycle": "retired"}
    found = models(edge, "anthropic", {"data": [row, gone], "has_more": False})

    assert list(found) == ["claude-sonnet-9"]
    model = found["claude-sonnet-9"]
    assert (model.label, model.retires_at) == ("Claude Sonnet 9", "2027-03-01")
    assert model.input_usd_per_mtok is None
    can = model.capabilities
    assert (can.context_tokens, can.output_tokens, can.known_from) == (2_000_000, 64_000, "live")
    assert (can.images, can.thinking, can.temperature) == (True, True, False)


def test_rows_that_nothing_can_show_are_left_out(edge: EdgeServer) -> None:
    rows = [
        {"id": "odd\ud83d"},
        {"id": 5},
        {"id": "\x1b[31m"},
        {"id": "m", "max_model_len": "many"},
        {"id": "good", "max_model_len": "4096"},
    ]
    found = models(edge, "custom", {"data": rows})

    assert {name: one.capabilities.context_tokens for name, one in found.items()} == {"good": 4096}


def test_a_label_is_shown_without_what_nobody_sees(edge: EdgeServer) -> None:
    row = {"id": "claude-9", "display_name": "Claude\u202e\ud83d 9", "retires_at": 20270301}
    found = models(edge, "anthropic", {"data": [row]})

    assert (found["claude-9"].label, found["claude-9"].retires_at) == ("Claude 9", "20270301")


def test_openai_reports_names_and_the_table_has_the_rest(edge: EdgeServer) -> None:
    row = {"id": "gpt-6.1-sol", "object": "model", "created": 1, "owned_by": "openai"}
    others = [{**row, "id": name} for name in ("text-embedding-4", "gpt-image-2", "sora-3")]
    ending = {**row, "id": "gpt-4o", "shutdown_date": "2027-01-14"}
    found = models(edge, "openai", {"object": "list", "data": [row, ending, *others]})

    assert list(found) == ["gpt-6.1-sol", "gpt-4o"]
    assert found["gpt-4o"].retires_at == "2027-01-14"
    sol = found["gpt-6.1-sol"]
    assert (sol.input_usd_per_mtok, sol.output_usd_per_mtok) == (2, 10)
    assert sol.capabilities.context_tokens == 1_050_000
    assert sol.capabilities.known_from == "table"


def test_google_reports_windows(edge: EdgeServer) -> None:
    row = {
        "name": "models/gemini-9-flash",
        "displayName": "Gemini 9 Flash",
        "inputTokenLimit": 3_000_000,
        "outputTokenLimit": 70_000,
        "supportedGenerationMethods": ["generateContent"],
        "thinking": True,
    }
    embedding = {**row, "name": "models/e", "supportedGenerationMethods": ["embedContent"]}
    found = models(edge, "google", {"models": [row, embedding]})

    assert list(found) == ["gemini-9-flash"]
    can = found["gemini-9-flash"].capabilities
    assert (can.context_tokens, can.output_tokens, can.thinking) == (3_000_000, 70_000, True)
    assert edge.asked[0].path.startswith("/v1beta/models")


def test_openrouter_reports_prices_and_what_a_model_accepts(edge: EdgeServer) -> None:
    row = {
        "id": "lab/tiny",
        "name": "Lab: Tiny",
        "context_length": 40_000,
        "architecture": {"input_modalities": ["text"]},
        "supported_parameters": ["temperature", "max_tokens"],
        "top_provider": {"max_completion_tokens": 4_000},
        "pricing": {"prompt": "0.0000002", "completion": "0.0000008"},
    }
    auto = {"id": "openrouter/auto", "pricing": {"prompt": "-1", "completion": "-1"}}
    found = models(edge, "openrouter", {"data": [row, auto, "odd", {"no": "id"}]})

    tiny = found["lab/tiny"]
    assert tiny.input_usd_per_mtok == pytest.approx(0.2)
    assert tiny.output_usd_per_mtok == pytest.approx(0.8)
    can = tiny.capabilities
    assert (can.tools, can.images, can.temperature) == (False, False, True)
    assert (can.context_tokens, can.output_tokens) == (40_000, 4_000)
    assert found["openrouter/auto"].input_usd_per_mtok is None


def test_litellm_reports_what_it_knows_of_its_own_names(edge: EdgeServer) -> None:
    info = {
        "max_input_tokens": 90_000,
        "max_output_tokens": 5_000,
        "input_cost_per_token": 1e-6,
        "output_cost_per_token": 4e-6,
        "supports_function_calling": True,
        "supports_vision": False,
    }
    found = models(edge, "litellm", {"data": [{"model_name": "fast", "model_info": info}]})

    fast = found["fast"]
    assert (fast.input_usd_per_mtok, fast.output_usd_per_mtok) == (1, 4)
    assert fast.capabilities.context_tokens == 90_000


def test_a_litellm_key_that_may_not_see_more_still_lists_names(edge: EdgeServer) -> None:
    edge.reply(error(403, "admins only"))
    found = models(edge, "litellm", {"data": [{"id": "fast"}]})

    assert list(found) == ["fast"]


def test_a_custom_server_may_report_its_window(edge: EdgeServer) -> None:
    rows = [{"id": "qwen4:8b", "max_model_len": 16_384}, {"id": "nomic-embed"}, {"id": "other"}]
    found = models(edge, "custom", {"data": rows})

    assert list(found) == ["qwen4:8b", "other"]
    assert found["qwen4:8b"].capabilities.context_tokens == 16_384
    assert found["other"].capabilities.known_from == "assumed"


def test_what_was_listed_counts_from_then_on_and_settings_before_it(edge: EdgeServer) -> None:
    edge.reply(as_json({"data": [{"id": "qwen4:8b", "max_model_len": 16_384}]}))

    async def list_and_look(provider: Any) -> list[Capabilities]:
        before = provider.get_capabilities("qwen4:8b")
        await provider.list_models()
        return [before, provider.get_capabilities("qwen4:8b")]

    before, after = talk("custom", edge.url, list_and_look, tools=False)
    assert (before.known_from, before.tools) == ("settings", False)
    assert (after.known_from, after.tools, after.context_tokens) == ("settings", False, 16_384)


class MemoryCache:
    """Keeps one list in memory, or refuses to."""

    def __init__(self, kept: str | None = None, *, broken: bool = False) -> None:
        self.kept, self.broken = kept, broken

    def save_model_list(self, provider: str, address: str, data: str) -> None:
        self.load_model_list(provider, address)
        self.kept = data

    def load_model_list(self, provider: str, address: str) -> str | None:
        if self.broken:
            raise NotAvailable("the disk is full")
        return self.kept


ROW = {"id": "openai/new", "context_length": 9_000, "pricing": {"prompt": "1", "completion": "2"}}


async def _list(provider: Any) -> list[ModelInfo]:
    return await provider.list_models()


def test_what_was_listed_is_known_after_a_start_without_network(edge: EdgeServer) -> None:
    shelf = MemoryCache()
    edge.reply(error(404, "no such key"), as_json({"data": [ROW]}))
    before = talk("openrouter", edge.url, _list, shelf=shelf)
    after = talk("openrouter", "http://127.0.0.1:9/v1", _list, shelf=shelf)

    assert after == before
    assert (after[0].model, after[0].input_usd_per_mtok) == ("openai/new", 1_000_000)
    assert (after[0].capabilities.context_tokens, after[0].capabilities.known_from) == (
        9_000,
        "live",
    )


@pytest.mark.parametrize(
    "shelf",
    [
        MemoryCache("no json"),
        MemoryCache('[["m"]]'),
        MemoryCache('{"m": 1}'),
        MemoryCache(broken=True),
    ],
    ids=["text", "too short", "another shape", "a full disk"],
)
def test_what_cannot_be_kept_or_read_hinders_nothing(edge: EdgeServer, shelf: MemoryCache) -> None:
    edge.reply(as_json({"data": [{"id": "qwen4:8b", "max_model_len": 16_384}]}))
    (model,) = talk("custom", edge.url, _list, shelf=shelf)

    assert model.capabilities.context_tokens == 16_384


@pytest.mark.parametrize("kind", ["anthropic", "openai", "google", "openrouter"])
def test_the_table_knows_the_default_models(kind: ProviderKind) -> None:
    can = known(kind, MODELS[kind])

    assert (can.known_from, can.tools, can.images, can.thinking) == ("table", True, True, True)
    assert can.context_tokens >= 1_000_000
    assert can.temperature == (kind == "google")


def test_of_a_model_that_nobody_knows_little_is_assumed() -> None:
    can = known("custom", "qwen4:8b")

    assert (can.known_from, can.tools, can.images, can.context_tokens) == (
        "assumed",
        True,
        False,
        32_000,
    )


def test_settings_say_what_nobody_else_knows() -> None:
    can = known("custom", "qwen4:8b", context_tokens=8_192, streaming=False)

    assert (can.context_tokens, can.streaming, can.known_from) == (8_192, False, "settings")


def test_a_name_that_openrouter_never_has_is_told_as_such(edge: EdgeServer) -> None:
    del edge
    assert known("openrouter", "no-maker").known_from == "assumed"


def test_the_connection_test_sees_a_wrong_key_where_models_are_open_to_all(
    edge: EdgeServer,
) -> None:
    edge.reply(error(401, "No auth credentials found"))
    health = talk("openrouter", edge.url, lambda provider: provider.test_connection())

    assert not health.ok
    assert health.failure is not None
    assert health.failure.kind == "auth"


def test_the_connection_test_names_a_model_that_is_not_there(edge: EdgeServer) -> None:
    edge.reply(as_json({"data": [{"id": "other"}]}))
    health = talk("custom", edge.url, lambda provider: provider.test_connection())

    assert health.ok
    assert "does not list qwen4:8b" in health.message
