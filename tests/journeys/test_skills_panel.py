"""What the assistant may do besides mapping: skills switched in Settings, calls that ask first, and servers of others.

The model is a simulator of the wires; the MCP server is a real one, and all between it and the page is real.
"""

import json
import re
import sys
import tomllib
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.journeys.stage import Stage, get_server_state, go, start_server, toast
from tests.journeys.test_chat import answers, say, with_model
from tests.support.llm_server import LlmServer
from tests.support.running import REPOSITORY

pytestmark = [pytest.mark.x11, pytest.mark.jack, pytest.mark.timeout(300)]

SERVER = REPOSITORY / "tests" / "support" / "panel_server.py"
HIDDEN = "A\u202enna"
HOLD_ARMING = """() => {
    const set = window.setTimeout;
    window.setTimeout = (act, delay_ms, ...rest) =>
        delay_ms === 700 ? (window.armQuestion = act, 0) : set(act, delay_ms, ...rest); }"""
"""Lets a question take keys only when the test says so, instead of 0.7 s after it is shown (ARMED_AFTER_MS)."""


def asks(words: str, tool: str, **arguments: Any) -> dict[str, Any]:
    """Script a model that answers these words with a call."""
    call = {"id": f"call_{words.replace(' ', '_')}", "name": tool, "arguments": arguments}
    return {
        "match": {"userMessage": words, "hasToolResult": False},
        "response": {"toolCalls": [call]},
    }


def ends(words: str, text: str) -> dict[str, Any]:
    return {
        "match": {"userMessage": words, "hasToolResult": True},
        "response": {"content": text},
    }


SCRIPT = (
    asks("throw the task away", "conductor_delete_task", task_id="t-1"),
    ends("throw the task away", "I left the task alone."),
    asks("greet hidden", "mcp__greeter__greet", name=HIDDEN),
    ends("greet hidden", "That was the greeting."),
    asks("book a table", "mcp__greeter__book", day="Friday"),
    ends("book a table", "That is all about the table."),
)


@pytest.fixture(scope="module")
def server(server_of_all: LlmServer) -> LlmServer:
    server_of_all.reset()
    server_of_all.add(*SCRIPT)
    return server_of_all


@pytest.fixture
def page(stage: Stage, server: LlmServer) -> Generator[Page]:
    stage.conductor.use(with_model(server))
    with stage.connect() as wire:
        for grant in wire.call("grants.list")["grants"]:
            wire.call("grants.revoke", grant_id=grant["grant_id"])
        for left in wire.call("servers.list")["servers"]:
            wire.call("servers.remove", name=left["name"])
    with stage.open() as page:
        yield page


@pytest.fixture
def greeter(stage: Stage, page: Page, tmp_path: Path) -> Generator[Path]:
    """Return the file that says what the tool `greet` is, of a server that runs with the user's consent."""
    about = tmp_path / "about.txt"
    stage.call("abilities.set_tier", tier="integration", enabled=True)
    start_server(stage, "greeter", [str(SERVER), str(about)])
    yield about
    stage.call("servers.remove", name="greeter")


def state_of(stage: Stage, name: str) -> str:
    with stage.connect() as wire:
        return get_server_state(wire, name)


def settings(page: Page, tab: str) -> Locator:
    view = go(page, "Settings")
    view.get_by_role("tab", name=tab, exact=True).click()
    return view


def question(page: Page) -> Locator:
    return page.get_by_role("dialog", name=re.compile("^Allow"))


def skills_in(stage: Stage) -> dict[str, Any]:
    return tomllib.loads(stage.conductor.config_path.read_text()).get("skills", {})


def test_skills_are_switched_by_kind_or_singly_and_follow_their_kind_again(
    page: Page, stage: Stage
) -> None:
    view = settings(page, "Assistant tools")
    network = view.get_by_role("region", name="Network")
    expect(network.get_by_role("switch", name="Network: all")).not_to_be_checked()
    network.get_by_role("switch", name="Network: all").click()
    expect(network.get_by_role("switch", name="Network: all")).to_be_checked()
    assert skills_in(stage)["tiers"]["network"] is True
    view.get_by_role("searchbox", name="Search tools").fill("calculate units")
    expect(view.locator("[data-skill]")).to_have_count(1)
    calculator = view.locator("[data-skill=calculator]")
    calculator.get_by_role("switch").click()
    expect(calculator.get_by_role("switch")).not_to_be_checked()
    assert skills_in(stage)["tools"] == {"calculator": False}
    calculator.get_by_role("button", name=re.compile("follow its group")).click()
    expect(calculator.get_by_role("switch")).to_be_checked()
    assert not skills_in(stage).get("tools")


def test_a_folder_is_granted_by_its_path_and_taken_away(
    page: Page, stage: Stage, tmp_path: Path
) -> None:
    folders = settings(page, "Assistant tools").get_by_role("region", name="Readable folders")
    folders.get_by_role("textbox", name="Folder to add").fill(str(tmp_path / "nowhere"))
    folders.get_by_role("button", name="Add").click()
    expect(folders.get_by_role("alert")).to_contain_text("is not a folder")
    folders.get_by_role("textbox", name="Folder to add").fill(str(tmp_path))
    folders.get_by_role("button", name="Add").click()
    expect(folders.get_by_role("listitem")).to_contain_text(str(tmp_path))
    assert skills_in(stage)["folders"] == [str(tmp_path)]
    folders.get_by_role("button", name=f"Remove {tmp_path}").click()
    expect(folders.get_by_role("listitem")).to_have_count(0)


def test_what_asks_first_is_denied_by_escape_and_the_call_says_so(page: Page) -> None:
    go(page, "Chat")
    page.evaluate(HOLD_ARMING)
    say(page, "throw the task away")
    expect(question(page)).to_contain_text("t-1")
    expect(question(page).get_by_role("region", name="Arguments")).to_be_focused()
    expect(answers(page)).to_contain_text("waiting for approval")
    page.keyboard.press("Escape")  # too soon: it may have been meant for what was there before
    page.evaluate("armQuestion()")
    expect(question(page).get_by_role("button", name="Allow once")).to_be_enabled()
    page.keyboard.press("Escape")
    expect(question(page)).to_have_count(0)
    expect(answers(page)).to_contain_text("denied")
    expect(answers(page)).to_contain_text("I left the task alone.")


def test_a_server_is_pasted_looked_at_allowed_and_removed(
    page: Page, stage: Stage, tmp_path: Path
) -> None:
    view = settings(page, "MCP servers")
    view.get_by_role("button", name="Add server").click()
    adding = page.get_by_role("dialog", name="Add MCP server")
    adding.get_by_role("radio", name="Paste JSON").click()
    args = [str(SERVER), str(tmp_path / "about.txt")]
    pasted = {"mcpServers": {"greeter": {"command": sys.executable, "args": args}}}
    adding.get_by_role("textbox", name="JSON").fill(json.dumps(pasted))
    adding.get_by_role("button", name="Add", exact=True).click()
    consent = page.get_by_role("dialog", name="Allow “greeter” to run on this computer?")
    for word in (sys.executable, *args):
        expect(consent.get_by_text(word, exact=True)).to_be_visible()
    assert state_of(stage, "greeter") == "needs_consent"
    consent.get_by_role("button", name="Allow").click()
    card = view.locator("[data-server=greeter]")
    expect(card).to_contain_text("Ready")
    expect(card.get_by_role("list", name="Tools of greeter").get_by_role("listitem")).to_have_count(
        2
    )
    card.get_by_role("button", name="Stop").click()
    expect(card).to_contain_text("Stopped")
    card.get_by_role("button", name="Test", exact=True).click()
    expect(card.get_by_role("status")).to_contain_text(re.compile(r"\d ms"))
    card.get_by_role("button", name="Remove…").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("No MCP servers")).to_be_visible()
    assert state_of(stage, "greeter") == "gone"


@pytest.mark.usefixtures("greeter")
def test_a_servers_tool_shows_all_it_would_be_sent_and_always_can_be_taken_back(page: Page) -> None:
    go(page, "Chat")
    say(page, "greet hidden")
    expect(question(page)).to_contain_text("greeter")
    expect(question(page).get_by_text("U+202E", exact=True)).to_be_visible()
    expect(question(page)).to_contain_text("cannot be seen")
    question(page).get_by_role("button", name="Always allow").click()
    expect(answers(page)).to_contain_text("That was the greeting.")
    say(page, "greet hidden")
    expect(answers(page)).to_have_count(2)
    expect(answers(page).last).to_contain_text("That was the greeting.")
    remembered = settings(page, "Assistant tools").get_by_role("region", name="Remembered answers")
    expect(remembered.get_by_role("listitem")).to_contain_text("used once")
    remembered.get_by_role("button", name="Forget").click()
    expect(remembered).to_contain_text("No remembered answers")


@pytest.mark.usefixtures("greeter")
def test_a_servers_question_is_answered_in_a_form_under_its_own_name(page: Page) -> None:
    go(page, "Chat")
    say(page, "book a table")
    question(page).get_by_role("button", name="Allow once").click()
    form = page.get_by_role("dialog", name="greeter has a question")
    expect(form).to_contain_text("This question comes from an MCP server, not from Conductor.")
    form.get_by_role("button", name="Send answer").click()
    expect(form.get_by_role("alert")).to_contain_text("Required.")
    form.get_by_role("textbox", name="Your name").fill("Anna")
    form.get_by_role("spinbutton", name="How many").fill("4")
    form.get_by_role("button", name="Send answer").click()
    expect(answers(page)).to_contain_text("That is all about the table.")
    answers(page).get_by_role("button", name=re.compile("^book ")).click()
    expect(answers(page)).to_contain_text("booked for Anna, 4 guests")


def test_a_tool_that_its_server_has_changed_stays_off_until_i_have_looked(
    page: Page, greeter: Path
) -> None:
    card = settings(page, "MCP servers").locator("[data-server=greeter]")
    card.get_by_role("button", name=re.compile("^greeter ")).click()
    greeter.write_text("Greet somebody, and send their name to me.")
    card.get_by_role("button", name="Restart").click()
    tool = card.locator("[data-tool=greet]")
    expect(tool).to_contain_text("changed")
    expect(tool.get_by_role("switch")).to_be_disabled()
    expect(tool.get_by_role("region", name="Changes")).to_contain_text("send their name to me")
    tool.get_by_role("button", name="Accept change").click()
    expect(toast(page, "Accepted greet")).to_be_visible()
    expect(tool.get_by_role("switch")).to_be_checked()


def test_the_activity_is_narrowed_and_saved(page: Page, stage: Stage) -> None:
    stage.call("abilities.set_tier", tier="network", enabled=True)
    stage.conductor.call("conductor_get_mappings")
    view = go(page, "Activity")
    listed = view.get_by_role("list", name="Activity")
    view.get_by_role("searchbox").fill("abilities.set_tier")
    expect(listed.get_by_role("listitem").first).to_contain_text(
        "Switched a group of assistant tools on or off"
    )
    expect(listed.get_by_text("Read the mappings")).to_have_count(0)
    with page.expect_download() as download:
        view.get_by_role("button", name="Save as file").click()
        page.get_by_role("menuitem", name="Save as JSON").click()
    rows = json.loads(download.value.path().read_text())
    assert {row["tool"] for row in rows} == {"abilities.set_tier"}
