"""Conversations: stored as trees of messages, searchable, and repaired after a killed process."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from conductor.domain.chat.messages import (
    ChatMessage,
    NotePart,
    Part,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    Usage,
)
from conductor.errors import UnknownConversation
from conductor.storage.conversations import Conversations
from conductor.storage.database import Database
from conductor.storage.usage import UsageLog

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "conductor.db")
    yield database
    database.close()


@pytest.fixture
def conversations(database: Database) -> Conversations:
    return Conversations(lambda: database)


def user(conversation: str, message: str, *words: str, after: str | None = None) -> ChatMessage:
    return ChatMessage(
        message_id=message,
        conversation_id=conversation,
        parent_id=after,
        role="user",
        created_at=NOW,
        parts=tuple(TextPart(text=one) for one in words),
    )


def answer(conversation: str, message: str, after: str, *parts: Part) -> ChatMessage:
    return user(conversation, message, after=after).model_copy(
        update={"role": "assistant", "parts": parts}
    )


def chain(conversations: Conversations, length: int) -> str:
    conversation_id = conversations.create_conversation("anthropic", "m").conversation_id
    for number in range(length):
        after = f"m{number - 1}" if number else None
        conversations.save_messages(
            user(conversation_id, f"m{number}", f"text {number}", after=after)
        )
    return conversation_id


def ids(messages: tuple[ChatMessage, ...]) -> list[str]:
    return [message.message_id for message in messages]


def titles(conversations: Conversations, query: str = "") -> list[str]:
    return [one.title for one in conversations.list_conversations(query)]


def test_a_message_is_loaded_with_every_kind_of_part(conversations: Conversations):
    made = conversations.create_conversation("anthropic", "claude", "Pads").conversation_id
    message = answer(
        made,
        "a",
        "u",
        TextPart(text="So"),
        ToolCallPart(call_id="c1", tool="conductor_get_status", arguments={"x": [1, {"y": None}]}),
        ToolResultPart(call_id="c1", tool="conductor_get_status", ok=True, content="{}"),
        NotePart(kind="failover", text="Trying again"),
    ).model_copy(update={"usage": Usage(requests=1, input_tokens=9, cost_usd=0.01)})
    conversations.save_messages(user(made, "u", "What is up?"))
    conversations.save_messages(message)
    assert conversations.list_messages(made)[1] == message
    assert conversations.find_message(made, "a") == message
    assert conversations.find_message(made, "other") is None


def test_a_new_message_becomes_the_tip_and_an_updated_one_does_not(conversations: Conversations):
    made = chain(conversations, 2)
    conversations.set_branch_tip(made, "m0")
    conversations.save_messages(user(made, "m1", "more text", after="m0"))
    assert conversations.get_conversation(made).tip_id == "m0"
    assert conversations.get_conversation(made).messages == 2
    conversations.save_messages(user(made, "m2", "other", after="m0"))
    assert conversations.get_conversation(made).tip_id == "m2"
    assert conversations.list_messages(made)[1].parts == (TextPart(text="more text"),)


def test_an_edited_message_starts_a_branch_and_the_original_is_kept(conversations: Conversations):
    made = chain(conversations, 3)
    conversations.save_messages(user(made, "other", "text", after="m0"))
    assert ids(conversations.list_branch_messages(made)) == ["m0", "other"]
    assert ids(conversations.list_branch_messages(made, "m2")) == ["m0", "m1", "m2"]
    assert ids(conversations.list_messages(made)) == ["m0", "m1", "m2", "other"]
    assert [
        (twig.message_id, twig.parent_id) for twig in conversations.list_message_nodes(made)
    ] == [
        ("m0", None),
        ("m1", "m0"),
        ("m2", "m1"),
        ("other", "m0"),
    ]


def test_a_long_branch_is_paged_from_its_end(conversations: Conversations):
    made = chain(conversations, 7)
    page = conversations.list_branch_messages(made, limit=3)
    assert ids(page) == ["m4", "m5", "m6"]
    page = conversations.list_branch_messages(made, page[0].parent_id, limit=3)
    assert ids(page) == ["m1", "m2", "m3"]
    assert ids(conversations.list_branch_messages(made, page[0].parent_id, limit=3)) == ["m0"]


def test_a_cycle_of_messages_does_not_hang(conversations: Conversations):
    made = chain(conversations, 3)
    conversations.save_messages(user(made, "m0", "text", after="m2"))
    assert len(conversations.list_branch_messages(made)) == 3


def test_the_latest_conversation_comes_first(conversations: Conversations):
    first = conversations.create_conversation(None, None, "first").conversation_id
    conversations.create_conversation(None, None, "second")
    assert titles(conversations) == ["second", "first"]
    conversations.save_messages(user(first, "u", "hello"))
    assert titles(conversations) == ["first", "second"]


def test_a_long_list_is_paged_down_to_the_oldest(conversations: Conversations, database: Database):
    made = [
        conversations.create_conversation(None, None, f"number {n}").conversation_id
        for n in range(25)
    ]
    with database.write_session() as session:  # equal times, as a coarse clock may produce them
        session.connection().exec_driver_sql("UPDATE conversation SET updated_at = number / 4")
    listed = list(conversations.list_conversations(limit=10))
    while page := conversations.list_conversations(limit=10, before_id=listed[-1].conversation_id):
        listed += page
    assert [one.conversation_id for one in listed] == made[::-1]
    found = conversations.list_conversations("number", limit=2, before_id=made[10])
    assert [one.title for one in found] == ["number 9", "number 8"]


def test_paging_before_a_deleted_conversation_is_an_error_not_an_empty_page(
    conversations: Conversations,
):
    conversations.create_conversation(None, None, "kept")
    with pytest.raises(UnknownConversation):
        conversations.list_conversations(before_id="gone")


@pytest.mark.parametrize(
    "query", ["velocity", "VELOC", "curve vel", "cmd+c", "  velocity  ", 'velocity "', "ecrit"]
)
def test_a_conversation_is_found_by_words_of_its_messages(conversations: Conversations, query: str):
    made = conversations.create_conversation(None, None, "found").conversation_id
    conversations.create_conversation(None, None, "another")
    conversations.save_messages(user(made, "u", "A velocity curve for cmd+c, écrit"))
    assert titles(conversations, query) == ["found"]


@pytest.mark.parametrize("query", ["nothing", "+", '"', "* OR", "velocity AND NOT x", "words:a"])
def test_a_query_without_matches_finds_nothing(conversations: Conversations, query: str):
    made = conversations.create_conversation(None, None, "a title").conversation_id
    conversations.save_messages(user(made, "u", "A velocity curve"))
    assert titles(conversations, query) == []


def test_search_uses_the_current_title(conversations: Conversations):
    made = conversations.create_conversation(None, None, "Gamepad").conversation_id
    assert titles(conversations, "game") == ["Gamepad"]
    conversations.rename_conversation(made, "Pedals")
    assert titles(conversations, "game") == []
    assert titles(conversations, "pedals") == ["Pedals"]


def test_a_deleted_conversation_is_no_longer_found(conversations: Conversations, tmp_path: Path):
    made = chain(conversations, 3)
    kept = conversations.create_conversation(None, None, "text too").conversation_id
    conversations.delete_conversation(made)
    assert titles(conversations, "text") == ["text too"]
    for call in (
        conversations.get_conversation,
        conversations.list_messages,
        conversations.list_branch_messages,
        conversations.list_message_nodes,
        conversations.delete_conversation,
        partial(conversations.rename_conversation, title="x"),
        partial(conversations.set_branch_tip, message_id=None),
        partial(conversations.set_model, provider=None, model=None),
    ):
        with pytest.raises(UnknownConversation, match="may have been deleted"):
            call(made)
    with pytest.raises(UnknownConversation):
        conversations.save_messages(user(made, "late", "text"))
    assert conversations.list_messages(kept) == ()


def test_a_conversation_reports_the_usage_of_its_requests(
    conversations: Conversations, database: Database
):
    made = chain(conversations, 2)
    chain_of_another = conversations.create_conversation(None, None).conversation_id
    log = UsageLog(lambda: database)
    for cost in (0.5, 0.25, None):
        used = Usage(requests=1, input_tokens=10, output_tokens=2, cost_usd=cost)
        log.add_request(used, provider="a", kind="anthropic", model="m", conversation_id=made)
    assert conversations.get_conversation(made).usage == Usage(
        requests=3, input_tokens=30, output_tokens=6, cost_usd=0.75
    )
    assert conversations.get_conversation(chain_of_another).usage == Usage()
    assert conversations.get_conversation(made).messages == 2


def test_the_model_for_the_next_answer_is_stored(conversations: Conversations):
    made = conversations.create_conversation("anthropic", "claude").conversation_id
    conversations.set_model(made, "google", "gemini")
    got = conversations.get_conversation(made)
    assert (got.provider, got.model) == ("google", "gemini")


def test_an_unreadable_message_says_so_and_does_not_hide_the_others(
    conversations: Conversations, database: Database
):
    made = chain(conversations, 3)
    with database.write_session() as session:
        session.connection().exec_driver_sql(
            "UPDATE message SET data = '{\"role\": 1}', state = 'streaming' WHERE message_id = 'm1'"
        )
    assert ids(conversations.list_branch_messages(made)) == ["m0", "m1", "m2"]
    (part,) = conversations.list_messages(made)[1].parts
    assert isinstance(part, NotePart)
    assert "another version" in part.text
    assert conversations.mark_unfinished_as_stopped() == 0


def test_an_unfinished_message_is_stopped_and_every_call_gets_a_result(
    conversations: Conversations,
):
    made = chain(conversations, 1)
    parts = (
        TextPart(text="I look"),
        ToolCallPart(call_id="c1", tool="one"),
        ToolCallPart(call_id="c2", tool="two"),
        ToolResultPart(call_id="c1", tool="one", ok=True, content="{}"),
    )
    begun = answer(made, "a", "m0", *parts).model_copy(update={"state": "streaming"})
    conversations.save_messages(begun)
    assert titles(conversations, "look") == []
    assert conversations.mark_unfinished_as_stopped() == 1
    ended = conversations.list_messages(made)[1]
    assert ended.state == "stopped"
    assert ended.parts[:4] == parts
    result, note = ended.parts[4:]
    assert isinstance(result, ToolResultPart)
    assert (result.call_id, result.ok) == ("c2", False)
    assert result.content.startswith("stopped")
    assert isinstance(note, NotePart)
    assert note.kind == "restarted"
    assert len(conversations.list_conversations("look")) == 1
    assert conversations.mark_unfinished_as_stopped() == 0


WRITER = """
import sys
from pathlib import Path
from conductor.storage.conversations import Conversations
from conductor.storage.database import Database
from conductor.domain.chat.messages import ChatMessage, TextPart
database = Database(Path(sys.argv[1]))
conversations = Conversations(lambda: database)
made = conversations.create_conversation("p", "m", "Killed").conversation_id
message = ChatMessage.model_validate({
    "message_id": "a", "conversation_id": made, "role": "assistant", "state": "streaming",
    "created_at": "2026-11-21T12:00:00Z",
})
number = 0
while True:
    number += 1
    conversations.save_messages(
        message.model_copy(update={"parts": (TextPart(text=f"{number} " * 50),)})
    )
    print(number, flush=True)
"""


def test_a_killed_process_loses_no_stored_message(tmp_path: Path):
    path = tmp_path / "conductor.db"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE)
    with writer:
        assert writer.stdout is not None
        for _ in range(5):
            writer.stdout.readline()
        os.kill(writer.pid, signal.SIGKILL)
        told = 5 + len(writer.stdout.read().splitlines())
    database = Database(path)
    assert database.moved_aside is None
    conversations = Conversations(lambda: database)
    assert conversations.mark_unfinished_as_stopped() == 1
    (conversation,) = conversations.list_conversations("killed")
    (message,) = conversations.list_messages(conversation.conversation_id)
    text, note = message.parts
    assert isinstance(text, TextPart)
    assert int(text.text.split()[0]) in (told, told + 1)
    assert isinstance(note, NotePart)
    database.close()
