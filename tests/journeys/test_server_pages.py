"""Pages that MCP servers bring along, in the cards of the chat: a useful one, one that attacks, one that floods.

The useful one is built on the official library of MCP Apps; servers and browser are real.
"""

import json
import re
from collections.abc import Generator

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect
from tests.journeys.stage import Stage, go, start_server
from tests.journeys.test_chat import answers, say, with_model
from tests.journeys.test_skills_panel import asks, ends, question
from tests.support.ear import Ear
from tests.support.llm_server import LlmServer
from tests.support.running import REPOSITORY

pytestmark = [pytest.mark.x11, pytest.mark.jack, pytest.mark.timeout(300)]

SUPPORT = REPOSITORY / "tests" / "support"
LIBRARY = "node_modules/@modelcontextprotocol/ext-apps/dist/src/app-with-deps.js"
SCRIPT = (
    asks("show the clock", "mcp__clock__show_clock", zone="Rome"),
    ends("show the clock", "That was the clock."),
    asks("show the attack", "mcp__clock__attack"),
    ends("show the attack", "That was the attack."),
    asks("show the flood", "mcp__clock__flood"),
    ends("show the flood", "That was the flood."),
)


@pytest.fixture(scope="module")
def ear() -> Generator[Ear]:
    with Ear() as ear:
        yield ear


@pytest.fixture(scope="module")
def model(server_of_all: LlmServer) -> LlmServer:
    server_of_all.reset()
    server_of_all.add(*SCRIPT)
    return server_of_all


@pytest.fixture
def page(stage: Stage, model: LlmServer, ear: Ear) -> Generator[Page]:
    """Open the chat of a Conductor with two servers, both agreed to."""
    stage.conductor.use(with_model(model))
    pages = [str(SUPPORT / "apps_server.py"), str(REPOSITORY / LIBRARY), ear.url]
    servers = {"clock": pages, "other": [str(SUPPORT / "greeter.py")]}
    stage.call("abilities.set_tier", tier="integration", enabled=True)
    for name, arguments in servers.items():
        start_server(stage, name, arguments, env={"WORD": "x"})
    with stage.open(expected=["."]) as page:  # refused attempts are told in the console
        go(page, "Chat")
        yield page
    for name in servers:
        stage.call("servers.remove", name=name)


def shown(page: Page, words: str, tool: str) -> Locator:
    """Make the model call a tool, allow the call, and open its card, which shows the server's page."""
    say(page, words)
    question(page).get_by_role("button", name="Allow once").click()
    card = answers(page).last
    expect(card).to_contain_text("That was the")
    card.get_by_role("button", name=re.compile(f"^{tool}", re.IGNORECASE)).click()
    return card.get_by_role("region", name="Page from clock")


def inside(section: Locator) -> FrameLocator:
    return section.frame_locator("iframe")


def push(frame: FrameLocator, button: str) -> None:
    """Press a button by its key: each answer changes the height of the frame, and a click could miss it."""
    frame.get_by_role("button", name=button).press("Enter")


def closed(page: Page) -> None:
    """Wait until the dialog has given the pointer back: until then it takes a click on a frame below it."""
    expect(question(page)).to_have_count(0)
    expect(page.locator("body")).not_to_have_css("pointer-events", "none")


def test_a_servers_page_shows_its_result_and_what_it_calls_asks_me_first(page: Page) -> None:
    section = shown(page, "show the clock", "show.clock")
    clock = inside(section)
    expect(clock.locator("#input")).to_have_text("asked for Rome")
    expect(clock.locator("#result")).to_have_text("noon in Rome")
    expect(clock.locator("body")).to_have_attribute("data-theme", "dark")

    push(clock, "Tick")
    expect(question(page)).to_contain_text("page of MCP server clock")
    expect(question(page).get_by_role("region", name="Arguments")).to_contain_text("by")
    question(page).get_by_role("button", name="Allow once").click()
    expect(clock.locator("#said")).to_contain_text("ticked to 2")
    closed(page)

    push(clock, "Tick")
    question(page).get_by_role("button", name="Deny").click()
    expect(clock.locator("#said")).to_contain_text('"isError":true')
    closed(page)

    push(clock, "Read")
    expect(clock.locator("#said")).to_contain_text("Rome, Lima")
    push(clock, "Hidden")
    expect(clock.locator("#said")).to_contain_text("does not allow its page to call hidden")
    push(clock, "Message")
    expect(clock.locator("#said")).to_contain_text("refused")

    push(clock, "Link")
    leaving = page.get_by_role("dialog", name="Open a link from clock in your browser?")
    expect(leaving).to_contain_text("https://example.org/clock")
    leaving.get_by_role("button", name="Cancel").click()
    expect(clock.locator("#said")).to_contain_text("the user declined to open the link")


def test_a_hostile_page_reaches_nothing_and_nobody(page: Page, stage: Stage, ear: Ear) -> None:
    section = shown(page, "show the attack", "attack")
    expect(section).to_contain_text(f"It asked for {ear.url}")
    told_by_page = inside(section).locator("#told")
    text = told_by_page.text_content(timeout=120_000)
    # Once that is read, it tries to go elsewhere itself, which Conductor's own policy of frames forbids.
    with page.expect_console_message(lambda one: "frame-src 'self'" in one.text, timeout=120_000):
        told_by_page.evaluate("list => (list.dataset.read = 'yes')")
    told: dict[str, str] = dict(json.loads(text or "[]"))
    assert len(told) > 35
    assert [name for name, words in told.items() if "ESCAPED" in words] == []
    assert "has no tool mcp:other:greet" in told["another server"]
    assert told["speaking as the user"].startswith("refused")
    # A browser may open a connection for an address before it refuses it; nothing may come over it.
    assert [one for one in ear.heard if one != "tcp: a connection"] == []
    assert page.url.startswith(stage.origin)
    assert question(page).count() == 0
    assert stage.conductor.status()["engine"]["running"]


def test_a_page_that_floods_is_closed(page: Page) -> None:
    say(page, "show the flood")
    question(page).get_by_role("button", name="Allow once").click()
    card = answers(page).last
    expect(card).to_contain_text("That was the flood.")
    card.get_by_role("button", name=re.compile("^flood", re.IGNORECASE)).click()
    expect(card).to_contain_text("The page was closed because it sent too many messages.")
    expect(card.locator("iframe")).to_have_count(0)
