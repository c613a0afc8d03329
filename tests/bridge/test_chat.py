"""Every command of the chat, on a real Conductor with a simulated model."""

from base64 import b64encode
from collections.abc import Generator
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.support.llm_server import LlmServer
from tests.support.page import CommandFailed, Page, running_page
from tests.support.running import wait_for

from conductor.bridge.chat_view import (
    find_branch_tip,
    find_parent_id,
    has_older_messages,
    list_shown_messages,
    strip_event_for_page,
    strip_message_for_page,
)
from conductor.domain.chat.events import MessageEvent, PartEvent
from conductor.domain.chat.messages import ChatMessage, ImagePart, Origin, ThinkingPart
from conductor.storage.conversations import MessageNode

CONFIG = """
[[modes]]
name = "Default"

[llm.providers.mock]
kind = "custom"
base_url = "{url}"
model = "gpt-4o"
"""


@pytest.fixture(scope="module")
def page(server: LlmServer) -> Generator[Page]:
    with running_page(CONFIG.format(url=server.base_url("custom"))) as (_, page):
        yield page


def text(words: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": words}]


def settled(page: Page, conversation_id: str) -> dict[str, Any]:
    """Wait until no answer is being written."""
    return wait_for(
        lambda: page.call("chat.open", conversation_id=conversation_id),
        lambda view: not view["run"]["running"],
    )


def said(view: dict[str, Any]) -> list[str]:
    return [
        "".join(part.get("text", "") for part in one["message"]["parts"])
        for one in view["messages"]
    ]


@pytest.fixture
def talk(page: Page) -> dict[str, Any]:
    """Return a conversation with a question and its answer."""
    sent = page.call("chat.send", parts=text("say hello"))
    return settled(page, sent["conversation_id"])


def test_an_answer_comes_as_news_and_is_kept(page: Page, talk: dict[str, Any]) -> None:
    conversation_id = talk["conversation"]["conversation_id"]
    assert said(talk) == ["say hello", "Hello! I can map your pads, keys and faders."]
    answer = talk["messages"][1]["message"]
    page.wait_news("chat", lambda news: news["type"] == "message" and news["message"] == answer)
    found = page.call("chat.conversations", query="faders")["conversations"]
    assert conversation_id in [one["conversation_id"] for one in found]


def test_the_list_of_conversations_goes_on_to_the_oldest(page: Page) -> None:
    for _ in range(3):
        settled(page, page.call("chat.send", parts=text("say hello"))["conversation_id"])
    whole = [one["conversation_id"] for one in page.call("chat.conversations")["conversations"]]
    listed: list[str] = []
    older = True
    while older:
        before = {"before_id": listed[-1]} if listed else {}
        answer = page.call("chat.conversations", limit=1, **before)
        listed += [one["conversation_id"] for one in answer["conversations"]]
        older = answer["older"]
    assert listed == whole
    with pytest.raises(CommandFailed, match="no conversation"):
        page.call("chat.conversations", before_id="gone")


def test_what_is_asked_again_or_edited_branches(page: Page, talk: dict[str, Any]) -> None:
    conversation_id = talk["conversation"]["conversation_id"]
    question, answer = (one["message"]["message_id"] for one in talk["messages"])
    page.call("chat.regenerate", message_id=answer)
    again = settled(page, conversation_id)
    assert again["messages"][1]["siblings"][0] == answer
    page.call("chat.edit", message_id=question, parts=text("say hello twice"))
    edited = settled(page, conversation_id)
    assert len(edited["messages"][0]["siblings"]) == 2
    back = page.call("chat.branch", conversation_id=conversation_id, message_id=question)
    youngest = again["messages"][1]["message"]["message_id"]
    assert [one["message"]["message_id"] for one in back["messages"]] == [question, youngest]


def test_only_the_end_of_a_long_branch_is_sent_at_first(page: Page, talk: dict[str, Any]) -> None:
    conversation_id = talk["conversation"]["conversation_id"]
    view = page.call("chat.open", conversation_id=conversation_id, limit=1)
    [last] = view["messages"]
    assert (view["older"], last["message"]["role"]) == (True, "assistant")
    before_id = last["message"]["message_id"]
    older = page.call("chat.older", conversation_id=conversation_id, before_id=before_id)
    assert (said(older), older["older"]) == (["say hello"], False)


def test_an_answer_is_stopped_and_what_waited_is_dropped(page: Page) -> None:
    sent = page.call("chat.send", parts=text("speak slowly"))
    conversation_id = sent["conversation_id"]
    for words in ("first", "second"):
        queued = page.call("chat.send", conversation_id=conversation_id, parts=text(words))
        assert queued["queued"]
    page.call("chat.unqueue", conversation_id=conversation_id, index=0)
    assert page.call("chat.open", conversation_id=conversation_id)["run"]["queued"] == ["second"]
    page.call("chat.stop", conversation_id=conversation_id)
    view = settled(page, conversation_id)
    assert [one["message"]["state"] for one in view["messages"]] == ["complete", "stopped"]
    page.call("chat.resume", message_id=sent["message_id"])
    page.call("chat.stop", conversation_id=conversation_id)


def test_a_conversation_is_renamed_moved_to_another_model_saved_and_deleted(
    page: Page, talk: dict[str, Any]
) -> None:
    conversation_id = talk["conversation"]["conversation_id"]
    page.call("chat.rename", conversation_id=conversation_id, title="Greeting")
    page.call("chat.set_model", conversation_id=conversation_id, provider="mock", model="big")
    changed = page.call("chat.open", conversation_id=conversation_id)["conversation"]
    assert (changed["title"], changed["model"]) == ("Greeting", "big")
    saved = page.call("chat.export", conversation_id=conversation_id, form="markdown")["text"]
    assert "say hello" in saved
    page.call("chat.delete", conversation_id=conversation_id)
    with pytest.raises(CommandFailed) as refused:
        page.call("chat.open", conversation_id=conversation_id)
    assert refused.value.code == "conversation_not_found"


def test_a_new_conversation_has_nothing_to_compact(page: Page) -> None:
    sent = page.call("chat.send", parts=text("/help"))
    settled(page, sent["conversation_id"])
    with pytest.raises(CommandFailed):
        page.call("chat.compact", conversation_id="nowhere")


def test_the_composer_is_told_what_can_be_said(page: Page) -> None:
    assert page.call("chat.suggestions")["suggestions"]
    assert "Default" in [one["label"] for one in page.call("chat.mentions")["mentions"]]
    assert "/map" in [one["name"] for one in page.call("chat.commands")["commands"]]


def test_a_file_becomes_a_part_of_what_is_said(page: Page) -> None:
    content = b64encode(b"[[modes]]\nname = 'Other'\n").decode()
    part = page.call("chat.attach", name="other.toml", content=content)["part"]
    assert (part["type"], part["name"]) == ("file", "other.toml")
    with pytest.raises(CommandFailed) as refused:
        page.call("chat.attach", name="other.toml", content="not base64!")
    assert refused.value.code == "params_invalid"


def test_a_message_is_listed_among_its_siblings_and_leads_to_its_newest_answer() -> None:
    tree = [
        MessageNode("a", None, "user"),
        MessageNode("b", "a", "assistant"),
        MessageNode("c", "a", "assistant"),
    ]
    tree.append(MessageNode("d", "c", "user"))
    message = ChatMessage(
        message_id="c",
        conversation_id="x",
        parent_id="a",
        role="assistant",
        created_at=datetime.now(UTC),
    )
    assert [one.siblings for one in list_shown_messages(tree, [message])] == [("b", "c")]
    assert (find_branch_tip(tree, "a"), find_branch_tip(tree, "b")) == ("d", "b")
    assert (find_parent_id(tree, "d"), find_parent_id(tree, "a")) == ("c", None)
    assert has_older_messages([message])
    assert not has_older_messages([])


def test_a_page_is_spared_what_only_providers_want(page: Page) -> None:
    origin = Origin(provider="anthropic", signature="s" * 400)
    image = ImagePart(name="a.png", media_type="image/png", data="QUJD")
    message = ChatMessage(
        message_id="m",
        conversation_id="c",
        role="assistant",
        created_at=datetime.now(UTC),
        parts=(ThinkingPart(text="hm", origin=origin), image),
    )
    assert strip_message_for_page(message).parts == (
        ThinkingPart(text="hm"),
        image.model_copy(update={"data": ""}),
    )
    news = MessageEvent(message=message).model_dump(mode="json")
    told = strip_event_for_page(news)["message"]
    assert told == strip_message_for_page(message).model_dump(mode="json")
    one = PartEvent(conversation_id="c", message_id="m", index=0, part=message.parts[0])
    told = strip_event_for_page(one.model_dump(mode="json"))["part"]
    assert told == {"type": "thinking", "text": "hm", "origin": None}


def test_an_image_that_a_page_never_had_is_still_there_when_its_words_are_edited(
    page: Page, server: LlmServer
) -> None:
    data = b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 16).decode()
    image = page.call("chat.attach", name="a.png", content=data)["part"]
    sent = page.call("chat.send", parts=[*text("say hello"), image])
    view = settled(page, sent["conversation_id"])
    shown_parts = view["messages"][0]["message"]["parts"]
    assert [part.get("data") for part in shown_parts] == [None, ""]
    edited = [*text("say hello again"), shown_parts[1]]
    page.call("chat.edit", message_id=view["messages"][0]["message"]["message_id"], parts=edited)
    settled(page, sent["conversation_id"])
    exported = page.call("chat.export", conversation_id=sent["conversation_id"], form="json")
    assert exported["text"].count(data) == 2
