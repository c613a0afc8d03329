"""Who has talked for years finds the first conversation by scrolling, and not only the latest hundred."""

import pytest
from playwright.sync_api import Browser, expect
from tests.journeys.stage import Stage, go
from tests.support.running import running_conductor, short_home

from conductor.storage.conversations import Conversations
from conductor.storage.database import Database

pytestmark = pytest.mark.timeout(300)
MANY = 500
CONFIG = """
[[modes]]
name = "Default"

[[modes.mappings]]
trigger = { type = "Note", note = 40 }
action = { type = "ModeChange", mode = "Default" }
"""


def test_i_scroll_to_the_oldest_of_many_conversations(browser: Browser) -> None:
    with short_home() as home:
        database = Database(home / "conductor.db")
        for number in range(1, MANY + 1):
            Conversations(lambda: database).create_conversation(
                None, None, f"Talk {number} of many"
            )
        database.close()
        with (
            running_conductor(CONFIG, home=home, with_page=True, own_process=True) as conductor,
            Stage(browser, conductor).open() as page,
        ):
            go(page, "Chat")
            talks = page.get_by_role("list", name="Conversations").locator("[data-conversation]")
            expect(talks).to_have_count(100)
            for count in range(200, MANY + 1, 100):
                talks.last.scroll_into_view_if_needed()
                expect(talks).to_have_count(count)
            expect(talks.last).to_contain_text("Talk 1 of many")
            expect(page.get_by_role("button", name="Show older conversations")).to_have_count(0)
            talks.last.click()
            expect(talks.last).to_have_attribute("aria-current", "true")
