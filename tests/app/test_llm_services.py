"""Where the key of a provider comes from, and when providers are opened again."""

import asyncio
from pathlib import Path

import pytest
from tests.support.edge_llm import as_json, edge_server

from conductor.app.llm_services import LlmServices
from conductor.domain.chat.messages import Usage
from conductor.domain.settings import LlmProvider, LlmSettings
from conductor.storage.records import Records


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LlmServices:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    settings = LlmSettings(providers={"mine": LlmProvider(api_key_env="MY_KEY")})
    return LlmServices(tmp_path, lambda: settings, Records(tmp_path / "conductor.db"))


def test_the_variable_that_the_config_names_is_the_only_place(
    parts: LlmServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts.keys.create_file("a long passphrase")
    parts.keys.store_key("mine", "kept")
    row = LlmProvider(api_key_env="MY_KEY")
    assert parts.find_key("mine", row) is None
    assert parts.find_key_source("mine") is None
    monkeypatch.setenv("MY_KEY", "named")
    assert parts.find_key("mine", row) == "named"
    assert parts.find_key_source("mine") == ("environment", "MY_KEY")


def test_a_kept_key_goes_before_the_usual_variable(
    parts: LlmServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert parts.find_key_source("anthropic") is None
    monkeypatch.setenv("ANTHROPIC_API_KEY", "usual")
    assert parts.find_key("anthropic", LlmProvider()) == "usual"
    assert parts.find_key_source("anthropic") == ("environment", "ANTHROPIC_API_KEY")
    parts.keys.create_file("a long passphrase")
    parts.keys.store_key("anthropic", "kept")
    assert parts.find_key("anthropic", LlmProvider()) == "kept"
    assert parts.find_key_source("anthropic") == ("file", None)


def test_a_custom_server_is_given_no_key_of_another_kind(
    parts: LlmServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "usual")
    assert parts.find_key("local", LlmProvider(kind="custom")) is None


def test_after_a_start_without_network_windows_and_prices_are_those_of_before(
    tmp_path: Path,
) -> None:
    info = {"max_input_tokens": 16_384, "input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}
    listed = as_json({"data": [{"model_name": "m", "model_info": info}]})

    async def look(parts: LlmServices) -> None:
        await parts.providers.update_model_lists()
        await parts.providers.close()

    with edge_server() as edge:
        local = LlmProvider(kind="litellm", model="m", base_url=edge.url)
        settings = LlmSettings(providers={"local": local}, default_provider="local")
        edge.reply(listed)
        records = Records(tmp_path / "conductor.db")
        asyncio.run(look(LlmServices(tmp_path, lambda: settings, records)))
        records.close()
    records = Records(tmp_path / "conductor.db")
    parts = LlmServices(tmp_path, lambda: settings, records)
    can = parts.providers.get_provider("local").get_capabilities("m")
    cost = parts.compute_cost("litellm", "m", Usage(input_tokens=1_000_000))
    asyncio.run(look(parts))
    records.close()

    assert (can.context_tokens, can.known_from) == (16_384, "live")
    assert cost == pytest.approx(1.0)


def test_providers_are_opened_again_only_when_they_change(tmp_path: Path) -> None:
    local = LlmProvider(kind="custom", model="m")
    now = [LlmSettings(providers={"local": local})]
    parts = LlmServices(tmp_path, lambda: now[0], Records(tmp_path / "conductor.db", print))
    opened = parts.providers.get_provider("local")
    parts.on_config_change()
    now[0] = LlmSettings(providers={"local": local}, max_steps=3)
    parts.on_config_change()
    assert parts.providers.get_provider("local") is opened
    now[0] = LlmSettings(providers={"local": LlmProvider(kind="custom", model="other")})
    parts.on_config_change()
    assert parts.providers.get_provider("local") is not opened
