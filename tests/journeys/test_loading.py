"""The code of views that is loaded when it is needed, and what is left when it cannot be."""

import re

import pytest
from playwright.sync_api import Page, expect
from tests.journeys.stage import Stage, go, rail, row, titles

pytestmark = [pytest.mark.x11, pytest.mark.jack, pytest.mark.timeout(150)]
HAS_LOADED = """(name) => performance.getEntriesByType("resource").some(
    ({ name: url }) => url.includes(`/assets/${name}-`))"""


def test_views_open_without_a_server_once_the_page_was_idle(stage: Stage) -> None:
    with stage.open(expected=["Failed to load resource", "ERR_", "WebSocket"]) as page:
        expect(row(page, "say h")).to_be_visible()
        page.wait_for_function(HAS_LOADED, arg="highlight")  # the last one
        page.route("**/assets/**", lambda route: route.abort())
        for title in titles(page):
            go(page, title)
        page.unroute("**/assets/**")


def test_a_view_whose_file_is_gone_says_so_and_opens_when_the_page_is_reloaded(
    stage: Stage,
) -> None:
    with stage.open(expected=["Failed to load resource", "dynamically imported module"]) as page:
        expect(row(page, "say h")).to_be_visible()
        page.route("**/assets/PlansView-*", lambda route: route.fulfill(status=404))
        rail(page).get_by_role("button", name=re.compile("^Plans")).click()
        alert = page.get_by_role("main").get_by_role("alert")
        expect(alert).to_contain_text("Plans could not be loaded")
        go(page, "Monitor")
        rail(page).get_by_role("button", name=re.compile("^Plans")).click()
        page.unroute("**/assets/PlansView-*")
        alert.get_by_role("button", name="Reload").click()
        expect(page.get_by_role("heading", name="Plans", level=1)).to_be_visible()


def test_a_slow_view_leaves_the_frame_usable(page: Page) -> None:
    page.route("**/assets/ModesView-*", lambda _route: None)  # never answered
    rail(page).get_by_role("button", name="Modes").click()
    expect(page.get_by_text("Loading Modes…")).to_be_attached()
    expect(rail(page).get_by_role("button", name="Modes")).to_be_focused()
    page.keyboard.press("Control+k")
    page.keyboard.type("go monitor")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Monitor", level=1)).to_be_visible()
    page.unroute("**/assets/ModesView-*")
