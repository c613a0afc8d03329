"""The user switches A2A on in the settings, and gets the address for the other agent."""

import json
import urllib.request

from playwright.sync_api import Browser, expect
from tests.journeys.stage import Stage, go
from tests.mcp.test_http import answers, free_port
from tests.support.running import running_conductor, wait_for

WITHOUT_PARTS = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}


# With a mapping, the window does not open the first steps.
CONFIG = """
[[modes]]
name = "Default"

[[modes.mappings]]
trigger = { type = "Note", note = 36 }
action = { type = "Keystroke", keys = ["a"] }

[llm.a2a]
http_port = PORT
"""


def test_a2a_is_switched_on_with_the_address_of_its_card(browser: Browser) -> None:
    port = free_port()
    text = CONFIG.replace("PORT", str(port))
    with (
        running_conductor(text, environment=WITHOUT_PARTS, with_page=True) as conductor,
        Stage(browser, conductor).open() as page,
    ):
        view = go(page, "Settings")
        view.get_by_role("tab", name="Agents").click()
        part = view.get_by_role("region", name="Agents (A2A)")
        card = part.get_by_text("agent-card.json")
        expect(card).to_have_count(0)
        part.get_by_role("switch", name="Serve over A2A").click()
        address = card.text_content() or ""
        expect(part.get_by_text("mcp-token")).to_be_visible()
        wait_for(lambda: answers(port), bool)
        with urllib.request.urlopen(address, timeout=20) as answer:
            assert json.loads(answer.read())["name"] == "Conductor MIDI Mapper"
        part.get_by_role("switch", name="Serve over A2A").click()
        wait_for(lambda: not answers(port), bool)
