"""Settings > Providers on a real Conductor: keys that never come back, a connection that is tried, and costs."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.support.edge_llm import EdgeServer, Reply, as_json, edge_server, error
from tests.support.keychain import real_keychain
from tests.support.llm_server import LlmServer
from tests.support.page import CommandFailed, Page
from tests.support.running import RunningConductor, running_conductor

from conductor.domain.chat.messages import Usage
from conductor.storage.conversations import Conversations
from conductor.storage.database import Database
from conductor.storage.usage import UsageLog

pytestmark = pytest.mark.timeout(300)

KEY = "sk-ant-api03-0123456789abcdefghij"
ODD_KEY = "0123456789-of-no-known-shape"
PHRASE = "correct horse battery"
NO_KEYCHAIN = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent", "OPENAI_API_KEY": "from-here"}
NO_INTERNET = {"HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}
CONFIG = """
[[modes]]
name = "Default"

[llm.providers.mock]
kind = "custom"
base_url = "{url}"
model = "gpt-4o"

[llm.providers.google]
enabled = false

[llm.providers.gone]
kind = "custom"
base_url = "http://127.0.0.1:9/v1"
model = "m"

[llm.providers.empty]
kind = "custom"
base_url = "http://127.0.0.1:9/v1"
"""


@pytest.fixture(scope="module")
def edge() -> Generator[EdgeServer]:
    with edge_server() as edge:
        yield edge


@pytest.fixture(scope="module")
def conductor(server: LlmServer, edge: EdgeServer) -> Generator[RunningConductor]:
    config = CONFIG.format(url=server.base_url("custom"))
    config += f'[llm.providers.edge]\nkind = "custom"\nbase_url = "{edge.url}"\nmodel = "m"\n'
    environment = {**NO_KEYCHAIN, **NO_INTERNET}
    with running_conductor(config, environment=environment, with_page=True) as conductor:
        yield conductor


@pytest.fixture(scope="module")
def page(conductor: RunningConductor) -> Generator[Page]:
    with Page(conductor.address()) as page:
        yield page


def provider(page: Page, name: str) -> dict[str, Any]:
    found = [one for one in page.call("providers.list")["providers"] if one["name"] == name]
    assert len(found) == 1
    return found[0]


def kept_in(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_every_provider_says_whether_it_can_answer_and_whose_key_it_uses(page: Page) -> None:
    assert provider(page, "mock")["state"] == "untested"
    assert provider(page, "empty")["state"] == "model_missing"
    assert provider(page, "google")["state"] == "off"
    assert provider(page, "anthropic")["state"] == "key_missing"
    openai = provider(page, "openai")
    assert (openai["state"], openai["key_place"]) == ("untested", "environment")
    assert openai["key_variable"] == "OPENAI_API_KEY"
    assert "from-here" not in str(page.call("providers.list"))


def test_a_key_is_kept_behind_a_passphrase_and_is_found_nowhere(
    page: Page, conductor: RunningConductor
) -> None:
    with pytest.raises(CommandFailed, match="Choose a passphrase") as refused:
        page.call("keys.put", name="anthropic", api_key=ODD_KEY)
    assert ODD_KEY not in str(refused.value)
    assert page.call("keys.state")["place"] == "environment"
    assert page.call("keys.create", passphrase=PHRASE)["place"] == "file"
    page.call("keys.put", name="anthropic", api_key=KEY)
    page.call("keys.put", name="mock", api_key=ODD_KEY)
    with pytest.raises(CommandFailed, match="not a key"):
        page.call("keys.put", name="openrouter", api_key=f"two words {ODD_KEY}")
    for name in ("anthropic", "mock"):
        assert provider(page, name)["key_place"] == "file"
    page.call("keys.delete", name="anthropic")
    assert provider(page, "anthropic")["state"] == "key_missing"
    entries = page.call("activity.list")["entries"]
    assert {"keys.put", "keys.create"} <= {entry["tool"] for entry in entries}
    answers = f"{entries} {page.call('providers.list')} {page.news} {conductor.log()}"
    for secret in (KEY, ODD_KEY, PHRASE):
        assert secret not in answers
        assert secret.encode() not in kept_in(conductor.home)


def test_a_connection_is_tried_and_models_are_listed(page: Page, server: LlmServer) -> None:
    health = page.call("providers.test", name="mock")
    assert health["ok"], health
    assert health["latency_ms"] > 0
    assert provider(page, "mock")["state"] == "works"
    models = page.call("providers.models", name="mock")["models"]
    assert models
    assert models[0]["capabilities"]["context_tokens"] > 0


def test_a_provider_works_only_as_long_as_its_last_answer_was_good(
    page: Page, edge: EdgeServer
) -> None:
    def test_of_edge(reply: Reply) -> tuple[str, str]:
        edge.reply(reply)
        told = page.call("providers.test", name="edge")["message"]
        return told, provider(page, "edge")["state"]

    models = as_json({"object": "list", "data": [{"id": "m", "object": "model"}]})
    assert not page.call("providers.test", name="gone")["ok"]
    assert provider(page, "gone")["state"] == "unreachable"
    assert test_of_edge(models)[1] == "works"
    told, state = test_of_edge(error(401, "no"))
    assert "none is set" in told
    assert state == "key_missing"
    page.call("keys.put", name="edge", api_key=ODD_KEY)
    assert provider(page, "edge")["state"] == "untested"
    told, state = test_of_edge(error(401, "no"))
    assert "refused the key" in told
    assert state == "key_refused"
    assert test_of_edge(models)[1] == "works"


def test_the_page_is_told_when_the_health_of_a_provider_changes(
    page: Page, edge: EdgeServer
) -> None:
    models = as_json({"object": "list", "data": [{"id": "m", "object": "model"}]})
    page.call("keys.put", name="edge", api_key=KEY)  # what was known of it no longer counts
    for reply, ok in ((models, True), (error(503, "busy"), False), (models, True)):
        page.news.clear()
        edge.reply(reply)
        page.call("providers.test", name="edge")
        told = page.wait_news("provider", lambda one, ok=ok: one["health"]["ok"] is ok)
        assert told["provider"] == "edge"
    assert told["health"]["failure"] is None


def test_the_order_in_which_providers_are_asked_is_given_once(page: Page) -> None:
    told = page.call("providers.list")
    names = [one["name"] for one in told["providers"]]
    assert told["order"] == ["mock"]
    assert names[0] == "mock"
    assert names.index("openai") < names.index("google") < names.index("anthropic")


def test_what_keeps_a_provider_from_answering_is_said(page: Page) -> None:
    for name, words in (("anthropic", "no key"), ("google", "switched off"), ("x", "No provider")):
        health = page.call("providers.test", name=name)
        assert not health["ok"]
        assert words in health["message"]
    with pytest.raises(CommandFailed, match="no key"):
        page.call("providers.models", name="anthropic")


def test_what_requests_cost_is_added_up(page: Page, conductor: RunningConductor) -> None:
    assert page.call("usage.summary")["costs"]["total"]["usage"]["requests"] == 0
    database = Database(conductor.home / "conductor.db")
    made = Conversations(lambda: database).create_conversation("mock", "m", "Pads").conversation_id
    used = Usage(requests=1, input_tokens=1000, output_tokens=10, cost_usd=0.25)
    log = UsageLog(lambda: database)
    log.add_request(used, provider="mock", kind="custom", model="m", conversation_id=made)
    database.close()
    told = page.call("usage.summary", days=7)
    assert told["today_usd"] == pytest.approx(0.25)
    assert told["costs"]["conversations"][0]["label"] == "Pads"
    assert told["costs"]["days"][-1]["name"] == told["last_day"]


def test_the_page_says_which_prices_are_used(page: Page, conductor: RunningConductor) -> None:
    assert page.call("usage.summary")["prices_updated_at"] is None
    saved = conductor.home / "prices.json"
    saved.write_text("{}")
    assert page.call("usage.summary")["prices_updated_at"] is not None
    saved.unlink()
    with pytest.raises(CommandFailed, match="the previous prices stay in use"):
        page.call("providers.update_prices")


def test_where_there_is_a_keychain_a_key_goes_there_without_any_question(tmp_path: Path) -> None:
    with (
        real_keychain(tmp_path) as keychain,
        running_conductor(
            CONFIG.format(url="http://127.0.0.1:9"),
            environment={"DBUS_SESSION_BUS_ADDRESS": keychain.address},
            with_page=True,
        ) as conductor,
        Page(conductor.address()) as page,
    ):
        assert page.call("keys.put", name="anthropic", api_key=KEY)["place"] == "keychain"
        found = provider(page, "anthropic")
        assert (found["state"], found["key_place"]) == ("untested", "keychain")
        with pytest.raises(CommandFailed, match="no passphrase is needed"):
            page.call("keys.create", passphrase=PHRASE)
        assert KEY.encode() not in kept_in(conductor.home)
        page.call("keys.delete", name="anthropic")
        assert provider(page, "anthropic")["state"] == "key_missing"


def test_after_a_restart_the_passphrase_opens_the_keys_again(
    page: Page, conductor: RunningConductor
) -> None:
    """The last one: it ends the Conductor of this module."""
    page.call("keys.create", passphrase=PHRASE, replace=True)
    page.call("keys.put", name="anthropic", api_key=KEY)
    conductor.stop()
    with (
        running_conductor(
            None,
            environment=NO_KEYCHAIN,
            with_page=True,
            home=conductor.home,
        ) as again,
        Page(again.address()) as reopened,
    ):
        assert provider(reopened, "anthropic")["state"] == "locked"
        with pytest.raises(CommandFailed, match="wrong passphrase"):
            reopened.call("keys.unlock", passphrase="another one")
        assert reopened.call("keys.unlock", passphrase=PHRASE)["locked"] is False
        assert provider(reopened, "anthropic")["state"] == "untested"
