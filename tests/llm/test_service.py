"""Which providers there are, in which order they are asked, and that nothing waits for their libraries."""

import asyncio
import subprocess
import sys

import pytest
from tests.llm.asking import KEY, gather, request
from tests.support.edge_llm import Reply, as_json, edge_server, error
from tests.support.running import wait_for

from conductor.domain.settings import LlmProvider, LlmSettings
from conductor.errors import NotAvailable
from conductor.llm.service import Providers

ALL = ("anthropic", "openai", "google", "openrouter")


def providers(settings: LlmSettings | None = None, *with_key: str) -> Providers:
    known = settings or LlmSettings()
    return Providers(lambda: known, lambda name, _row: KEY if name in with_key else None)


def test_importing_the_service_imports_no_sdk() -> None:
    heavy = "{'anthropic', 'openai', 'google.genai', 'pydantic_ai', 'genai_prices', 'httpx2'}"
    program = f"import sys, conductor.llm.service; sys.exit(str({heavy} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert ended.stderr.strip() == "set()"


def test_those_that_need_only_a_key_are_offered() -> None:
    rows = providers(None, "google").list_provider_rows()

    assert tuple(row.name for row in rows) == ALL
    assert [row.name for row in rows if row.usable] == ["google"]
    assert all(row.key_url.startswith("https://") and not row.written for row in rows)


def test_those_of_the_config_come_first_with_what_they_set() -> None:
    own = LlmProvider(kind="custom", base_url="http://127.0.0.1:1234/v1", model="qwen4:8b")
    rows = providers(LlmSettings(providers={"lab": own})).list_provider_rows()

    assert tuple(row.name for row in rows) == ("lab", *ALL)
    assert (rows[0].kind, rows[0].usable, rows[0].written) == ("custom", True, True)
    assert (rows[0].base_url, rows[0].model) == ("http://127.0.0.1:1234/v1", "qwen4:8b")


def test_a_name_alone_says_the_kind() -> None:
    rows = providers(
        LlmSettings(providers={"litellm": LlmProvider(model="m")})
    ).list_provider_rows()

    assert (rows[0].kind, rows[0].base_url) == ("litellm", "http://127.0.0.1:4000")


def test_only_whom_the_user_chose_is_asked() -> None:
    settings = LlmSettings(default_provider="openai", failover=("google", "anthropic", "openai"))

    assert providers(settings, "openai", "anthropic", "openrouter").order_provider_names() == (
        "openai",
        "anthropic",
    )


def test_without_a_default_the_first_usable_one_is_used() -> None:
    assert providers(None, "google", "openrouter").order_provider_names() == ("google",)


def test_a_default_without_a_key_is_passed_over() -> None:
    settings = LlmSettings(default_provider="openai", failover=("google",))

    assert providers(settings, "google").order_provider_names() == ("google",)


def test_a_chosen_provider_is_followed_only_by_the_failover_list() -> None:
    settings = LlmSettings(default_provider="openai")

    assert providers(settings, "openai", "anthropic").order_provider_names("anthropic") == (
        "anthropic",
    )
    listed = LlmSettings(default_provider="openai", failover=("google",))
    assert providers(listed, "openai", "google", "anthropic").order_provider_names("anthropic") == (
        "anthropic",
        "google",
    )


@pytest.mark.parametrize(
    ("address", "stays"),
    [
        ("http://127.0.0.1:11434/v1", True),
        ("http://localhost:1234/v1", True),
        ("http://[::1]:1234/v1", True),
        ("http://192.168.1.20:8080/v1", True),
        ("http://studio.local:8080/v1", True),
        ("http://nas:11434/v1", True),
        ("http://box.home.arpa:11434/v1", True),
        ("http://host.docker.internal:11434/v1", True),
        ("https://models.example.com/v1", False),
        ("https://8.8.8.8/v1", False),
        ("https://localhost.example.com/v1", False),
    ],
)
def test_what_is_said_to_a_model_at_home_does_not_leave_the_network(
    address: str, stays: bool
) -> None:
    rows = {
        "home": LlmProvider(kind="custom", base_url=address, model="m"),
        "other": LlmProvider(kind="custom", base_url="http://10.0.0.2:80/v1", model="m"),
    }
    settings = LlmSettings(
        providers=rows, default_provider="google", failover=("google", "other", "home")
    )

    asked = providers(settings, "google").order_provider_names("home")
    assert asked == (("home", "other") if stays else ("home", "google", "other"))


def test_switched_off_nobody_is_asked() -> None:
    off = LlmSettings(enabled=False)

    assert providers(off, "google").order_provider_names() == ()
    with pytest.raises(NotAvailable, match="switched off"):
        providers(off, "google").get_provider("google")


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        ("anthropic", LlmSettings(), "ANTHROPIC_API_KEY"),
        ("nobody", LlmSettings(), "No provider is named 'nobody'"),
        (
            "openai",
            LlmSettings(providers={"openai": LlmProvider(enabled=False)}),
            "OpenAI is switched off",
        ),
    ],
)
def test_what_is_missing_is_told_with_what_to_do(
    name: str, settings: LlmSettings, words: str
) -> None:
    with pytest.raises(NotAvailable, match=words):
        providers(settings).get_provider(name)


def test_a_changed_key_is_used_after_clear() -> None:
    keys: dict[str, str] = {}
    known = LlmSettings()
    all_of_them = Providers(lambda: known, lambda name, _row: keys.get(name))
    with pytest.raises(NotAvailable):
        all_of_them.get_provider("google")
    keys["google"] = KEY
    first = all_of_them.get_provider("google")
    assert all_of_them.get_provider("google") is first
    all_of_them.clear()
    assert all_of_them.get_provider("google") is not first
    asyncio.run(all_of_them.close())


def test_those_that_may_be_asked_are_looked_at() -> None:
    with edge_server() as edge:
        edge.reply(as_json({"data": [{"id": "m", "max_model_len": 16_384}]}))
        here = LlmProvider(kind="custom", base_url=edge.url, model="m")
        away = LlmProvider(kind="custom", base_url="http://127.0.0.1:9/v1", model="m")
        rows = {"lab": here, "away": away, "unchosen": here}
        all_of_them = providers(
            LlmSettings(providers=rows, default_provider="lab", failover=("away",))
        )

        async def look() -> int:
            await all_of_them.preload_first_provider()
            await all_of_them.update_model_lists()
            window = all_of_them.get_provider("lab").get_capabilities("m").context_tokens
            await all_of_them.close()
            return window

        assert asyncio.run(look()) == 16_384
        assert [asked.path for asked in edge.asked] == ["/models"]


def test_a_provider_that_is_removed_meanwhile_does_not_stop_the_update_of_the_others() -> None:
    with edge_server() as edge:
        edge.reply(as_json({"data": [{"id": "m", "max_model_len": 16_384}]}))
        here = LlmProvider(kind="custom", base_url=edge.url, model="m")
        every = providers(LlmSettings(providers={"lab": here}, default_provider="lab"))
        every.order_provider_names = lambda chosen=None: ("gone", "lab")

        async def look() -> int:
            await every.update_model_lists()
            window = every.get_provider("lab").get_capabilities("m").context_tokens
            await every.close()
            return window

        assert asyncio.run(look()) == 16_384


def test_what_is_dropped_is_closed_when_its_answer_has_ended_and_its_price_was_known() -> None:
    with edge_server() as edge:
        costs = {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}
        edge.reply(as_json({"data": [{"model_name": "m", "model_info": costs}]}))
        edge.reply(Reply((b": wait\n\n",), then="hold"))
        here = LlmProvider(kind="litellm", base_url=edge.url, model="m")
        every = providers(LlmSettings(providers={"lab": here}, default_provider="lab"))

        async def run() -> None:
            await every.update_model_lists()
            price = every.find_listed_price("litellm", "m")
            assert price is not None
            assert tuple(price) == pytest.approx((1.0, 2.0))
            lab = every.get_provider("lab")
            answer = asyncio.create_task(gather(lab.stream_answer(request("litellm", "Hi"))))
            await asyncio.to_thread(wait_for, lambda: len(edge.asked), lambda asked: asked == 2)
            every.clear()
            await every.close_replaced_providers()
            assert not edge.left.is_set()
            assert not answer.done()
            answer.cancel()
            assert await asyncio.to_thread(edge.left.wait, 20)
            await every.close()

        asyncio.run(run())


def test_warming_up_does_not_hold_up_the_loop() -> None:
    program = """
import asyncio, sys
from conductor.domain.settings import LlmSettings
from conductor.llm.service import Providers

async def main():
    providers = Providers(lambda: LlmSettings(), lambda name, row: "k")
    warming = asyncio.create_task(providers.preload_first_provider())
    turns = 0
    while not warming.done():
        await asyncio.sleep(0.005)
        turns += 1
    assert "anthropic" in sys.modules
    assert turns > 20, turns

asyncio.run(main())
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert ended.returncode == 0, ended.stderr


def test_a_provider_that_is_removed_before_it_is_loaded_is_no_failure() -> None:
    rows = {"lab": LlmProvider(kind="custom", base_url="http://127.0.0.1:9/v1", model="m")}
    settings = [LlmSettings(providers=rows, default_provider="lab")]

    def key_of(name: str, row: LlmProvider) -> str:
        if name == "lab":
            settings[:] = [LlmSettings()]
        return KEY

    asyncio.run(Providers(lambda: settings[0], key_of).preload_first_provider())

    assert settings == [LlmSettings()]


def test_a_change_of_health_is_reported_once_and_not_after_every_answer() -> None:
    reported: list[tuple[str, bool]] = []
    keys = [KEY]
    models = as_json({"object": "list", "data": [{"id": "m", "object": "model"}]})

    async def test_each(*replies: Reply) -> None:
        edge.reply(*replies)
        for _ in replies:
            await providers.get_provider("lab").test_connection()

    with edge_server() as edge:
        known = LlmSettings(
            providers={"lab": LlmProvider(kind="custom", base_url=edge.url, model="m")}
        )
        providers = Providers(
            lambda: known,
            lambda _name, _row: keys[0],
            on_health=lambda name, health: reported.append((name, health.ok)),
        )

        async def run() -> None:
            await test_each(models, models, error(503, "busy"), error(503, "still busy"), models)
            keys[0] = "sk-another-key"
            providers.clear()
            await test_each(models)
            await providers.close()

        asyncio.run(run())

    assert reported == [("lab", True), ("lab", False), ("lab", True), ("lab", True)]
