"""Talking to a model in the window: plans it proposes, answers that stop, branch and wait, and what a restart keeps.

The model is a simulator of the wires; everything between the page and the pads is real.
"""

import re
from collections.abc import Generator
from contextlib import contextmanager
from queue import SimpleQueue

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.journeys.conftest import PADS
from tests.journeys.hands import tap
from tests.journeys.stage import Stage, go, rail, toast
from tests.support.edge_llm import (
    Asked,
    EdgeServer,
    Reply,
    chat_call,
    edge_server,
    error,
    event,
    sse,
)
from tests.support.edge_llm import chat as chunks
from tests.support.jack import MidiPeer
from tests.support.llm_server import LlmServer
from tests.support.running import running_conductor, short_home
from tests.support.xserver import KeyWindow

pytestmark = [pytest.mark.x11, pytest.mark.jack, pytest.mark.timeout(300)]

MAPPINGS = f"""{PADS}
[[modes]]
name = "Default"

[[modes.mappings]]
description = "say i"
trigger = {{ type = "Note", note = 38, device = "pads" }}
action = {{ type = "Keystroke", keys = ["i"] }}
"""
TWO_PADS = {
    "id": "call_two",
    "name": "conductor_batch",
    "arguments": {
        "operations": [
            {
                "tool": "conductor_create_mapping",
                "arguments": {
                    "mode": "Default",
                    "trigger": {"type": "Note", "note": note},
                    "action": {"type": "Keystroke", "keys": [key]},
                },
            }
            for note, key in ((60, "q"), (61, "w"))
        ]
    },
}
TWO = (
    {
        "match": {"userMessage": "after a while", "hasToolResult": False},
        "response": {"toolCalls": [TWO_PADS]},
        "streamingProfile": {"ttft": 3000, "tps": 50},
    },
    {
        "match": {"userMessage": "two pads", "hasToolResult": False},
        "response": {"toolCalls": [TWO_PADS]},
    },
    {
        "match": {"userMessage": "two pads", "hasToolResult": True},
        "response": {"content": "Take both, or one of them."},
    },
    {
        "match": {"userMessage": "speak long"},
        "response": {"content": "A pad is a key. " * 40 + "That was all."},
        "chunkSize": 4,
        "streamingProfile": {"tps": 300},
    },
)


def with_model(server: LlmServer, config: str = MAPPINGS) -> str:
    return config + model_at(server.base_url("custom"))


def model_at(base_url: str) -> str:
    return f"""
[llm]
default_provider = "sim"

[llm.providers.sim]
kind = "custom"
base_url = "{base_url}"
model = "gpt-sim"
"""


@pytest.fixture(scope="module")
def server(server_of_all: LlmServer) -> LlmServer:
    server_of_all.reset()
    server_of_all.add(*TWO)
    return server_of_all


@contextmanager
def model_in_pieces(*later: Reply) -> Generator[tuple[EdgeServer, SimpleQueue[bytes | None]]]:
    """Run a model whose first answer sends what is put in the queue, until None; its next answers are `later`."""
    pieces: SimpleQueue[bytes | None] = SimpleQueue()
    answered = iter((Reply(iter(pieces.get, None)), *later))

    def answer(asked: Asked) -> Reply:
        return next(answered) if asked.method == "POST" else error(404, "no list of models")

    with edge_server() as edge:
        edge.reply(*[answer] * 20)
        try:
            yield edge, pieces
        finally:
            pieces.put(None)


@contextmanager
def chat_with(stage: Stage, edge: EdgeServer) -> Generator[Page]:
    """Open the chat of a Conductor whose only model is the given server."""
    stage.conductor.use(MAPPINGS + model_at(f"{edge.url}/v1"))
    with stage.open() as page:
        go(page, "Chat")
        yield page


@pytest.fixture
def chat(stage: Stage, server: LlmServer) -> Generator[Page]:
    """Open the chat of a Conductor whose only model is the simulator."""
    stage.conductor.use(with_model(server))
    with stage.open() as page:
        go(page, "Chat")
        yield page


def say(page: Page, words: str) -> None:
    box = page.get_by_role("textbox", name="Message")
    box.fill(words)
    box.press("Enter")


def answers(page: Page) -> Locator:
    return page.get_by_role("article", name="Answer")


def plan(page: Page) -> Locator:
    return page.get_by_role("article", name=re.compile("^Plan: "))


def test_a_mapping_that_i_ask_for_presses_its_keys_once_i_apply_it(
    chat: Page, stage: Stage, pads: MidiPeer, window: KeyWindow
) -> None:
    say(chat, "Create a mapping so pad 36 triggers Cmd+C")
    expect(answers(chat)).to_contain_text("Look at the plan and apply it.")
    expect(plan(chat)).to_contain_text("Note 36")
    assert "note = 36" not in stage.conductor.config_path.read_text()
    plan(chat).get_by_role("button", name="Apply").click()
    expect(plan(chat)).to_contain_text("Applied")
    tap(pads, 36)
    pressed = [window.next_key() for _ in range(4)]
    assert [(key.name, key.pressed) for key in pressed] == [
        ("Control_L", True),
        ("c", True),
        ("c", False),
        ("Control_L", False),
    ]
    plan(chat).get_by_role("button", name="Undo").click()
    expect(toast(chat, "Undone")).to_be_visible()
    assert "note = 36" not in stage.conductor.config_path.read_text()
    expect(plan(chat)).to_contain_text("Undone")
    chat.reload()
    plan(chat).get_by_role("button", name="Redo").click()
    expect(plan(chat).get_by_role("button", name="Undo")).to_be_visible()
    assert "note = 36" in stage.conductor.config_path.read_text()


def test_of_a_plan_i_take_only_what_i_want(chat: Page, stage: Stage) -> None:
    say(chat, "Map two pads")
    plan(chat).get_by_role("checkbox").last.uncheck()
    plan(chat).get_by_role("button", name="Apply 1 of 2").click()
    expect(plan(chat)).to_contain_text("Applied in part")
    text = stage.conductor.config_path.read_text()
    assert ("note = 60" in text, "note = 61" in text) == (True, False)
    chat.reload()
    plan(chat).get_by_role("button", name="Undo").click()
    expect(plan(chat)).to_contain_text("Undone")
    assert "note = 60" not in stage.conductor.config_path.read_text()


def test_an_answer_stops_when_i_press_escape_and_what_had_come_stays(stage: Stage) -> None:
    said, *_ = chunks({"content": "One word "})
    with model_in_pieces() as (edge, pieces), chat_with(stage, edge) as page:
        say(page, "speak slowly")
        pieces.put(event(said))
        expect(answers(page)).to_contain_text("One word")
        asked = len(edge.asked)
        page.keyboard.press("Escape")
        expect(answers(page)).to_contain_text("Stopped")
        expect(answers(page)).to_contain_text("One word")
        expect(page.get_by_role("button", name="Send", exact=True)).to_be_visible()
        assert len(edge.asked) == asked


def sent_by(page: Page) -> list[str]:
    """Return the list of what the page will have sent from when it is loaded again."""
    sent: list[str] = []

    def keep(frame: str | bytes) -> None:
        sent.append(str(frame))

    page.on("websocket", lambda socket: socket.on("framesent", keep))
    return sent


def test_a_long_answer_grows_without_being_reloaded(chat: Page) -> None:
    sent = sent_by(chat)
    say(chat, "say hello")
    expect(answers(chat)).to_contain_text("Hello!")
    expect(chat.get_by_role("button", name="Send", exact=True)).to_be_visible()
    chat.reload()
    go(chat, "Chat")
    expect(answers(chat)).to_contain_text("Hello!")
    sent.clear()
    say(chat, "speak long")
    expect(answers(chat).last).to_contain_text("That was all.")
    assert [one for one in sent if "chat.send" in one]
    assert [one for one in sent if "chat.open" in one] == []


def test_what_a_model_says_after_the_start_of_a_call_grows_in_its_place(stage: Stage) -> None:
    begun = chat_call(0, "conductor_get_mappings", "{", "call_1")
    words = [f"word{number} " for number in range(12)]
    *said, stop, done = chunks(
        begun, *({"content": word} for word in words), chat_call(0, None, "}", None)
    )
    later = sse(*chunks({"content": "That was all."}))
    with model_in_pieces(later) as (edge, pieces), chat_with(stage, edge) as page:
        sent = sent_by(page)
        page.reload()
        go(page, "Chat")
        say(page, "speak beside a call")
        pieces.put(event(said[0]))
        expect(answers(page)).to_contain_text("writing")
        sent.clear()
        for number, piece in enumerate(said[1:-1]):
            pieces.put(event(piece))
            expect(answers(page)).to_contain_text(words[number])
            if number == len(words) // 2:
                assert [one for one in sent if "chat.open" in one] == []
                page.reload()  # what is read then has the call in its place too
                go(page, "Chat")
                expect(answers(page)).to_contain_text(words[number])
                sent.clear()
        for piece in (said[-1], stop, done):
            pieces.put(event(piece))
        pieces.put(None)
        expect(answers(page)).to_contain_text("That was all.")
        expect(answers(page)).to_contain_text(re.compile("List mappings.*word0 word1 "))
    assert [one for one in sent if "chat.open" in one] == []


def test_what_i_say_meanwhile_waits_and_can_be_taken_back(stage: Stage) -> None:
    said, *ends = chunks({"content": "One word "})
    hello = sse(*chunks({"content": "Hello! I can map your pads"}))
    with model_in_pieces(hello) as (edge, pieces), chat_with(stage, edge) as page:
        say(page, "speak slowly")
        pieces.put(event(said))
        expect(answers(page)).to_contain_text("One word")
        say(page, "say hello")
        say(page, "never sent")
        waiting = page.get_by_role("list", name="Queued messages")
        expect(waiting.get_by_role("listitem")).to_have_count(2)
        waiting.get_by_role("button", name="Remove from queue: never sent").click()
        expect(waiting.get_by_role("listitem")).to_have_count(1)
        for end in ends:
            pieces.put(event(end))
        pieces.put(None)
        expect(answers(page).last).to_contain_text("Hello! I can map your pads")
        expect(waiting).to_have_count(0)


def test_what_i_edit_and_ask_again_stays_beside_what_was_there(chat: Page) -> None:
    say(chat, "say hello")
    expect(answers(chat)).to_contain_text("Hello!")
    expect(chat.get_by_role("button", name="Answer again", exact=True)).to_be_visible()
    chat.get_by_role("textbox", name="Message").press("ArrowUp")
    edit = chat.get_by_role("textbox", name="Edit message")
    edit.fill("think about it")
    edit.press("Enter")
    expect(answers(chat)).to_contain_text("42.")
    mine = chat.get_by_role("group", name="Version 2 of 2")
    mine.get_by_role("button", name="Previous version").click()
    expect(answers(chat)).to_contain_text("Hello!")
    chat.get_by_role("button", name="Answer again", exact=True).click()
    expect(answers(chat).get_by_role("group", name="Version 2 of 2")).to_be_visible()
    expect(answers(chat)).to_contain_text("Hello!")


def test_a_key_that_is_wanted_leads_to_the_settings_of_providers(chat: Page) -> None:
    say(chat, "a wrong key")
    failed = chat.get_by_role("group", name="No API key")
    expect(failed).to_contain_text("none is set")
    failed.get_by_role("button", name=re.compile("Settings")).click()
    expect(chat.get_by_role("heading", name="Settings", level=1)).to_be_visible()


def test_a_plan_that_comes_while_i_look_elsewhere_calls_me_back(chat: Page) -> None:
    say(chat, "after a while, two pads")
    go(chat, "Monitor")
    toast(chat, "The assistant proposes: ").get_by_role("button", name="Review").click()
    expect(plan(chat)).to_be_visible()


def test_i_rename_find_and_delete_a_conversation(chat: Page) -> None:
    say(chat, "say hello")
    expect(answers(chat)).to_contain_text("Hello!")
    history = chat.get_by_role("list", name="Conversations")
    history.locator("[data-conversation][aria-current=true]").press("F2")
    title = chat.get_by_role("textbox", name="Conversation title")
    title.fill("A quiet greeting")
    title.press("Enter")
    chat.get_by_role("searchbox", name="Search all conversations").fill("quiet greeting")
    expect(history.locator("[data-conversation]")).to_have_count(1)
    history.get_by_role("button", name="A quiet greeting", exact=True).press("Delete")
    chat.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(history.locator("[data-conversation]")).to_have_count(0)
    expect(chat.get_by_role("heading", name="What should your controls do?")).to_be_visible()


def test_a_new_title_goes_nowhere_but_into_its_field(chat: Page) -> None:
    say(chat, "say hello")
    expect(answers(chat)).to_contain_text("Hello!")
    history = chat.get_by_role("list", name="Conversations")
    chat.get_by_role("textbox", name="Message").click()
    history.get_by_role("listitem").filter(has=chat.locator("[aria-current=true]")).hover()
    history.get_by_role("button", name="More actions for say hello").first.click()
    chat.get_by_role("menuitem", name="Rename").click()
    expect(chat.get_by_role("textbox", name="Conversation title")).to_be_focused()
    chat.keyboard.type("A loud greeting")
    chat.keyboard.press("Enter")
    expect(history.get_by_role("button", name="A loud greeting", exact=True)).to_be_visible()
    expect(chat.get_by_role("textbox", name="Message")).to_have_value("")
    expect(answers(chat)).to_have_count(1)


def test_a_conversation_is_saved_as_a_file(chat: Page) -> None:
    say(chat, "think about it")
    expect(answers(chat)).to_contain_text("42.")
    more = chat.get_by_role("button", name="More actions for think about it").first
    more.focus()  # the menu of a conversation shows when it is needed
    more.click()
    with chat.expect_download() as download:
        chat.get_by_role("menuitem", name="Export as Markdown").click()
    assert download.value.suggested_filename == "think-about-it.md"
    assert "42." in download.value.path().read_text()


def test_a_control_that_i_touch_is_what_i_talk_about(
    chat: Page, pads: MidiPeer, server: LlmServer
) -> None:
    chat.get_by_role("button", name="Mention a control by touching it").click()
    expect(chat.get_by_text("Press, hold or turn a control.")).to_be_visible()
    tap(pads, 41)
    box = chat.get_by_role("textbox", name="Message")
    expect(box).to_have_value(re.compile("@.*41"))
    box.press("End")
    box.press_sequentially("say hello")
    box.press("Enter")
    expect(answers(chat)).to_contain_text("Hello!")
    assert 'of the device "pads"' in str(server.bodies()[-1]["messages"][-1])


def test_with_no_model_a_command_makes_the_same_plan(stage: Stage) -> None:
    stage.conductor.use(MAPPINGS)
    with stage.open() as page:
        go(page, "Chat")
        expect(page.get_by_text("No model is set up yet.")).to_be_visible()
        say(page, "/map pad 45 to q")
        plan(page).get_by_role("button", name="Apply").click()
        expect(plan(page)).to_contain_text("Applied")
        say(page, "make it blink")
        expect(page.get_by_role("group", name="No API key")).to_be_visible()
    assert "note = 45" in stage.conductor.config_path.read_text()


def test_after_a_restart_everything_is_still_said_and_the_plan_still_waits(
    browser: Browser, server: LlmServer
) -> None:
    with short_home() as home:
        for restarted in (False, True):
            config = None if restarted else with_model(server)
            with running_conductor(
                config, with_page=True, own_process=True, home=home
            ) as conductor:
                stage = Stage(browser, conductor)
                with stage.open() as page:
                    go(page, "Chat")
                    if restarted:
                        history = page.get_by_role("list", name="Conversations")
                        history.get_by_role("button", name=re.compile("pad 36")).first.click()
                    else:
                        say(page, "Create a mapping so pad 36 triggers Cmd+C")
                    expect(answers(page)).to_contain_text("Look at the plan and apply it.")
                    expect(plan(page).get_by_role("button", name="Apply")).to_be_enabled()
                    if restarted:
                        plan(page).get_by_role("button", name="Apply").click()
                        expect(plan(page)).to_contain_text("Applied")
        assert "note = 36" in (home / "config.toml").read_text()


def test_the_chat_is_one_key_away(chat: Page) -> None:
    go(chat, "Monitor")
    chat.keyboard.press("Control+l")
    expect(chat.get_by_role("textbox", name="Message")).to_be_focused()
    expect(rail(chat).get_by_role("button", name="Chat")).to_have_attribute("aria-current", "page")
