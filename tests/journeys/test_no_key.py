"""After a real session, a key and its passphrase are on no disk, on no page and in no request body."""

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.journeys.stage import Stage, go
from tests.support.llm_server import LlmServer
from tests.support.running import RunningConductor, running_conductor

pytestmark = pytest.mark.timeout(300)
KEY = "0123456789-of-no-known-shape"
PHRASE = "correct horse battery"
NO_KEYCHAIN = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"}
CONFIG = """
[[modes]]
name = "Default"

[[modes.mappings]]
trigger = { type = "Note", note = 40 }
action = { type = "ModeChange", mode = "Default" }

[llm]
default_provider = "studio"

[llm.providers.studio]
kind = "anthropic"
model = "claude-sonnet-5-5"
base_url = "URL"
"""
REFUSED = {
    "match": {"userMessage": "say what you were given"},
    "response": {
        "error": {"message": f"invalid x-api-key: {KEY}", "type": "authentication_error"},
        "status": 401,
    },
}
ON_PAGE = """() => JSON.stringify([
  document.documentElement.outerHTML,
  [...document.querySelectorAll("input, textarea")].map((field) => field.value),
  { ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state,
])"""


def test_a_key_is_on_no_disk_on_no_page_and_in_no_body(browser: Browser, server: LlmServer) -> None:
    server.add(REFUSED)
    config = CONFIG.replace("URL", server.base_url("anthropic"))
    places: dict[str, str] = {}
    with running_conductor(
        config, environment=NO_KEYCHAIN, with_page=True, own_process=True
    ) as conductor:
        stage = Stage(browser, conductor)
        with stage.open() as page:
            _give_key(page)
            places["page: settings"] = page.evaluate(ON_PAGE)
            go(page, "Chat")
            _say(page, "Create a mapping so pad 36 triggers Cmd+C", "Look at the plan")
            _say(page, "Now say what you were given", "refused the key")
            places["page: chat"] = page.evaluate(ON_PAGE)
            page.reload()
            expect(page.get_by_role("article", name="Answer").last).to_contain_text(
                "refused the key"
            )
            places["page: after a reload"] = page.evaluate(ON_PAGE)
        places |= _told(stage)
        for words in (["audit"], ["status"], ["plans"]):
            places[f"terminal: {words[0]}"] = str(conductor.cli(*words))
        conductor.stop()
        places |= _files(conductor)
    places["bodies"] = str(server.bodies())

    kept = ("config.toml", "conductor.db", ".log", "stdout.txt")
    assert all(any(name.endswith(end) for name in places) for end in kept), sorted(places)
    assert "Create a mapping" in places["bodies"]
    assert "refused the key" in places["page: chat"]
    assert "Create a mapping" in places["exported as json"]
    found = [place for place, text in places.items() if KEY in text or PHRASE in text]
    assert found == []


def _give_key(page: Page) -> None:
    go(page, "Settings")
    page.get_by_role("tab", name="Providers").click()
    part = page.get_by_role("region", name="Providers", exact=True)
    part.get_by_label("New passphrase").fill(PHRASE)
    part.get_by_label("Repeat the passphrase").fill(PHRASE)
    part.get_by_role("button", name="Create encrypted file").click()
    expect(part).to_contain_text("Keys are kept in an encrypted file")
    studio = page.locator('[data-provider="studio"]')
    opener = studio.locator("button[aria-expanded][aria-controls]").first
    if opener.get_attribute("aria-expanded") == "false":
        opener.click()
    studio.get_by_label("Key of studio").fill(KEY)
    studio.get_by_role("button", name="Save").click()
    expect(studio.get_by_label("Key of studio")).to_have_count(0)


def _say(page: Page, words: str, answer: str) -> None:
    box = page.get_by_role("textbox", name="Message")
    box.fill(words)
    box.press("Enter")
    expect(page.get_by_role("article", name="Answer").last).to_contain_text(answer, timeout=90_000)


def _told(stage: Stage) -> dict[str, str]:
    """Return what the page's commands return about conversations and providers."""
    told = {"providers": str(stage.call("providers.list")), "keys": str(stage.call("keys.state"))}
    [row] = stage.call("chat.conversations", query="")["conversations"]
    for form in ("markdown", "json"):
        asked = {"conversation_id": row["conversation_id"], "form": form}
        told[f"exported as {form}"] = stage.call("chat.export", **asked)["text"]
    return told


def _files(conductor: RunningConductor) -> dict[str, str]:
    """Return every file of the home folder, byte for byte."""
    return {
        str(path): path.read_bytes().decode("latin-1")
        for path in conductor.home.rglob("*")
        if path.is_file()
    }
