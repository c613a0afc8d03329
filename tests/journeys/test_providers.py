"""A person sets up who answers the chat: a server of their own, a key behind a passphrase, a model, an order."""

from collections.abc import Generator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.journeys.stage import NARROW, Stage, Theme, go, toast
from tests.journeys.test_looks import AXE, FITS, LOOK
from tests.support.llm_server import LlmServer
from tests.support.running import running_conductor

from conductor.domain.settings import LlmProvider

pytestmark = pytest.mark.timeout(300)

LIBRARIES_WITHIN_MS = 100_000
"""The first call imports the providers' libraries, which is slow on a busy machine."""
KEY = "0123456789-of-no-known-shape"
PHRASE = "correct horse battery"
NO_KEYCHAIN = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"}
CONFIG = """[[modes]]
name = "Default"

[[modes.mappings]]
trigger = { type = "Note", note = 36 }
action = { type = "Keystroke", keys = ["a"] }

"""


@pytest.fixture(scope="module")
def settings(browser: Browser) -> Generator[Stage]:
    with running_conductor(
        CONFIG, environment=NO_KEYCHAIN, with_page=True, own_process=True
    ) as conductor:
        yield Stage(browser, conductor)


def providers(page: Page) -> Locator:
    go(page, "Settings")
    page.get_by_role("tab", name="Providers").click()
    return page.get_by_role("region", name="Providers", exact=True)


def card(page: Page, name: str) -> Locator:
    """Open the card of a provider, and give it."""
    found = page.locator(f'[data-provider="{name}"]')
    opener = found.locator("button[aria-expanded][aria-controls]").first
    if opener.get_attribute("aria-expanded") == "false":
        opener.click()
    return found


def test_a_server_gets_a_key_answers_a_test_and_is_asked_for_its_models(
    settings: Stage, server: LlmServer
) -> None:
    with settings.open() as page:
        part = providers(page)
        part.get_by_label("New passphrase").fill(PHRASE)
        part.get_by_label("Repeat the passphrase").fill(PHRASE)
        part.get_by_role("button", name="Create encrypted file").click()
        expect(part).to_contain_text("Keys are kept in an encrypted file")

        part.get_by_role("button", name="Add server").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("radio", name="Other server").click()
        dialog.get_by_label("Server name").fill("Studio")
        dialog.get_by_label("Server address").fill(server.base_url("custom"))
        dialog.get_by_role("button", name="Add", exact=True).click()

        studio = card(page, "studio")
        studio.get_by_label("Key of studio").fill(KEY)
        studio.get_by_role("button", name="Save").click()
        expect(studio).to_contain_text("Saved in the encrypted file")
        studio.get_by_role("button", name="Test connection").click()
        expect(studio.get_by_role("status")).to_contain_text(
            "studio answers. It offers", timeout=LIBRARIES_WITHIN_MS
        )
        expect(studio.get_by_role("status")).to_contain_text(" ms")

        model = studio.get_by_role("combobox", name="Model of studio")
        model.click()
        model.press_sequentially("gpt-4o")
        page.get_by_role("option", name="gpt-4o").first.click()
        expect(toast(page, "studio: gpt-4o")).to_be_visible()
        expect(studio).to_contain_text("Works")
        assert KEY not in page.content()
    written = settings.call("config.get")["config"]["llm"]["providers"]["studio"]
    assert LlmProvider.model_validate(written) == LlmProvider(
        kind="custom", base_url=server.base_url("custom"), model="gpt-4o"
    )
    files = [path for path in settings.conductor.home.rglob("*") if path.is_file()]
    kept = b"".join(path.read_bytes() for path in files)
    assert KEY.encode() not in kept
    assert PHRASE.encode() not in kept


def test_the_order_of_providers_is_made_by_keyboard_and_by_dragging(settings: Stage) -> None:
    text = CONFIG + '[llm]\ndefault_provider = "a"\nfailover = ["b", "c", "d"]\n'
    text += "".join(f'[llm.providers.{name}]\nkind = "custom"\n' for name in "abcd")
    settings.conductor.use(text)
    with settings.open() as page:
        providers(page)
        order = page.get_by_role("list", name="Order in which providers are asked")
        names = order.locator("li .name")
        expect(names).to_have_text(["a", "b", "c", "d"])
        order.get_by_role("button", name="Ask c earlier").focus()
        page.keyboard.press("Enter")
        expect(names).to_have_text(["a", "c", "b", "d"])
        order.locator('[data-name="d"]').drag_to(order.locator('[data-name="c"]'))
        expect(names).to_have_text(["a", "d", "c", "b"])
        toast(page, "Asked after a: d, c, b").get_by_role("button", name="Undo").click()
        expect(names).to_have_text(["a", "c", "b", "d"])
    assert settings.call("config.get")["config"]["llm"]["failover"] == ["c", "b", "d"]


def test_a_broken_address_says_what_is_wrong(settings: Stage) -> None:
    settings.conductor.use(
        CONFIG + '[llm.providers.gone]\nkind = "custom"\nbase_url = "http://127.0.0.1:9/v1"\n'
    )
    with settings.open(size=NARROW, theme="light") as page:
        providers(page)
        gone = card(page, "gone")
        gone.get_by_role("button", name="Test connection").click()
        expect(gone.get_by_role("status").locator(".bad")).to_be_visible(
            timeout=LIBRARIES_WITHIN_MS
        )
        expect(gone).to_contain_text("Unreachable")
        address = gone.get_by_label("Address of gone")
        address.fill("not an address")
        address.press("Enter")
        expect(page.locator(".toast")).to_contain_text("base_url")


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_settings_of_providers_are_open_to_everybody(settings: Stage, theme: Theme) -> None:
    with settings.open(size=NARROW, theme=theme) as page:
        page.evaluate(AXE)
        part = providers(page)
        card(page, "anthropic")
        expect(part.get_by_label("Model of anthropic").first).to_be_visible()
        found = page.evaluate(LOOK)
        part.get_by_role("button", name="Add server").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        found += page.evaluate(LOOK)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        found += page.evaluate(FITS)
    assert found == []
